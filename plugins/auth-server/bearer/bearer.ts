import type { Caller, InboundRequest, Reply } from 'pegboard';
import { callerKey } from '../../kit/authority/ownerOf.ts';
import type { RateLimit } from '../../kit/http/rateLimit.ts';
import { OAuthError } from '../../kit/oauth/oauthError.ts';
import { SIGNATURE_ALGORITHMS } from '../../contracts/oauth.ts';
import type { IdentityProvider } from '../provider/identityProvider.ts';
import type { Access, AccessTokens } from '../state/accessTokens.ts';
import type { Addresses } from '../web/addresses.ts';
import { countRequest } from '../web/countRequest.ts';
import { discovering } from '../web/discovering.ts';
import type { Refusals } from '../web/refusals.ts';
import type { Possession } from './possession.ts';

export interface BearerParts {
  readonly accessTokens: AccessTokens;
  /** Who an id token of the identity provider speaks of. */
  readonly findIdToken: (token: string) => Caller | undefined | Promise<Caller | undefined>;
  /** Called with the token of each request. */
  readonly used: (access: Access) => void;
  readonly possession: Possession;
  readonly addresses: Addresses;
  readonly provider: IdentityProvider;
  readonly refusals: Refusals;
  /** Limits the requests of each person. */
  readonly personLimit: RateLimit;
}

/** Recognises access tokens, and refuses requests without a caller. Source: RFC 6750, RFC 9449 §7 */
export class Bearer {
  readonly #parts: BearerParts;
  /** Why a request has no caller. */
  readonly #refused = new WeakMap<InboundRequest, OAuthError>();

  constructor(parts: BearerParts) {
    this.#parts = parts;
  }

  /** STAGE.identify. Without a promise if the token was used within the last seconds. */
  identify(request: InboundRequest): undefined | Promise<undefined> {
    if (request.access === 'public' || request.caller !== undefined) return undefined;
    const credentials = /^(bearer|dpop) +([\w.~+/-]+=*) *$/i.exec(request.header('authorization') ?? '');
    if (credentials === null) return undefined;
    const [, scheme = '', token = ''] = credentials;
    const isDpop = scheme.toLowerCase() === 'dpop';
    const found = this.#parts.accessTokens.find(token);
    if (found !== undefined && !(found instanceof Promise) && found.jkt === undefined && !isDpop) {
      request.caller = found.caller;
      this.#parts.used(found);
      return undefined;
    }
    return this.#identifyLater(request, { found, token, isDpop });
  }

  async #identifyLater(request: InboundRequest, { found, token, isDpop }: Pending): Promise<undefined> {
    try {
      const access = await found;
      if (access !== undefined) {
        await this.#parts.possession.ofToken(request, access, token, isDpop);
        this.#parts.used(access);
      }
      request.caller = access?.caller ?? (isDpop ? undefined : await this.#parts.findIdToken(token));
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      this.#refused.set(request, error);
    }
    return undefined;
  }

  /** STAGE.admit. A caller that another plugin has identified suffices. */
  admit(request: InboundRequest): Reply | undefined {
    // Without HTTP it is the local user.
    if (request.access === 'public' || request.method === undefined) return undefined;
    const { personLimit, refusals } = this.#parts;
    try {
      if (request.caller === undefined) refusals.count(request);
      else countRequest(personLimit, callerKey(request.caller));
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      this.#logTooMany(request);
      return error.reply;
    }
    return request.caller === undefined ? this.#refusal(request) : undefined;
  }

  #logTooMany(request: InboundRequest): void {
    const { refusals } = this.#parts;
    const { caller } = request;
    const text = 'request refused: too many requests';
    if (caller === undefined) {
      refusals.writeLimit(text, request, { reason: 'too-many-refused' });
      return;
    }
    // Lines about sign-ins have the same id, and no name.
    const signIn = caller.claims?.['sid'];
    const reason = 'too-many-of-person';
    refusals.write('info', text, request, { reason, ...(signIn !== undefined && { signIn }) });
  }

  #refusal(request: InboundRequest): Reply {
    const { addresses, provider, refusals } = this.#parts;
    const { path = '' } = request;
    const refused = this.#refused.get(request);
    const hasCredentials = request.header('authorization') !== undefined;
    const reason = refused?.reason ?? (hasCredentials ? 'token-not-valid' : 'no-token');
    refusals.write(hasCredentials ? 'info' : 'debug', 'request refused: not signed in', request, { reason });
    if (!provider.isReady) return discovering().reply;
    const description = hasCredentials ? 'Token validation failed' : 'Missing Authorization header';
    // RFC 6750 §3.1: no error code for a request without credentials.
    const fault = hasCredentials ? `, error="invalid_token", error_description="${description}"` : '';
    const bearer = `Bearer resource_metadata="${addresses.documentFor(path)}"${fault}`;
    const { 'www-authenticate': dpop = `DPoP algs="${SIGNATURE_ALGORITHMS.join(' ')}"`, ...others } =
      refused?.headers ?? {};
    return {
      status: 401,
      headers: { 'www-authenticate': `${bearer}, ${dpop}`, 'cache-control': 'no-store', ...others },
      body: refused?.body ?? { error: 'invalid_token', error_description: description },
    };
  }
}

interface Pending {
  readonly found: Access | undefined | Promise<Access | undefined>;
  readonly token: string;
  readonly isDpop: boolean;
}
