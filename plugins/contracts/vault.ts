import { one } from 'pegboard';

/** State that survives a restart or is shared by replicas: grants, clients, executions, stored results (decision D13).
 *  Keys are `<kind>:<id>` (at most 512 characters), values are JSON; a write survives `kill -9` once its promise has resolved. */
export interface Vault {
  /** Whether entries survive the process; absent: they do. */
  readonly isLasting?: boolean;
  /** @returns undefined if absent or expired @throws GatewayError STORE_UNREACHABLE */
  get(key: string): Promise<unknown>;
  /** Creates or replaces it in one step. @param ttlSeconds absent: stays until deleted; 0 or less: expired at once
   *  @throws GatewayError STORE_UNREACHABLE, STORE_FORBIDDEN for a bad key, a value that is not JSON, or over a limit */
  set(key: string, value: unknown, ttlSeconds?: number): Promise<void>;
  /** Like set(), if the key is absent or expired; in one step for all processes that share the vault.
   *  @returns whether it was created @throws GatewayError as set() */
  putIfAbsent(key: string, value: unknown, ttlSeconds?: number): Promise<boolean>;
  /** Like set(), if the value is `expected`, a value that get() has returned; in one step for all processes that share the vault.
   *  @returns whether it was replaced @throws GatewayError as set() */
  compareAndSwap(key: string, expected: unknown, value: unknown, ttlSeconds?: number): Promise<boolean>;
  /** Removes and returns the value in one step, so that it is used only once. @returns undefined if absent or expired
   *  @throws GatewayError STORE_UNREACHABLE. Source: RFC 6749 §4.1.2 (single use) */
  take(key: string): Promise<unknown>;
  /** @returns whether it existed @throws GatewayError STORE_UNREACHABLE */
  delete(key: string): Promise<boolean>;
  /** Keys that begin with `prefix`, sorted. @throws GatewayError STORE_UNREACHABLE */
  list(prefix: string): Promise<readonly string[]>;
}
export const Vault = one<Vault>('vault');

/** A key of AES-256. */
export interface SealKey {
  /** 4 bytes, stored with everything that the key has sealed */
  readonly id: Buffer;
  /** 32 bytes */
  readonly key: Buffer;
}
/** The first key seals, every key opens: put a new one in front to rotate. */
export type KeyRing = readonly [SealKey, ...SealKey[]];
