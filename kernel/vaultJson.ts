import { GatewayError } from './errors.ts';

const MAX_KEY_CHARS = 512;

/** What a vault's `set` does first: checks the key, the seconds to live and that the value is JSON.
 *  @returns the value's JSON @throws GatewayError STORE_FORBIDDEN */
export function vaultJson(key: string, value: unknown, ttlSeconds: number): string {
  if (key === '' || key.length > MAX_KEY_CHARS) {
    throw new GatewayError('STORE_FORBIDDEN', `a key of the vault has 1 to ${MAX_KEY_CHARS} characters`);
  }
  if (Number.isNaN(ttlSeconds)) {
    throw new GatewayError('STORE_FORBIDDEN', 'ttlSeconds is not a number; leave it out for what stays');
  }
  try {
    const json = JSON.stringify(value) as string | undefined;
    if (json !== undefined) return json;
  } catch (error) {
    throw new GatewayError('STORE_FORBIDDEN', 'the value is not JSON; store plain data', { cause: error });
  }
  throw new GatewayError('STORE_FORBIDDEN', 'the value is not JSON; delete the key to store nothing');
}
