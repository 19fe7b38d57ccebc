import type { Log } from 'pegboard';
import { recentlyUsed } from '../../kit/limits/recentlyUsed.ts';
import { loggedSubject } from '../../kit/oauth/loggedSubject.ts';
import { MAX_GROUPS, claimAt } from './personOf.ts';
import type { Claims } from './personOf.ts';

const MAX_TOLD = 10_000;

/** Says once for each person why some of their groups do not count. */
export class GroupFaults {
  readonly #log: Log;
  readonly #told = recentlyUsed<true>(MAX_TOLD);

  constructor(log: Log) {
    this.#log = log;
  }

  tell(claims: Claims, groupsClaim: string, subject: string): void {
    const fault = faultOf(claims, groupsClaim);
    if (fault === undefined || this.#told.has(subject)) return;
    this.#told.set(subject, true);
    this.#log.warn(`a person ${fault}`, { person: loggedSubject(subject), claim: groupsClaim });
  }
}

function faultOf(claims: Claims, groupsClaim: string): string | undefined {
  const groups = claimAt(claims, groupsClaim);
  if (Array.isArray(groups) && groups.length > MAX_GROUPS)
    return `has ${groups.length} groups, of which the first ${MAX_GROUPS} count; let the provider send only those of this application`;
  if (groups !== undefined || claimAt(claims, `_claim_names.${groupsClaim}`) === undefined) return undefined;
  return 'has more groups than the provider puts into a token, so none counts; let it send only those that are assigned to this application';
}
