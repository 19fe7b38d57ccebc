import type { KernelEvent, Log } from 'pegboard';
import type { CallerCredentials } from '../../contracts/credentials.ts';
import type { MemoryBudget } from '../../contracts/memory.ts';
import type { Confinement, PodServers } from '../../contracts/servers.ts';
import type { SecretSource } from '../../contracts/secrets.ts';
import type { SignInOffers } from '../../contracts/signIns.ts';
import type { Tracer } from '../../contracts/tracing.ts';
import type { Vault } from '../../contracts/vault.ts';
import type { TlsFiles, TlsTrust } from '../../kit/tls/tlsTrust.ts';
import type { UpstreamConfig } from '../config.ts';
import type { ServerLogs } from '../client/conversation/serverLogs.ts';
import type { Ticker } from '../client/rpc/ticker.ts';
import type { Watchdog } from '../client/wire/watchdog.ts';
import type { FirstStarts } from './firstStarts.ts';
import type { LastKnown } from './lastKnown.ts';
import type { SecretUser } from './usedSecrets.ts';

/** What all servers share. What other plugins provide is undefined while they do not run. */
export interface UpstreamContext {
  readonly config: () => UpstreamConfig;
  readonly log: Log;
  readonly emit: (event: KernelEvent) => void;
  readonly ticker: Ticker;
  readonly logs: ServerLogs;
  readonly watchdog: Watchdog;
  readonly firstStarts: FirstStarts;
  readonly trusts: (files?: TlsFiles) => TlsTrust;
  readonly lastKnown: () => LastKnown;
  /** Base directory of relative `${file:…}` references. */
  readonly directory: () => string;
  /** The state directory; undefined: there is none. */
  readonly state: () => string | undefined;
  readonly tracer: () => Tracer | undefined;
  readonly memory: () => MemoryBudget | undefined;
  /** The source of `${secret:…}` references. */
  readonly secrets: () => SecretSource | undefined;
  /** Reads the secrets of a server that has answered 401 at once. @returns whether one has changed */
  readonly secretsChanged: (server: object, users: readonly SecretUser[]) => Promise<boolean>;
  /** One that outlives the process. */
  readonly vault: () => Vault | undefined;
  readonly credentials: () => CallerCredentials | undefined;
  readonly confinement: () => Confinement | undefined;
  readonly pods: () => PodServers | undefined;
  readonly signIns: () => SignInOffers | undefined;
}
