import type { GatewayError, Reply } from 'pegboard';
import type { Route } from '../../contracts/http.ts';
import { ownMetadata } from '../../kit/oauth/ownMetadata.ts';
import type { ClientConfig } from '../config.ts';
import type { OwnAddresses } from './ownAddresses.ts';

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
