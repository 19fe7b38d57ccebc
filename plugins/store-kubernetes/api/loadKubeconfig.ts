import type { RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import { GatewayError, VERSION, messageOf } from 'pegboard';
import type { KubeCredentials, KubeIdentity } from './kubeCredentials.ts';
import { keptIdentity } from './keptIdentity.ts';
import { KubeError } from './kubeError.ts';

const MISSING = `a kubeconfig needs @kubernetes/client-node, which is not installed beside pegboard ${VERSION}; install it: npm install @kubernetes/client-node@1.4`;

const ABSENT =
  'no kubeconfig was found: name one in KUBECONFIG or write ~/.kube/config; a pod needs its service account mounted';

/** What the client library makes up where it finds no kubeconfig. */
const MADE_UP = 'loaded-context';

const CURE =
  'sign in again with what wrote the kubeconfig, or write new credentials into it: it is read again within seconds';

/** An exec plugin may ask a cloud. */
const EXEC_MS = 30_000;

/** Those of a kubeconfig, with exec plugins and client certificates. @param paths as in KUBECONFIG; absent: ~/.kube/config
 *  @throws KubeError `credentials`; GatewayError STORE_UNREACHABLE if there is none, which no waiting mends */
export async function loadKubeconfig(
  paths: string | undefined,
  context: string | undefined,
): Promise<KubeCredentials> {
  let config = await read(paths, context);
  const server = config.getCurrentCluster()?.server ?? '';
  if (!URL.canParse(server))
    throw new KubeError('credentials', `the kubeconfig's server is not an address: "${server}"`);
  if (config.getCurrentCluster()?.proxyUrl !== undefined)
    throw new KubeError(
      'credentials',
      'proxy-url of the kubeconfig is not supported; reach the API server directly',
    );
  const namespace = config.getContextObject(config.getCurrentContext())?.namespace;
  const identity = keptIdentity(async (wasRefused) => {
    // Tools that sign in write a new token into the same file.
    if (wasRefused) config = await read(paths, context);
    return identityOf(config);
  });
  return { server: new URL(server), namespace, cure: CURE, ...identity };
}

async function read(paths: string | undefined, context: string | undefined): Promise<KubeConfig> {
  const config = await newKubeConfig();
  try {
    if (paths !== undefined && paths !== '') loadFiles(config, paths);
    else config.loadFromDefault();
  } catch (error) {
    throw new KubeError('credentials', `the kubeconfig cannot be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
  if (config.getCurrentContext() === MADE_UP) throw new GatewayError('STORE_UNREACHABLE', ABSENT);
  choose(config, context);
  return config;
}

async function newKubeConfig(): Promise<KubeConfig> {
  try {
    return new (await import('@kubernetes/client-node')).KubeConfig();
  } catch (error) {
    throw new KubeError('credentials', MISSING, { cause: error });
  }
}

/** KubeConfig reads KUBECONFIG of the process only. */
function loadFiles(config: KubeConfig, paths: string): void {
  const [first, ...others] = paths.split(process.platform === 'win32' ? ';' : ':').filter(Boolean);
  config.loadFromFile(first ?? '');
  for (const path of others) {
    const other = new (config.constructor as new () => KubeConfig)();
    other.loadFromFile(path);
    config.mergeConfig(other);
  }
}

function choose(config: KubeConfig, context: string | undefined): void {
  const known = config.getContexts().map(({ name }) => name);
  const wanted = context ?? config.getCurrentContext();
  if (!known.includes(wanted)) {
    const list = known.length > 0 ? `it has ${known.join(', ')}` : 'it has none; name a file in KUBECONFIG';
    throw new KubeError('credentials', `the kubeconfig has no context "${wanted}"; ${list}`);
  }
  config.setCurrentContext(wanted);
}

async function identityOf(config: KubeConfig): Promise<KubeIdentity> {
  const options: RequestOptions = {};
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`its command did not end within ${EXEC_MS} ms`)), EXEC_MS);
  });
  try {
    await Promise.race([config.applyToHTTPSOptions(options), late]);
  } catch (error) {
    const message = `the kubeconfig gives no credentials: ${messageOf(error)}`;
    throw new KubeError('credentials', message, { cause: error });
  } finally {
    clearTimeout(timer);
  }
  const { ca, cert, key, servername, rejectUnauthorized, auth, headers } = options;
  const tls = { ca: pem(ca), cert: pem(cert), key: pem(key), servername };
  const given = (headers as Readonly<Record<string, string>> | undefined)?.['Authorization'];
  const basic = typeof auth === 'string' ? `Basic ${Buffer.from(auth).toString('base64')}` : undefined;
  return { tls: { ...tls, skipTlsVerify: rejectUnauthorized === false }, authorization: given ?? basic };
}

function pem(value: unknown): string | undefined {
  return typeof value === 'string' || Buffer.isBuffer(value) ? value.toString() : undefined;
}
