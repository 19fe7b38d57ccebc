import { isGatewayError } from 'pegboard';
import type { Log } from 'pegboard';
import { OAuthError } from '../../kit/oauth/oauthError.ts';
import type { LogoutTokens } from '../provider/logoutTokens.ts';
import type { PeopleSignIns } from '../state/peopleSignIns.ts';
import { formParameters } from '../web/oauthRoute.ts';
import type { OAuthEndpoint } from '../web/oauthRoute.ts';

/** `POST /oauth/backchannel-logout`: the identity provider has ended a session of a person, or all of them; so do their sign-ins here.
 *  Source: https://openid.net/specs/openid-connect-backchannel-1_0.html §2.5–2.8 */
export function backchannelLogout(tokens: LogoutTokens, people: PeopleSignIns, log: Log): OAuthEndpoint {
  return {
    method: 'POST',
    path: '/oauth/backchannel-logout',
    handle: async (exchange) => {
      const form = await formParameters(exchange);
      try {
        await tokens.redeem(form.need('logout_token'), async (logout) => {
          const ended = await people.endAtProvider(logout);
          log.info('signed out by the identity provider', { signIns: ended });
        });
      } catch (error) {
        if (!isGatewayError(error)) throw error;
        // A logout that has failed has this status, too.
        throw new OAuthError('temporarily_unavailable', 'the sign-ins could not be ended, please retry', {
          status: 400,
          reason: 'store-unreachable',
        });
      }
      return { status: 200 };
    },
  };
}
