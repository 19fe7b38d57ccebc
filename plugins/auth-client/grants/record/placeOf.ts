import type { GuardedServer } from '../../../contracts/credentials.ts';
import type { Place } from './grantFacts.ts';

/** What a grant must fit. */
export function placeOf({ url, auth }: Pick<GuardedServer, 'url' | 'auth'>): Place {
  return { url, issuer: auth.authorizationServer?.issuer };
}
