import type { Finding, Resource, ReviewFacts, ReviewFinding } from 'pegboard';
import type { GuardedFetchParts } from 'pegboard/net';
import { audienceScope } from '../kit/oauth/audienceScope.ts';
import { forwardedAudiences, readAuthRules } from '../kit/oauth/authRules.ts';
import { fetchTrust, tlsFindings } from '../kit/tls/fetchTrust.ts';
import type { AuthServerConfig, ProviderConfig, ServerConfig } from './config.ts';
import { finding } from './configFindings.ts';
import { providerAt } from './providerPresets.ts';
import { filledSecrets } from './secretsOf.ts';

/** Requests that a check sends for audiences. */
const MAX_ASKED = 20;

/** What needs the machine: secrets that cannot be read, and with --online the provider. */
export async function reviewFindings({
  config,
  directory,
  env,
  isOnline,
  resources,
}: ReviewFacts<AuthServerConfig>): Promise<readonly ReviewFinding[]> {
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
  return providerFindings(server, secrets.clientSecret, network, resources);
}

async function providerFindings(
  { idp, baseUrl }: ServerConfig,
  clientSecret: string,
  network: Pick<GuardedFetchParts, 'proxies' | 'trust'>,
  resources: readonly Resource[],
): Promise<readonly ReviewFinding[]> {
  // Only here, because each start reads the manifests of all plugins.
  const [{ discoverProvider }, { providerFetch }, { providerFault }, { refusedSignIn }] = await Promise.all([
    import('./provider/discoverProvider.ts'),
    import('./provider/providerFetch.ts'),
    import('./provider/providerFault.ts'),
    import('./provider/refusedSignIn.ts'),
  ]);
  const parts = { ...network, allowPrivate: idp.allowPrivateIPOIDC };
  let found;
  try {
    found = await discoverProvider(idp, () => clientSecret, providerFetch(parts));
  } catch (error) {
    return [finding('idp.issuerUrl', `cannot be discovered: ${providerFault(error)}`, 'error')];
  }
  const redirectUri = `${baseUrl.replace(/(?<!\/)\/+$/, '')}/oauth/callback`;
  try {
    const fetch = providerFetch({ ...parts, showsRedirects: true });
    const refusal = (scopes = idp.scopes): Promise<string | undefined> =>
      refusedSignIn(found, idp, redirectUri, fetch, scopes);
    const said = await refusal();
    return said === undefined
      ? await audienceFindings(idp, resources, refusal)
      : [refusalFinding(idp, said, redirectUri)];
  } catch (error) {
    const text = `has an authorization endpoint that cannot be asked: ${providerFault(error)}`;
    return [finding('idp.issuerUrl', text, 'error')];
  }
}

/** What the provider says about audiences that definitions want: sign-ins continue without them, servers that need them do not work. */
async function audienceFindings(
  { scopes, audienceScope: form }: ProviderConfig,
  resources: readonly Resource[],
  refusal: (scopes: readonly string[]) => Promise<string | undefined>,
): Promise<readonly ReviewFinding[]> {
  const wanted = resources
    .filter(({ kind }) => kind === 'MCPServer')
    .map((resource) => ({
      resource,
      audiences: forwardedAudiences([{ auth: readAuthRules(resource.spec) }]),
    }));
  const audiences = [...new Set(wanted.flatMap((one) => one.audiences))].slice(0, MAX_ASKED);
  const found: ReviewFinding[] = [];
  for (const audience of form === '' ? [] : audiences) {
    const scope = audienceScope(audience, form);
    const said = scope === undefined ? undefined : await refusal([...scopes, scope]);
    if (said === undefined) continue;
    const message = `audience ${audience} is refused by the identity provider as scope ${scope}: ${said}; make it known there, or set aggregator.oauth.server.idp.audienceScope to the provider's form`;
    for (const { resource } of wanted.filter((one) => one.audiences.includes(audience)))
      found.push({ resource, path: ['auth', 'requiredAudiences'], message, severity: 'warning' });
  }
  return found;
}

/** What the provider says about the request of a sign-in, and the key that it is about. */
function refusalFinding(idp: ProviderConfig, said: string, redirectUri: string): Finding {
  const name = idp.provider ?? providerAt(idp.issuerUrl);
  const [key, fix] = fixFor(said, redirectUri);
  const preset =
    key === 'idp.scopes' && name !== undefined && idp.provider === undefined
      ? `, or remove scopes and write idp.provider: ${name}`
      : '';
  return finding(key, `is refused by ${name ?? 'the provider'}: ${said}; ${fix}${preset}`, 'error');
}

function fixFor(said: string, redirectUri: string): readonly [key: string, fix: string] {
  if (/scope/i.test(said))
    return ['idp.scopes', 'take out of idp.scopes what it does not know, or set it up there'];
  if (/redirect.?ur[il]|callback url|reply url|AADSTS50011/i.test(said))
    return ['baseUrl', `register the redirect URI ${redirectUri} there`];
  if (/client|application|AADSTS700016/i.test(said))
    return ['idp.clientId', 'write the id that the gateway is registered with there'];
  return ['idp', 'check clientId, scopes and parameters of idp'];
}
