import { GatewayError, messageOf } from 'pegboard';
import { fillReferences } from 'pegboard/kit';
import { ProxyError, proxyRoutes, readProxy } from 'pegboard/net';
import type { ProxySettings, ProxyRoute } from 'pegboard/net';
import type { UpstreamContext } from './context.ts';
import { fillSecretReferences } from './fillSecretReferences.ts';

/** How requests get to a server: through the proxy of its definition, or as for all servers. This machine is reached without one.
 *  @throws GatewayError CONFIG_INVALID without credentials, CONFIG_REFERENCE; as SecretSource.read() */
export async function routeOf(
  url: URL,
  proxy: string | undefined,
  context: Pick<UpstreamContext, 'config' | 'directory' | 'secrets'>,
): Promise<ProxyRoute> {
  if (proxy === undefined) return commonRoute(url, context.config());
  const general = commonRoute(url, { proxy: 'none' });
  if (general.why === '') return general;
  const text = await filled(proxy, context);
  if (text === 'none') return { proxy: undefined, why: ', as its definition says' };
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

async function filled(
  proxy: string,
  { directory, secrets }: Pick<UpstreamContext, 'directory' | 'secrets'>,
): Promise<string> {
  const found = fillReferences({ proxy }, directory());
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
