import { signInCall } from '../../../kit/oauth/signInCall.ts';
import type { GrantFacts, GrantState } from '../../../contracts/credentials.ts';
import type { KeptGrant, GrantRecord, Loss } from './grantRecord.ts';
import { LOSSES } from './losses.ts';

/** Longer than any request for new tokens: a turn that has lasted longer has ended with its process. */
export const MAX_TURN_MS = 90_000;
/** Time before its end from which a token that cannot be refreshed counts as expiring; it is used up to its end. */
const SOON_MS = 300_000;
const SPARE_MS = 30_000;
const SPARE_SHARE = 0.1;

/** Where the definition of the server leads now. */
export interface GrantPlace {
  readonly url: string;
  /** The pinned one; undefined: any. */
  readonly issuer: string | undefined;
}

/** Why a grant cannot be used, though the record may not say so yet; undefined: it can, at least after a refresh. */
export function lossOf({ grant, lost }: GrantRecord, place: GrantPlace, now: number): Loss | undefined {
  if (lost !== undefined) return lost.loss;
  if (grant === undefined) return undefined;
  if (grant.url !== place.url || (place.issuer !== undefined && !isSameIssuer(grant.issuer, place.issuer)))
    return 'moved';
  if (grant.refreshToken === undefined && (grant.expiresAt ?? Infinity) <= now) return 'expired';
  return undefined;
}

/** Whether its access token can be sent: it does not end within the time of a request. */
export function isFresh({ issuedAt, expiresAt, refreshToken }: KeptGrant, now: number): boolean {
  if (expiresAt === undefined) return true;
  const spare = refreshToken === undefined ? 0 : Math.min(SPARE_MS, (expiresAt - issuedAt) * SPARE_SHARE);
  return now < expiresAt - Math.max(spare, 0);
}

/** The state of a grant for people: a function of the record, the definition and the time only.
 *  @param record undefined: there is none @param now in ms since 1970 */
export function grantFacts(record: GrantRecord | undefined, place: GrantPlace, now: number): GrantFacts {
  if (record === undefined) return { state: 'none' };
  const { server, grant, asked, missingScopes } = record;
  const loss = lossOf(record, place, now);
  const state = stateOf(record, loss, now);
  const about = grant === undefined || loss === 'moved' ? {} : aboutGrant(grant, state);
  const reason = reasonFor(record, state, loss);
  const since = sinceOf(record, state, loss);
  const needsPerson = ['asked', 'lost'].includes(state) || missingScopes !== undefined;
  const canNotRefresh = state === 'expiring' && grant?.refreshToken === undefined;
  return {
    state,
    ...(since !== undefined && { since: timeText(since) }),
    ...about,
    ...(reason !== undefined && { reason }),
    ...((needsPerson || canNotRefresh) && { cure: cureFor(server, state === 'asked' ? asked : undefined) }),
    ...(missingScopes !== undefined && state !== 'lost' && { missingScopes }),
  };
}

/** What a person does about it. @param asked a link that was given out and is still of use */
export function cureFor(server: string, asked?: { readonly until: number }): string {
  const call = signInCall(server);
  return asked === undefined
    ? call
    : `open the link that was given out, by ${timeText(asked.until)}, or ${call}`;
}

function stateOf(record: GrantRecord, loss: Loss | undefined, now: number): GrantState {
  const { grant, asked, turn, trouble } = record;
  const isUsable = grant !== undefined && loss === undefined;
  if (!isUsable && asked !== undefined && asked.until > now) return 'asked';
  if (loss !== undefined) return 'lost';
  if (grant === undefined) return 'none';
  if (turn !== undefined && turn.since + MAX_TURN_MS > now) return 'refreshing';
  if (trouble !== undefined) return 'expiring';
  const { expiresAt = Infinity, issuedAt, refreshToken } = grant;
  if (refreshToken !== undefined) return 'valid';
  const soon = Math.min(SOON_MS, (expiresAt - issuedAt) * SPARE_SHARE);
  return expiresAt - now <= soon ? 'expiring' : 'valid';
}

function sinceOf(
  { asked, grant, turn, trouble, lost }: GrantRecord,
  state: GrantState,
  loss: Loss | undefined,
): number | undefined {
  switch (state) {
    case 'none':
      return undefined;
    case 'asked':
      return asked?.at;
    case 'valid':
      return grant?.issuedAt;
    case 'refreshing':
      return turn?.since;
    case 'expiring':
      return trouble?.since ?? grant?.issuedAt;
    case 'lost':
      return lost?.at ?? (loss === 'expired' ? grant?.expiresAt : undefined);
  }
}

function reasonFor(
  { trouble, missingScopes }: GrantRecord,
  state: GrantState,
  loss: Loss | undefined,
): string | undefined {
  if (loss !== undefined) return LOSSES[loss];
  if (state === 'expiring')
    return (
      trouble?.reason ?? 'the authorization server gave no refresh token, so it ends with its access token'
    );
  if (missingScopes !== undefined) return 'a call has lacked scopes that the server wants';
  return undefined;
}

function aboutGrant(
  { expiresAt, refreshAt, issuer, scope }: KeptGrant,
  state: GrantState,
): Pick<GrantFacts, 'expires' | 'nextRefresh' | 'issuer' | 'scope'> {
  const isLost = state === 'lost' || state === 'asked';
  return {
    ...(expiresAt !== undefined && { expires: timeText(expiresAt) }),
    ...(refreshAt !== undefined && !isLost && { nextRefresh: timeText(refreshAt) }),
    issuer,
    ...(scope !== undefined && { scope }),
  };
}

/** A slash at the end does not make it another one. Source: requirement server.schema */
function isSameIssuer(one: string, other: string): boolean {
  return one.replace(/\/$/, '') === other.replace(/\/$/, '');
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
