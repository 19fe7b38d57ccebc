import { createHash } from 'node:crypto';
import { isObject } from 'pegboard';
import { Failure } from '../text/failure.ts';
import type { FoundPackage } from './foundPackage.ts';
import { RegistryAway, jsonOf, registryRequest } from './registryRequest.ts';
import type { Asking } from './registryRequest.ts';

const DOCKER_HUB = 'registry-1.docker.io';
const MANIFESTS = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');
const CREATED = 'org.opencontainers.image.created';

/** An image. @param wanted its tag @throws Failure
 *  Source: https://github.com/opencontainers/distribution-spec, pulling manifests */
export async function ociFound(name: string, wanted = 'latest', asking: Asking): Promise<FoundPackage> {
  const [first = '', ...rest] = name.split('/');
  const hasHost = rest.length > 0 && /[.:]|^localhost$/.test(first);
  const host = hasHost && first !== 'docker.io' ? first : DOCKER_HUB;
  const path = hasHost ? rest.join('/') : name;
  const repository = host === DOCKER_HUB && !path.includes('/') ? `library/${path}` : path;
  const scheme = /^(?:localhost|127\.|\[::1\])/.test(host) ? 'http' : 'https';
  const url = `${scheme}://${host}/v2/${repository}/manifests/${wanted}`;
  const given = { ...asking, what: `image ${name}:${wanted}`, accept: MANIFESTS, isHttpsOnly: true };
  let response = await registryRequest(url, { ...given, statuses: [401] });
  if (response.status === 401) {
    const authorization = `Bearer ${await anonymousToken(response, repository, { ...given, namedBy: url })}`;
    response = await registryRequest(url, { ...given, headers: { authorization } });
  }
  const bytes = Buffer.from(await response.arrayBuffer());
  // Of the bytes themselves: what the header says need not be so.
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  const { annotations } = await jsonOf(new Response(bytes), url);
  const created = isObject(annotations) ? annotations[CREATED] : undefined;
  return {
    source: { registry: 'oci', name, version: wanted, integrity: digest },
    newest: undefined,
    publishedAt: typeof created === 'string' ? created : undefined,
    publisher: `${host === DOCKER_HUB ? '' : `${host}/`}${repository.split('/').slice(0, -1).join('/')}`,
    saidBy: url,
    archive: undefined,
  };
}

/** The token that a registry gives to anyone. */
async function anonymousToken(
  response: Response,
  repository: string,
  given: Parameters<typeof registryRequest>[1],
): Promise<string> {
  const challenge = response.headers.get('www-authenticate') ?? '';
  const pairs = [...challenge.matchAll(/\b(realm|scope|service)="([^"]*)"/g)].map(
    ([, key, value]) => [key, value] as const,
  );
  const { realm, scope, service } = Object.fromEntries(pairs) as Record<string, string | undefined>;
  if (!/^bearer /i.test(challenge) || realm === undefined || !URL.canParse(realm))
    throw new RegistryAway(`the registry wants a sign-in for ${given.what}, which Pegboard has not`);
  const url = new URL(realm);
  url.searchParams.set('scope', scope ?? `repository:${repository}:pull`);
  if (service !== undefined) url.searchParams.set('service', service);
  const answer = await jsonOf(
    await registryRequest(url.href, { ...given, accept: 'application/json' }),
    url.href,
  );
  const token = answer['token'] ?? answer['access_token'];
  if (typeof token !== 'string') throw new Failure(`the registry gives no token for ${given.what}`);
  return token;
}
