import { GatewayError, keysFor, messageOf, one } from 'pegboard';
import type { KeyRing } from 'pegboard';

export { CountedVault } from './shared/countedVault.ts';
export { warnOfOpenKeyFile, warnOfOpenKeys } from './shared/warnOfOpenKeys.ts';

/** State that survives a restart or is shared by replicas: grants, clients, executions, stored results (decision D13).
 *  Keys are `<kind>:<id>` (at most 512 characters), values are JSON; a write survives `kill -9` once its promise has resolved. */
export interface Vault {
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

/** The keys that seal a vault's values. @param given as for keysFor @throws GatewayError CONFIG_UNREADABLE if their file cannot be used */
export function vaultKeys(stateDirectory: string | undefined, given?: KeyRing): KeyRing {
  try {
    return keysFor('vault', stateDirectory, given);
  } catch (error) {
    const fix = 'restore it from a backup; without it nothing in the vault can be read';
    throw new GatewayError('CONFIG_UNREADABLE', `${messageOf(error)}; ${fix}`, { cause: error });
  }
}

/** One write, checked. */
export interface VaultWrite {
  readonly key: string;
  /** The value as JSON. */
  readonly json: string;
  /** Infinity: stays until deleted; 0 or less: expired at once. */
  readonly ttlSeconds: number;
  /** JSON that the key must hold; null: the key must be absent or expired; undefined: any. */
  readonly expected: string | null | undefined;
}

/** A vault whose writes are one operation, so that checks and the taking of a copy are written once. */
export abstract class JsonVault implements Vault {
  /** Takes effect in one step, if the key holds what is expected. Called before the caller can change the value.
   *  @returns whether it was written @throws GatewayError STORE_UNREACHABLE, STORE_FORBIDDEN over a limit */
  protected abstract write(write: VaultWrite): Promise<boolean>;
  abstract get(key: string): Promise<unknown>;
  abstract take(key: string): Promise<unknown>;
  abstract delete(key: string): Promise<boolean>;
  abstract list(prefix: string): Promise<readonly string[]>;

  async set(key: string, value: unknown, ttlSeconds = Infinity): Promise<void> {
    await this.write({ ...checked(key, value, ttlSeconds), expected: undefined });
  }
  async putIfAbsent(key: string, value: unknown, ttlSeconds = Infinity): Promise<boolean> {
    return this.write({ ...checked(key, value, ttlSeconds), expected: null });
  }
  async compareAndSwap(
    key: string,
    expected: unknown,
    value: unknown,
    ttlSeconds = Infinity,
  ): Promise<boolean> {
    return this.write({ ...checked(key, value, ttlSeconds), expected: jsonOf(expected) });
  }
}

const MAX_KEY_CHARS = 512;

/** @throws GatewayError STORE_FORBIDDEN for a bad key, seconds that are not a number, or a value that is not JSON */
function checked(key: string, value: unknown, ttlSeconds: number): Omit<VaultWrite, 'expected'> {
  if (key === '' || key.length > MAX_KEY_CHARS) {
    throw new GatewayError('STORE_FORBIDDEN', `a key of the vault has 1 to ${MAX_KEY_CHARS} characters`);
  }
  if (Number.isNaN(ttlSeconds)) {
    throw new GatewayError(
      'STORE_FORBIDDEN',
      'ttlSeconds is not a number; leave it out for a value that does not expire',
    );
  }
  return { key, json: jsonOf(value), ttlSeconds };
}

function jsonOf(value: unknown): string {
  try {
    const json = JSON.stringify(value) as string | undefined;
    if (json !== undefined) return json;
  } catch (error) {
    throw new GatewayError('STORE_FORBIDDEN', 'the value is not JSON; store plain data', { cause: error });
  }
  throw new GatewayError('STORE_FORBIDDEN', 'the value is not JSON; delete the key to store nothing');
}
