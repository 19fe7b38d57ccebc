import { GatewayError } from 'pegboard';
import type { ClientParts, TargetClient } from './exchangeTarget.ts';
import { clientSecretOf } from './secretIn.ts';
import type { SecretSource } from '../../contracts/secrets.ts';

/** Credentials of a client; one without a secret is public. */
export interface ReadClient {
  readonly id: string;
  readonly secret?: string;
}

/** The client of a target, or why it cannot be read. */
export async function readClient(
  client: TargetClient,
  { directory, secrets }: ClientParts,
): Promise<ReadClient | { readonly fault: string }> {
  if ('id' in client) {
    const { id, secret } = client;
    const read = secret && clientSecretOf(secret, directory());
    if (read === undefined) return { id };
    return 'fault' in read ? read : { id, secret: read.secret };
  }
  const read = await readSecretKeys(client, [client.clientIdKey, client.clientSecretKey], secrets());
  if ('fault' in read) return read;
  const [id = '', secret = ''] = read;
  return { id, secret };
}

/** Keys of a secret of the platform, or why they cannot be read. */
export async function readSecretKeys(
  name: Parameters<SecretSource['read']>[0],
  keys: readonly string[],
  source: SecretSource | undefined,
): Promise<readonly string[] | { readonly fault: string }> {
  if (source === undefined) return { fault: 'clientCredentialsSecretRef is read in orchestrator mode only' };
  try {
    return await source.read(name, keys);
  } catch (error) {
    if (error instanceof GatewayError) return { fault: error.message };
    throw error;
  }
}
