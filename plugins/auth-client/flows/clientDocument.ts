import { VERSION } from 'pegboard';
import type { GatewayError, JsonObject, Reply } from 'pegboard';
import type { Route } from '../../contracts/http.ts';
import type { ClientConfig } from '../config.ts';
import type { OwnAddresses } from './ownAddresses.ts';

/** The gateway as a client of authorization servers: of its document, and of its registrations. Source: RFC 7591 §2 */
export function ownMetadata(redirectUri: string, base: string): JsonObject {
  return {
    client_name: 'Pegboard',
    client_uri: base,
    redirect_uris: [redirectUri],
    // Required since MCP 2026-07-28; http is only for a gateway on the machine of its browser.
    application_type: redirectUri.startsWith('http:') ? 'native' : 'web',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    software_id: 'pegboard',
    software_version: VERSION,
  };
}

/** `GET /.well-known/oauth-client.json`: the client metadata document, if it is published here. Source: draft-ietf-oauth-client-id-metadata-document */
export function clientDocument(addresses: OwnAddresses, config: () => ClientConfig): Route {
  return {
    method: 'GET',
    path: config().cimd.path,
    access: 'public',
    refusalBody: ({ code, message }: GatewayError) => ({ error: { code, message } }),
    handle: (): Reply => {
      const { base, callback, clientId, publishesDocument } = addresses;
      if (base === undefined || callback === undefined || clientId === undefined || !publishesDocument)
        return { status: 404, body: { error: 'this gateway publishes no client metadata document' } };
      const { scopes: scope } = config().cimd;
      return {
        status: 200,
        headers: { 'cache-control': 'public, max-age=3600', 'access-control-allow-origin': '*' },
        body: {
          client_id: clientId,
          ...ownMetadata(callback, base),
          ...(scope !== '' && { scope }),
        },
      };
    },
  };
}
