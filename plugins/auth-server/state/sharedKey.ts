import type { Vault } from '../../contracts/vault.ts';
import { newSecret } from '../../kit/secrets/secrets.ts';

/** A random key of 256 bits that all processes share, made by the first that asks. @param use what it is for
 *  @throws GatewayError STORE_UNREACHABLE */
export async function sharedKey(vault: Vault, use: string): Promise<string> {
  const name = `oauth-key:${use}`;
  const known = (await vault.get(name)) as string | undefined;
  if (known !== undefined) return known;
  await vault.putIfAbsent(name, newSecret());
  return (await vault.get(name)) as string;
}
