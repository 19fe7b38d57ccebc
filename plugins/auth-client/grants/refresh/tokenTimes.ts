import type { KeptGrant } from '../record/grantRecord.ts';

const MAX_LIFE_S = 31_536_000;
const REFRESH_FROM = 0.75;
const REFRESH_TO = 0.9;

/** When an access token ends, and when to ask for the next one: at a moment between 75 % and 90 % of its life, so that many
 *  grants are not refreshed at once. By our clock only: that of the authorization server may differ.
 *  @param issuedAt when it was asked for, in ms since 1970 @param expiresIn as answered. Some authorization servers write 0 for
 *  a token without an end, so it is used until the server refuses it if this is not a number above 0 */
export function tokenTimes(
  issuedAt: number,
  expiresIn: unknown,
): Pick<KeptGrant, 'issuedAt' | 'expiresAt' | 'refreshAt' | 'hasNoLifetime'> {
  if (expiresIn === undefined || expiresIn === null || expiresIn === '') return { issuedAt };
  const seconds = typeof expiresIn === 'string' ? Number(expiresIn) : expiresIn;
  if (typeof seconds !== 'number' || !(seconds > 0)) return { issuedAt, hasNoLifetime: true };
  const lifeMs = Math.min(seconds, MAX_LIFE_S) * 1_000;
  const share = REFRESH_FROM + (REFRESH_TO - REFRESH_FROM) * Math.random();
  return { issuedAt, expiresAt: issuedAt + lifeMs, refreshAt: Math.round(issuedAt + lifeMs * share) };
}
