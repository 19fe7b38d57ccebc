import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from 'pegboard';
import type { KubeCredentials, KubeIdentity } from './kubeCredentials.ts';
import { keptIdentity } from './keptIdentity.ts';
import { KubeError } from './kubeError.ts';

export interface Mounted {
  readonly host: string;
  readonly port: string;
  readonly directory: string;
}

/** Those of the pod's service account. Source: https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/
 *  @throws KubeError `credentials` when the folder cannot be read */
export async function podCredentials({ host, port, directory }: Mounted): Promise<KubeCredentials> {
  const read = async (name: string): Promise<string> => {
    try {
      return (await readFile(join(directory, name), 'utf8')).trim();
    } catch (error) {
      const fix = 'mount the service account (automountServiceAccountToken: true)';
      throw new KubeError('credentials', `${messageOf(error)}; ${fix}`, { cause: error });
    }
  };
  const readIdentity = async (): Promise<KubeIdentity> => {
    const [token, ca] = await Promise.all([read('token'), read('ca.crt')]);
    return { tls: { ca, skipTlsVerify: false }, authorization: `Bearer ${token}` };
  };
  const identity = keptIdentity(readIdentity);
  await identity.current();
  const address = host.includes(':') ? `[${host}]` : host;
  const cure = `see that the service account is still there and that ${directory}/token is renewed: it is read again within seconds`;
  const server = new URL(`https://${address}:${port}`);
  return { server, namespace: await read('namespace'), cure, ...identity };
}
