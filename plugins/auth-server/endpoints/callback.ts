import type { Log } from 'pegboard';
import type { BrowserCookie } from '../../http/contract.ts';
import type { IdentityProvider } from '../provider/identityProvider.ts';
import type { Codes } from '../state/codes.ts';
import type { Flows } from '../state/flows.ts';
import { digest } from '../state/secrets.ts';
import type { Addresses } from '../web/addresses.ts';
import { OAuthError } from '../contract.ts';
import type { Endpoint } from '../web/oauthRoute.ts';
import { Params } from '../web/params.ts';
import { redirectTo } from '../web/redirectTo.ts';
import { errorRedirect } from './errorRedirect.ts';

export interface CallbackParts {
  readonly flows: Flows;
  readonly codes: Codes;
  readonly browsers: BrowserCookie;
  readonly addresses: Addresses;
  readonly provider: () => IdentityProvider;
  readonly log: Log;
}

/** `GET /oauth/callback`: the browser returns from the identity provider; the client gets a code, or the reason why not. */
export function callback({ flows, codes, browsers, addresses, provider, log }: CallbackParts): Endpoint {
  return {
    method: 'GET',
    path: '/oauth/callback',
    handle: async ({ http, request }) => {
      const params = new Params(http.query);
      const state = params.need('state');
      const flow = await flows.take(state);
      if (flow === undefined) throw unknownState(params.get('iss') === addresses.base);
      const browser = browsers.idOf(request);
      const isOther = browser === undefined ? flow.isBound : digest(browser) !== flow.browser;
      if (isOther)
        throw new OAuthError('invalid_request', 'this sign-in began in another browser; begin it again', {
          reason: 'callback-of-other-browser',
        });
      const { clientId, redirectUri, scope, challenge, verifier, nonce } = flow;
      try {
        const { person, provider: tokens } = await provider().redeem(http.query, { state, nonce, verifier });
        const code = await codes.issue({ clientId, redirectUri, scope, challenge, person, provider: tokens });
        return redirectTo(redirectUri, { code, state: flow.state, iss: addresses.base });
      } catch (error) {
        if (!(error instanceof OAuthError)) throw error;
        log.info('sign-in not completed', { client: clientId, reason: error.reason });
        return errorRedirect(addresses, redirectUri, flow.state, error);
      }
    },
  };
}

/** @param isOwnAnswer whether it is what a client gets, which has then registered this address as its own */
function unknownState(isOwnAnswer: boolean): OAuthError {
  return isOwnAnswer
    ? new OAuthError(
        'invalid_request',
        'this redirect URI is that of the gateway itself; the client must register one of its own',
        { reason: 'callback-of-client' },
      )
    : new OAuthError('invalid_request', 'this sign-in is unknown, completed or expired; begin it again', {
        reason: 'state-unknown',
      });
}
