import type { KubeCredentials } from './kubeCredentials.ts';
import { loadKubeconfig } from './loadKubeconfig.ts';
import { podCredentials } from './podCredentials.ts';

export interface CredentialOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The kubeconfig's context; absent: its current one. Naming one also overrules the pod's account. */
  readonly context?: string;
  /** The mounted service account. */
  readonly directory?: string;
}
const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Those of the pod's service account inside a cluster, else of a kubeconfig. @throws KubeError `credentials` */
export function findCredentials(options: CredentialOptions): Promise<KubeCredentials> {
  const { env, context, directory = SERVICE_ACCOUNT } = options;
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = env;
  if (host !== undefined && host !== '' && context === undefined)
    return podCredentials({ host, port, directory });
  return loadKubeconfig(env['KUBECONFIG'], context);
}
