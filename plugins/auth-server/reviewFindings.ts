import type { Finding, ReviewFacts } from 'pegboard';
import type { GuardedFetchParts } from 'pegboard/net';
import { fetchTrust, tlsFindings } from '../kit/tls/fetchTrust.ts';
import type { AuthServerConfig, ServerConfig } from './config.ts';
import { finding } from './configFindings.ts';
import { filledSecrets } from './secretsOf.ts';

/** What needs the machine: secrets that cannot be read, and with --online the provider. */
export async function reviewFindings({
  config,
  directory,
  env,
  isOnline,
}: ReviewFacts<AuthServerConfig>): Promise<readonly Finding[]> {
  const { extraCaFile, oauth } = config.aggregator;
  const { server } = oauth;
  const { secrets, faults } = filledSecrets(server, directory, env);
  const found = [
    ...faults.map(({ name, message }) => finding(name, message, 'error')),
    ...tlsFindings(oauth.tls, directory),
  ];
  if (!isOnline || found.length > 0) return found;
  const trust = fetchTrust({
    extraCaFile: () => extraCaFile,
    hosts: () => oauth.tls,
    directory: () => directory,
  });
  const network = { proxies: () => config.aggregator, trust };
  return [...found, ...(await providerFindings(server, secrets.clientSecret, network))];
}

async function providerFindings(
  { idp }: ServerConfig,
  clientSecret: string,
  network: Pick<GuardedFetchParts, 'proxies' | 'trust'>,
): Promise<readonly Finding[]> {
  // Only here, because each start reads the manifests of all plugins.
  const [{ discoverProvider }, { providerFetch }, { providerFault }] = await Promise.all([
    import('./provider/discoverProvider.ts'),
    import('./provider/providerFetch.ts'),
    import('./provider/providerFault.ts'),
  ]);
  const fetchProvider = providerFetch({ ...network, allowPrivate: idp.allowPrivateIPOIDC });
  try {
    await discoverProvider(idp, clientSecret, fetchProvider);
    return [];
  } catch (error) {
    return [finding('idp.issuerUrl', `cannot be discovered: ${providerFault(error)}`, 'error')];
  }
}
