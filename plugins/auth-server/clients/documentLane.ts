import { OAuthError } from '../../kit/oauth/oauthError.ts';
import { recentlyUsed } from '../../kit/limits/recentlyUsed.ts';

const MAX_FETCHES = 50;
/** Fetches that one address may have under way. */
const MAX_OF_ADDRESS = 3;
const MAX_HOSTS = 10_000;
const BURST = 3;
const PER_FETCH_MS = 1_000;

/** The fetches of one kind of metadata documents: how many are under way, in all and for each asking address, and how often each host is
 *  asked. */
export class DocumentLane {
  readonly #now: () => number;
  readonly #underWay = new Map<string, number>();
  #total = 0;
  /** Host → when its next fetch is due at an even rate, in ms since 1970. */
  readonly #dueByHost = recentlyUsed<number>(MAX_HOSTS);

  constructor(now: () => number) {
    this.#now = now;
  }

  /** @param address whose limits count for the request @returns to be called when the fetch has ended
   *  @throws OAuthError if there are too many: rate_limit_exceeded (429) for the host, temporarily_unavailable (503) */
  enter(host: string, address: string): () => void {
    const now = this.#now();
    const due = Math.max(now, this.#dueByHost.get(host) ?? 0);
    if (due - now > (BURST - 1) * PER_FETCH_MS)
      throw busy('rate_limit_exceeded', { status: 429, reason: 'document-rate' });
    const held = this.#underWay.get(address) ?? 0;
    if (held >= MAX_OF_ADDRESS)
      throw busy('temporarily_unavailable', { status: 503, reason: 'document-fetches-of-address' });
    if (this.#total >= MAX_FETCHES)
      throw busy('temporarily_unavailable', { status: 503, reason: 'document-fetches' });
    this.#dueByHost.set(host, due + PER_FETCH_MS);
    this.#underWay.set(address, held + 1);
    this.#total += 1;
    return () => this.#leave(address);
  }

  #leave(address: string): void {
    const left = (this.#underWay.get(address) ?? 0) - 1;
    if (left > 0) this.#underWay.set(address, left);
    else this.#underWay.delete(address);
    this.#total -= 1;
  }
}

function busy(error: string, { status, reason }: { status: number; reason: string }): OAuthError {
  const headers = { 'retry-after': '1' };
  return new OAuthError(error, 'too many client metadata documents are being fetched, please retry', {
    status,
    headers,
    reason,
  });
}
