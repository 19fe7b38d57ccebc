import type { Caller } from 'pegboard';
import type { BearerTokens, ProviderTokens, TokenHolder } from '../contracts/oauth.ts';
import { bearerIn } from './bearer/bearerIn.ts';
import { living } from './grants/freshIdTokens.ts';
import type { FreshIdTokens, TokenKind } from './grants/freshIdTokens.ts';

/** Tokens to hand on, of callers with a sign-in and of those without.
 *  @param isOfIdToken whether an id token of the identity provider has identified that caller */
export function providerTokens(
  fresh: FreshIdTokens,
  isOfIdToken: (caller: Caller) => boolean,
  others: () => readonly BearerTokens[],
): ProviderTokens {
  const of = async (request: TokenHolder, kind: TokenKind): Promise<string | undefined> => {
    const { caller } = request;
    if (caller === undefined) return undefined;
    const isIdToken = isOfIdToken(caller);
    if (isIdToken && kind === 'accessToken') return undefined;
    const accepted: readonly BearerTokens[] = [
      { tokenOf: () => (isIdToken ? bearerIn(request) : undefined) },
      ...others(),
    ];
    const token = accepted.map((one) => one.tokenOf(request)).find((one) => one !== undefined);
    // A stream may outlive the token that it was opened with.
    return token === undefined ? fresh.of(caller, kind) : living(token);
  };
  return {
    idTokenOf: (request) => of(request, 'idToken'),
    accessTokenOf: (request) => of(request, 'accessToken'),
  };
}
