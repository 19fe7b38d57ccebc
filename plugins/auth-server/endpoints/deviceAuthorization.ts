import { RateLimit } from '../../kit/http/rateLimit.ts';
import { OAuthError } from '../../kit/oauth/oauthError.ts';
import { authenticate } from '../clients/authenticate.ts';
import type { Clients } from '../clients/clients.ts';
import { refuseGrantType } from '../clients/refuseGrantType.ts';
import type { ServerConfig } from '../config.ts';
import { scopeOf } from './scopeOf.ts';
import type { Addresses } from '../web/addresses.ts';
import { countRequest } from '../web/countRequest.ts';
import { refuseOtherResource } from '../web/refuseOtherResource.ts';
import { formParameters } from '../web/oauthRoute.ts';
import type { OAuthEndpoint } from '../web/oauthRoute.ts';
import { DEVICE_CODE, DEVICE_S, POLL_S } from '../state/devices.ts';
import type { Devices } from '../state/devices.ts';

/** Devices that may wait at once: those of one address, and those of all at this process. */
const MAX_WAITING = { ofOne: 20, ofAll: 1_000 };

/** `POST /oauth/device_authorization`: a device without a browser asks for codes. Source: RFC 8628 §3.1 */
export function deviceAuthorization(
  clients: Clients,
  devices: Devices,
  addresses: Addresses,
  config: () => ServerConfig,
): OAuthEndpoint {
  const ofOne = new RateLimit(() => MAX_WAITING.ofOne, DEVICE_S);
  const ofAll = new RateLimit(() => MAX_WAITING.ofAll, DEVICE_S);
  return {
    method: 'POST',
    path: '/oauth/device_authorization',
    handle: async (exchange) => {
      refuseDevices(config());
      const { request, address } = exchange;
      const form = await formParameters(exchange);
      const client = await authenticate(
        (id) => clients.find(id, address),
        form,
        request.header('authorization'),
      );
      refuseGrantType(client, DEVICE_CODE);
      const scope = scopeOf(form, client, config().idp.scopes);
      refuseOtherResource(form, addresses, `resource must be ${addresses.audience}`);
      countRequest(ofOne, address);
      if (!ofAll.admits(''))
        throw OAuthError.unavailable('too many devices wait', 'devices-full', ofAll.secondsLeft(''));
      const { deviceCode, userCode } = await devices.begin({ clientId: client.id, scope, address });
      const page = addresses.at('/oauth/device');
      return {
        status: 200,
        body: {
          device_code: deviceCode,
          user_code: userCode,
          verification_uri: page,
          verification_uri_complete: `${page}?user_code=${userCode}`,
          expires_in: DEVICE_S,
          interval: POLL_S,
        },
      };
    },
  };
}

/** @throws OAuthError (403) unless devices may be signed in at all */
export function refuseDevices({ allowDeviceFlow }: Pick<ServerConfig, 'allowDeviceFlow'>): void {
  if (allowDeviceFlow) return;
  throw new OAuthError('access_denied', 'devices without a browser cannot be signed in here', {
    status: 403,
    reason: 'device-flow-off',
  });
}
