import type { GuardedServer } from '../../../contracts/credentials.ts';
import type { GrantPlace } from './grantFacts.ts';

/** What a grant must fit. */
export function grantPlaceOf({ url, auth }: Pick<GuardedServer, 'url' | 'auth'>): GrantPlace {
  return { url, issuer: auth.authorizationServer?.issuer };
}
