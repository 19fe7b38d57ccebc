import type { Caller, InboundRequest, Log, Reply } from 'pegboard';
import { digest } from '../kit/secrets/secrets.ts';
import { OAuthError } from '../kit/oauth/oauthError.ts';
import { recentlyUsed } from '../kit/limits/recentlyUsed.ts';
import type { AuthorizationServer, BearerTokens, TokenHolder } from '../contracts/oauth.ts';
import type { TrustedIssuers } from './trust/trustedIssuers.ts';

const MAX_KNOWN = 10_000;
/** Then a token is verified again: its key may have been withdrawn. */
const KNOWN_MS = 60_000;

interface Known {
  readonly caller: Caller;
  /** Time in ms since 1970. */
  readonly until: number;
  /** Those of its audiences that were names of this gateway: they can change. */
  readonly own: readonly string[];
}

/** Identifies requests by tokens of trusted issuers. Source: RFC 6750, RFC 9068 */
export class TrustedBearer implements BearerTokens {
  readonly #issuers: TrustedIssuers;
  readonly #server: () => AuthorizationServer;
  readonly #log: Log;
  readonly #known = recentlyUsed<Known>(MAX_KNOWN);
  readonly #callers = new WeakSet<Caller>();

  constructor(issuers: TrustedIssuers, server: () => AuthorizationServer, log: Log) {
    this.#issuers = issuers;
    this.#server = server;
    this.#log = log;
  }

  /** STAGE.identify. Without a promise if the token was accepted within the last minute. */
  identify(request: InboundRequest): undefined | Promise<Reply | undefined> {
    if (request.access === 'public' || request.caller !== undefined) return undefined;
    const token = jwtIn(request);
    if (token === undefined) return undefined;
    const key = digest(token);
    const known = this.#known.get(key);
    if (known === undefined || !this.#isStillGood(known)) return this.#identifyLater(request, token, key);
    request.caller = known.caller;
    return undefined;
  }

  /** Whether its caller was identified here. */
  isOf({ caller }: InboundRequest): boolean {
    return caller !== undefined && this.#callers.has(caller);
  }

  tokenOf(request: TokenHolder): string | undefined {
    const { caller } = request;
    return caller !== undefined && this.#callers.has(caller) ? jwtIn(request) : undefined;
  }

  #isStillGood({ until, own }: Known): boolean {
    const server = this.#server();
    return until > Date.now() && (own.length === 0 || own.some((name) => server.isOwn(name)));
  }

  /** Without a caller, another plugin refuses the request. */
  async #identifyLater(request: InboundRequest, token: string, key: string): Promise<Reply | undefined> {
    if (!this.#issuers.names(token)) return undefined;
    try {
      const person = await this.#issuers.verify(token, 'bearer');
      const caller = await this.#server().callerOf(person);
      this.#callers.add(caller);
      const own = textsIn(person.claims['aud']).filter((name) => this.#server().isOwn(name));
      this.#known.set(key, { caller, until: Math.min(person.expiresAt, Date.now() + KNOWN_MS), own });
      request.caller = caller;
      return undefined;
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      const facts = { reason: error.reason, request: request.id };
      this.#log.debug('a token of a trusted issuer was refused', facts);
      return error.status === 503 ? error.reply : undefined;
    }
  }
}

function jwtIn(request: Pick<TokenHolder, 'header'>): string | undefined {
  return /^bearer +([\w-]+\.[\w-]+\.[\w-]+) *$/i.exec(request.header('authorization') ?? '')?.[1];
}

function textsIn(value: unknown): readonly string[] {
  return [value].flat().filter((one) => typeof one === 'string');
}
