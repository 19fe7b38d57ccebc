import type { Log } from 'pegboard';
import type { GuardedServers } from '../../contracts/credentials.ts';
import type { SignInStatuses } from '../../contracts/signIns.ts';
import type { OwnSignIn } from './ownSignIn.ts';

export interface SignInToolParts {
  readonly servers: () => GuardedServers | undefined;
  readonly statuses: () => SignInStatuses | undefined;
  /** Undefined while `oauth.mcpClient.enabled` is false. */
  readonly signIn: OwnSignIn | undefined;
  /** Whether callers have to sign in at this gateway. */
  readonly needsCaller: () => boolean;
  /** The last error of a server, with the cure. */
  readonly faultOf: (server: string) => string | undefined;
  readonly log: Log;
}
