import type { JsonObject, Settings } from 'pegboard';
import { signInSettings } from '../kit/http/signInSettings.ts';

/** The plugin's configuration, which also accepts Host and Origin of the gateway's public addresses, for the pages of sign-ins,
 *  and the origins that may use the sign-in. @param config not yet validated */
export function withPublicAddress(config: JsonObject, settings: Settings): JsonObject {
  const { server = {}, mcpClient = {} } = signInSettings(settings);
  const addresses = [
    ...(server.enabled === true ? [server.baseUrl] : []),
    ...(mcpClient.enabled === true ? [mcpClient.publicUrl] : []),
  ].filter((one) => typeof one === 'string' && URL.canParse(one));
  const urls = addresses.map((one) => new URL(one as string));
  const others =
    server.enabled === true && typeof server.allowedOrigins === 'string'
      ? server.allowedOrigins.split(',')
      : [];
  if (urls.length + others.length === 0) return config;
  return {
    ...config,
    allowedHosts: extended(
      config['allowedHosts'],
      urls.map(({ hostname }) => hostname),
    ),
    allowedOrigins: extended(config['allowedOrigins'], [
      ...urls.map(({ origin }) => origin),
      ...others.map((one) => one.trim()),
    ]),
  };
}

/** Whether browsers come here for sign-ins at servers, whatever the transport of clients. */
export function signsInAtServers(settings: Settings): boolean {
  return signInSettings(settings).mcpClient?.enabled === true;
}

/** What is not a list is left for the schema to refuse. */
function extended(list: unknown, more: readonly string[]): unknown {
  if (list !== undefined && !Array.isArray(list)) return list;
  return [...((list ?? []) as readonly unknown[]), ...more.filter((one) => one !== '')];
}
