import { OAuthError } from '../../kit/oauth/oauthError.ts';
import { digest } from '../../kit/secrets/secrets.ts';
import { deviceEnd } from './devicePage.ts';
import type { Devices } from '../state/devices.ts';
import { formParameters } from '../web/oauthRoute.ts';
import type { OAuthEndpoint } from '../web/oauthRoute.ts';
import { errorRedirect } from './errorRedirect.ts';
import { toProvider } from './toProvider.ts';
import type { ProviderLeg } from './toProvider.ts';

/** `POST /oauth/consent`: the person's decision, only from the browser that was shown the page. */
export function consent(leg: ProviderLeg, devices: Devices): OAuthEndpoint {
  return {
    method: 'POST',
    path: '/oauth/consent',
    isForBrowsers: true,
    handle: async (exchange) => {
      const form = await formParameters(exchange);
      const { flow } = (await leg.flows.take('consent', form.get('flow') ?? '', exchange.address)) ?? {};
      const browser = leg.browsers.idOf(exchange.request);
      const isClients = flow !== undefined && 'clientId' in flow;
      if (!isClients || browser === undefined || digest(browser) !== flow.browser) {
        throw new OAuthError(
          'access_denied',
          'this page is not the one that was shown last; begin the sign-in again',
          {
            status: 403,
            reason: 'consent-of-other-browser',
          },
        );
      }
      if (form.get('decision') === 'allow') return toProvider(leg, flow);
      const denied = new OAuthError('access_denied', 'the person did not allow it');
      exchange.logRefusal(denied);
      if ('device' in flow) {
        await devices.decide(flow.device, 'denied');
        return deviceEnd('denied');
      }
      return errorRedirect(leg.addresses, flow.redirectUri, flow.state, denied);
    },
  };
}
