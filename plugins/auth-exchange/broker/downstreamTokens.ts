import { LRUCache } from 'lru-cache';
import { canonicalJson } from 'pegboard';
import { digest } from '../../kit/secrets/secrets.ts';
import { OAuthError } from '../../kit/oauth/oauthError.ts';
import type { Downstream, DownstreamToken } from '../../kit/oauth/downstream.ts';
import type { ExchangeTarget } from '../../kit/oauth/exchangeTarget.ts';
import type { TrustedToken } from '../trust/trustedIssuers.ts';

const MAX_CHARS = 16_000_000;
/** Most exchanges at a time, of different subjects and targets. */
const MAX_FLIGHTS = 200;
/** Time by which a downstream token must outlast its use, so that a client can still use what it gets. */
const MARGIN_MS = 60_000;
/** Claims that differ between two tokens that say the same about a person. */
const OF_ONE_TOKEN = ['iat', 'exp', 'nbf', 'jti', 'nonce', 'at_hash', 'c_hash', 's_hash'];

/** A subject token as the client sent it, and what it says. */
export interface Subject {
  readonly token: string;
  /** As a URI of RFC 8693 §3. */
  readonly type: string;
  readonly facts: TrustedToken;
}
interface Kept {
  readonly issued: DownstreamToken;
  /** Time in ms since 1970, by the clock of expiries: the one of LRUCache stops while the machine sleeps. */
  readonly until: number;
}

/** Downstream tokens in use, by target and by what the subject token says: a person who has lost a group gets no token that was issued
 *  while they had it. Equal requests at one time make one exchange. */
export class DownstreamTokens {
  readonly #downstream: Downstream;
  readonly #known = new LRUCache<string, Kept>({
    maxSize: MAX_CHARS,
    sizeCalculation: ({ issued }) => issued.token.length + 500,
  });
  readonly #flights = new Map<string, Promise<DownstreamToken>>();

  constructor(downstream: Downstream) {
    this.#downstream = downstream;
  }

  /** @throws OAuthError as Downstream.exchange(); temporarily_unavailable (503) if there are too many at a time */
  async get(target: ExchangeTarget, subject: Subject): Promise<DownstreamToken> {
    const key = keyOf(target, subject);
    const known = this.#known.get(key);
    if (known !== undefined && known.until > Date.now()) return known.issued;
    let flight = this.#flights.get(key);
    if (flight === undefined) {
      if (this.#flights.size >= MAX_FLIGHTS)
        throw OAuthError.unavailable('too many exchanges are under way', 'exchanges-full', 1);
      flight = this.#exchange(target, subject, key).finally(() => this.#flights.delete(key));
      this.#flights.set(key, flight);
    }
    return flight;
  }

  async #exchange(
    target: ExchangeTarget,
    { token, type, facts }: Subject,
    key: string,
  ): Promise<DownstreamToken> {
    const issued = await this.#downstream.exchange(target, token, type);
    const until = Math.min(issued.expiresAt - MARGIN_MS, facts.expiresAt);
    if (until > Date.now()) this.#known.set(key, { issued, until });
    return issued;
  }
}

function keyOf({ name }: ExchangeTarget, { type, facts }: Subject): string {
  const { issuer, subject, claims } = facts;
  const lasting = Object.entries(claims).filter(([claim]) => !OF_ONE_TOKEN.includes(claim));
  const text = canonicalJson([name, type, issuer, subject, Object.fromEntries(lasting)]);
  return digest(text);
}
