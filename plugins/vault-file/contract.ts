import { GatewayError, one } from 'pegboard';

/** State that survives a restart or is shared by replicas: grants, clients, executions, stored results (decision D13).
 *  Keys are `<kind>:<id>` (at most 512 characters), values are JSON; a write survives `kill -9` once its promise has resolved. */
export interface Vault {
  /** @returns undefined if absent or expired @throws GatewayError STORE_UNREACHABLE */
  get(key: string): Promise<unknown>;
  /** Creates or replaces it in one step. @param ttlSeconds absent: stays until deleted; 0 or less: expired at once
   *  @throws GatewayError STORE_UNREACHABLE, STORE_FORBIDDEN for a bad key, a value that is not JSON, or over a limit */
  set(key: string, value: unknown, ttlSeconds?: number): Promise<void>;
  /** Removes and returns the value in one step, so that it is used only once. @returns undefined if absent or expired
   *  @throws GatewayError STORE_UNREACHABLE. Source: RFC 6749 §4.1.2 (single use) */
  take(key: string): Promise<unknown>;
  /** @returns whether it existed @throws GatewayError STORE_UNREACHABLE */
  delete(key: string): Promise<boolean>;
  /** Keys that begin with `prefix`, sorted. @throws GatewayError STORE_UNREACHABLE */
  list(prefix: string): Promise<readonly string[]>;
}
export const Vault = one<Vault>('vault');

const MAX_KEY_CHARS = 512;

/** The first step of a vault's `set`: checks the key, the seconds to live, and that the value is JSON.
 *  @returns the value's JSON @throws GatewayError STORE_FORBIDDEN */
export function vaultJson(key: string, value: unknown, ttlSeconds: number): string {
  if (key === '' || key.length > MAX_KEY_CHARS) {
    throw new GatewayError('STORE_FORBIDDEN', `a key of the vault has 1 to ${MAX_KEY_CHARS} characters`);
  }
  if (Number.isNaN(ttlSeconds)) {
    throw new GatewayError(
      'STORE_FORBIDDEN',
      'ttlSeconds is not a number; leave it out for a value that does not expire',
    );
  }
  try {
    const json = JSON.stringify(value) as string | undefined;
    if (json !== undefined) return json;
  } catch (error) {
    throw new GatewayError('STORE_FORBIDDEN', 'the value is not JSON; store plain data', { cause: error });
  }
  throw new GatewayError('STORE_FORBIDDEN', 'the value is not JSON; delete the key to store nothing');
}
