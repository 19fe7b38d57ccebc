import { decodeJwt } from 'jose';
import type { GuardedServer } from '../../../contracts/credentials.ts';
import { gatewaySignInNeeded } from './gatewaySignInNeeded.ts';
import { heldToken } from './heldToken.ts';
import type { HeldToken } from './heldToken.ts';

/** The caller's token of the identity provider, byte for byte. @throws GatewayError UPSTREAM_AUTH_REQUIRED if it is not for all of
 *  requiredAudiences, or has ended. Source: requirement server.schema */
export function forwardedToken({ name, auth }: GuardedServer, idToken: string): HeldToken {
  const { aud = [], exp } = claimsOf(name, idToken);
  const audiences = typeof aud === 'string' ? [aud] : aud;
  const missing = auth.requiredAudiences.filter((audience) => !audiences.includes(audience));
  if (missing.length > 0)
    throw gatewaySignInNeeded(
      name,
      `your sign-in at this gateway lacks the audience ${missing.join(', ')}; sign in to this gateway again`,
    );
  const endsAt = exp === undefined ? undefined : exp * 1_000;
  if ((endsAt ?? Infinity) <= Date.now())
    throw gatewaySignInNeeded(
      name,
      'your sign-in at the identity provider has ended; sign in to this gateway again',
    );
  return heldToken(idToken, endsAt);
}

function claimsOf(server: string, token: string): ReturnType<typeof decodeJwt> {
  try {
    return decodeJwt(token);
  } catch {
    throw gatewaySignInNeeded(server, 'the token of your sign-in is not a JWT; ask the administrator');
  }
}
