import { GatewayError } from 'pegboard';
import type { Vault } from '../../contracts/vault.ts';

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
