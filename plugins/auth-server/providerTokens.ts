import type { Caller } from 'pegboard';
import type { BearerTokens, ProviderTokens } from '../contracts/oauth.ts';
import { bearerIn } from './bearer/bearerIn.ts';
import { living } from './grants/freshIdTokens.ts';
import type { FreshIdTokens } from './grants/freshIdTokens.ts';

/** Tokens to hand on, of callers with a sign-in and of those without.
 *  @param isOfIdToken whether an id token of the identity provider has identified that caller */
export function providerTokens(
  fresh: FreshIdTokens,
  isOfIdToken: (caller: Caller) => boolean,
  others: () => readonly BearerTokens[],
): ProviderTokens {
  return {
    idTokenOf: async (request) => {
      const { caller } = request;
      if (caller === undefined) return undefined;
      const accepted: readonly BearerTokens[] = [
        { tokenOf: () => (isOfIdToken(caller) ? bearerIn(request) : undefined) },
        ...others(),
      ];
      const token = accepted.map((one) => one.tokenOf(request)).find((one) => one !== undefined);
      // A stream may outlive the token that it was opened with.
      return token === undefined ? fresh.of(caller) : living(token);
    },
  };
}
