import type { InboundRequest } from 'pegboard';
import type { PageSignIn } from '../../contracts/oauth.ts';
import { OAuthError } from '../../kit/oauth/oauthError.ts';
import type { Issued } from '../grants/provideIssuing.ts';
import { callerOfSignIn } from '../state/callerOf.ts';
import type { IssuedTokens, SignIn } from '../state/signIn.ts';
import { Params } from '../web/params.ts';

/** Signs people in at pages with an address of their own. The secret is a refresh token that is never rotated: its sign-in ends soon.
 *  @param addressOf the address whose limits count for a request */
export function pageSignIn(
  { grants, signIns, ahead }: Issued,
  addressOf: (request: InboundRequest) => string,
): PageSignIn {
  return {
    redeem: async ({ client, code, verifier, redirectUri, seconds }, request) => {
      const byCode = grants().find(({ type }) => type === 'authorization_code');
      const fields = { code, code_verifier: verifier, redirect_uri: redirectUri };
      const form = new Params(new URLSearchParams(fields));
      const jkt = (): Promise<undefined> => Promise.resolve(undefined);
      const answer = await byCode?.redeem({
        form,
        client,
        hasProof: false,
        jkt,
        address: addressOf(request),
      });
      const secret = String(answer?.body['refresh_token']);
      await answer?.ended?.(true);
      const { signIn } = (await signIns.presented(secret)) ?? {};
      const most = Date.now() + 1_000 * seconds;
      const untilIn = ({ provider }: SignIn): number => Math.min(most, endOf(provider));
      const begun = signIn && (await signIns.change(signIn, (one) => ({ ...one, expiresAt: untilIn(one) })));
      if (begun === undefined)
        throw new OAuthError('invalid_grant', 'the sign-in has ended', { reason: 'sign-in-ended' });
      return secret;
    },
    find: async (secret, client) => {
      const { signIn, generation } = (await signIns.presented(secret)) ?? {};
      if (signIn?.clientId !== client.id || generation !== 'current') return undefined;
      const { id, tokenSet, provider } = signIn;
      ahead.used({ signIn: id, tokenSet, providerExpiresAt: provider.expiresAt });
      return callerOfSignIn(signIn);
    },
  };
}

/** The last moment at which the provider vouches for a person: with a refresh token it is asked again before. */
function endOf({ refreshToken, expiresAt = Infinity }: IssuedTokens): number {
  return refreshToken === undefined ? expiresAt : Infinity;
}
