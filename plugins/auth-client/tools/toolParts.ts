import type { GuardedServer, GuardedServers, SignInStatuses } from '../contract.ts';
import type { OwnSignIn } from './ownSignIn.ts';

export interface ToolParts {
  readonly servers: () => GuardedServers | undefined;
  readonly statuses: () => SignInStatuses | undefined;
  /** Undefined while `oauth.mcpClient.enabled` is false. */
  readonly signIn: OwnSignIn | undefined;
  /** Whether callers have to sign in at this gateway. */
  readonly needsCaller: () => boolean;
}

/** Whether callers are connected without a sign-in of their own. */
export function isSingleSignOn({ auth }: Pick<GuardedServer, 'auth'>): boolean {
  return auth.forwardToken || auth.tokenExchange !== undefined;
}
