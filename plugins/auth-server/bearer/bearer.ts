import type { InboundRequest, Reply } from 'pegboard';
import { callerKey } from '../../kit/authority/ownerOf.ts';
import type { RateLimit } from '../../kit/http/rateLimit.ts';
import { OAuthError } from '../../kit/oauth/oauthError.ts';
import { SIGNATURE_ALGORITHMS } from '../../contracts/oauth.ts';
import type { Issued } from '../grants/provideIssuing.ts';
import type { IdTokens } from '../provider/idTokens.ts';
import type { Access } from '../state/accessTokens.ts';
import { countRequest } from '../web/countRequest.ts';
import { discovering } from '../web/discovering.ts';
import type { Web } from '../web/web.ts';
import type { Possession } from './possession.ts';

/** Recognises access tokens, and refuses requests without a caller. Source: RFC 6750, RFC 9449 §7 */
export class Bearer {
  readonly #web: Web;
  /** Limits the requests of each person. */
  readonly #personLimit: RateLimit;
  readonly #issued: Issued;
  readonly #possession: Possession;
  readonly #idTokens: IdTokens;
  /** Why a request has no caller. */
  readonly #refused = new WeakMap<InboundRequest, OAuthError>();

  constructor(web: Web, issued: Issued, possession: Possession, idTokens: IdTokens) {
    this.#web = web;
    this.#personLimit = web.limit('perPerson');
    this.#issued = issued;
    this.#possession = possession;
    this.#idTokens = idTokens;
  }

  /** STAGE.identify. Without a promise if the token was used within the last seconds. */
  identify(request: InboundRequest): undefined | Promise<undefined> {
    if (request.access === 'public' || request.caller !== undefined) return undefined;
    const credentials = /^(bearer|dpop) +([\w.~+/-]+=*) *$/i.exec(request.header('authorization') ?? '');
    if (credentials === null) return undefined;
    const [, scheme = '', token = ''] = credentials;
    const isDpop = scheme.toLowerCase() === 'dpop';
    const found = this.#issued.accessTokens.findForCall(token);
    if (found !== undefined && !(found instanceof Promise) && found.jkt === undefined && !isDpop) {
      request.caller = found.caller;
      this.#issued.ahead.used(found);
      return undefined;
    }
    return this.#identifyLater(request, { found, token, isDpop });
  }

  async #identifyLater(request: InboundRequest, { found, token, isDpop }: Pending): Promise<undefined> {
    try {
      const access = await found;
      if (access !== undefined) {
        await this.#possession.ofToken(request, access, token, isDpop);
        this.#issued.ahead.used(access);
      }
      request.caller = access?.caller ?? (isDpop ? undefined : await this.#idTokens.find(token));
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
    try {
      if (request.caller === undefined) this.#web.refusals.count(request);
      else countRequest(this.#personLimit, callerKey(request.caller));
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      this.#logTooMany(request);
      return error.reply;
    }
    return request.caller === undefined ? this.#refusal(request) : undefined;
  }

  #logTooMany(request: InboundRequest): void {
    const { refusals } = this.#web;
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
    const { addresses, refusals } = this.#web;
    const { path = '' } = request;
    const refused = this.#refused.get(request);
    const hasCredentials = request.header('authorization') !== undefined;
    const reason = refused?.reason ?? (hasCredentials ? 'token-not-valid' : 'no-token');
    refusals.write(hasCredentials ? 'info' : 'debug', 'request refused: not signed in', request, { reason });
    if (!this.#idTokens.isReady) return discovering().reply;
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
