import { GatewayError, fillReferences, messageOf } from 'pegboard';
import { ProxyError, proxyRoutes, readProxy } from 'pegboard/net';
import type { ProxySettings, ProxyRoute } from 'pegboard/net';
import type { SecretSource } from '../../contracts/secrets.ts';
import { fillSecretReferences } from './fillSecretReferences.ts';

export interface ProxyRouteParts {
  readonly config: () => ProxySettings;
  /** Base directory of relative `${file:…}` references. */
  readonly directory: string;
  readonly secrets: () => SecretSource | undefined;
}

/** How requests get to a server: through the proxy of its definition, or as for all servers. This machine is reached without one.
 *  @throws GatewayError CONFIG_INVALID without credentials, CONFIG_REFERENCE; as SecretSource.read() */
export async function routeOf(
  url: URL,
  proxy: string | undefined,
  parts: ProxyRouteParts,
): Promise<ProxyRoute> {
  if (proxy === undefined) return commonRoute(url, parts.config());
  const general = commonRoute(url, { proxy: 'none' });
  if (general.why === '') return general;
  if (proxy === 'none') return { proxy: undefined, why: ', as its definition says' };
  const text = await filled(proxy, parts);
  return { proxy: checked(() => readProxy(text, 'proxy of its definition')), why: '' };
}

/** As for all servers. @throws GatewayError CONFIG_INVALID without credentials */
export function commonRoute(url: URL, config: ProxySettings): ProxyRoute {
  return checked(() => proxyRoutes(config)(url));
}

function checked<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ProxyError)) throw error;
    throw new GatewayError('CONFIG_INVALID', messageOf(error), { cause: error });
  }
}

async function filled(proxy: string, { directory, secrets }: ProxyRouteParts): Promise<string> {
  const found = fillReferences({ proxy }, directory);
  const [fault] = found.faults;
  if (fault !== undefined) throw new GatewayError('CONFIG_REFERENCE', `proxy ${fault.message}`);
  return (await fillSecretReferences(found, secrets(), 'spec')).values['proxy'] ?? '';
}

/** What must not be shown of the proxy, as secretsGiven() takes it. */
export function secretsOfRoute({ proxy }: ProxyRoute): readonly (readonly [string, string])[] {
  if (proxy === undefined || proxy.credentials === '') return [];
  const [user = '', ...password] = proxy.credentials.split(':');
  return [['proxy password', password.join(':') || user]];
}
