import type { InboundRequest, Log, Reply } from 'pegboard';
import type { Access, AccessTokens } from '../state/accessTokens.ts';
import type { Addresses } from '../web/addresses.ts';
import { OAuthError } from '../web/oauthError.ts';

const DISCOVERY_RETRY_S = '30';

export interface BearerParts {
  readonly accessTokens: AccessTokens;
  readonly addresses: Addresses;
  readonly isProviderReady: () => boolean;
  /** @throws OAuthError if the token is bound to a key and the proof for it is missing or wrong */
  readonly checkProof: (
    request: InboundRequest,
    access: Access,
    token: string,
    scheme: string,
  ) => Promise<void> | undefined;
  readonly log: Log;
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
    const authorization = request.header('authorization');
    const [, scheme = '', token = ''] = /^(bearer|dpop) +([\w.~+/=-]+) *$/i.exec(authorization ?? '') ?? [];
    if (token === '') return undefined;
    const found = this.#parts.accessTokens.find(token);
    if (!(found instanceof Promise) && (found === undefined || found.jkt === undefined) && !isDpop(scheme)) {
      request.caller = found?.caller;
      return undefined;
    }
    return this.#identifyLater(request, found, token, scheme);
  }

  async #identifyLater(
    request: InboundRequest,
    pending: Access | undefined | Promise<Access | undefined>,
    token: string,
    scheme: string,
  ): Promise<undefined> {
    const found = await pending;
    if (found === undefined) return undefined;
    try {
      await this.#parts.checkProof(request, found, token, scheme);
      request.caller = found.caller;
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      this.#refused.set(request, error);
    }
    return undefined;
  }

  /** STAGE.admit. Any plugin's caller suffices. */
  admit(request: InboundRequest): Reply | undefined {
    const isHttp = request.method !== undefined;
    if (request.caller !== undefined || request.access === 'public' || !isHttp) return undefined;
    const { addresses, isProviderReady, log } = this.#parts;
    const { path = '' } = request;
    const refused = this.#refused.get(request);
    const hasCredentials = request.header('authorization') !== undefined;
    const reason = refused?.reason ?? (hasCredentials ? 'token-not-valid' : 'no-token');
    log[hasCredentials ? 'info' : 'debug']('request refused: not signed in', { path, reason });
    if (!isProviderReady()) {
      const body = {
        error: 'service_unavailable',
        error_description: 'OIDC discovery in progress, please retry',
      };
      return { status: 503, headers: { 'retry-after': DISCOVERY_RETRY_S }, body };
    }
    const body = hasCredentials
      ? { error: 'invalid_token', error_description: 'Token validation failed' }
      : { error: 'invalid_token', error_description: 'Missing Authorization header' };
    const metadata = `resource_metadata="${addresses.documentFor(path)}"`;
    // RFC 6750 §3.1: no error code for a request without credentials.
    const fault = hasCredentials
      ? `, error="invalid_token", error_description="${body.error_description}"`
      : '';
    return {
      status: 401,
      headers: { 'www-authenticate': `Bearer ${metadata}${fault}`, 'cache-control': 'no-store' },
      body,
    };
  }
}

function isDpop(scheme: string): boolean {
  return scheme.toLowerCase() === 'dpop';
}
