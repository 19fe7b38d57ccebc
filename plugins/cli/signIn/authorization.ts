import { randomBytes } from 'node:crypto';
import { plainText } from 'pegboard';
import type { OAuthTokens } from '@modelcontextprotocol/client';
import { Failure, SIGN_IN_FAILED } from '../failure.ts';
import type { Discovered } from './discoverSignIn.ts';
import type { OauthFetch } from './oauthFetch.ts';

export interface AuthorizationParts {
  readonly found: Discovered;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly fetch: OauthFetch;
}
/** Further parameters of the authorization request, such as `prompt`. */
export type Hints = Readonly<Record<string, string | undefined>>;

/** One authorization request: its address, and what becomes of the answer. Source: RFC 6749 §4.1, RFC 7636, RFC 8707, RFC 9207 */
export class Authorization {
  readonly url: string;
  readonly #parts: AuthorizationParts;
  readonly #state: string;
  readonly #verifier: string;

  private constructor(parts: AuthorizationParts, { url, state, verifier }: Begun) {
    this.#parts = parts;
    this.url = url;
    this.#state = state;
    this.#verifier = verifier;
  }

  static async begin(parts: AuthorizationParts, hints: Hints = {}): Promise<Authorization> {
    const { startAuthorization } = await import('@modelcontextprotocol/client');
    const { found, clientId, redirectUri } = parts;
    const { metadata, resource, scope } = found;
    const state = randomBytes(32).toString('base64url');
    const { authorizationUrl, codeVerifier: verifier } = await startAuthorization(metadata.issuer, {
      metadata,
      clientInformation: { client_id: clientId },
      redirectUrl: redirectUri,
      state,
      resource,
      ...(scope !== undefined && { scope }),
    });
    for (const [name, value] of Object.entries(hints))
      if (value !== undefined) authorizationUrl.searchParams.set(name, value);
    return new Authorization(parts, { url: authorizationUrl.href, state, verifier });
  }

  /** Whether an answer belongs to this request. */
  isAnsweredBy(params: URLSearchParams): boolean {
    return params.get('state') === this.#state;
  }

  /** Trades the answer for tokens. @param params of the redirect, whose state was compared @throws Failure (exit code 3) */
  async redeem(params: URLSearchParams): Promise<OAuthTokens> {
    const { validateAuthorizationResponseIssuer: checkIssuer } = await import('@modelcontextprotocol/client');
    const { metadata } = this.#parts.found;
    try {
      checkIssuer({
        iss: params.get('iss') ?? undefined,
        expectedIssuer: metadata.issuer,
        issParameterSupported: metadata.authorization_response_iss_parameter_supported === true,
      });
    } catch {
      throw signInFailed('the answer does not come from the authorization server that was asked');
    }
    const error = params.get('error');
    if (error !== null) throw signInFailed(params.get('error_description') ?? '', error);
    return this.redeemCode(params.get('code') ?? '');
  }

  /** Trades a code that a person typed without the rest of the address. @throws Failure (exit code 3) */
  async redeemCode(code: string): Promise<OAuthTokens> {
    const { OAuthError, exchangeAuthorization } = await import('@modelcontextprotocol/client');
    const { found, clientId, redirectUri, fetch } = this.#parts;
    try {
      return await exchangeAuthorization(found.metadata.issuer, {
        metadata: found.metadata,
        iss: found.metadata.issuer,
        clientInformation: { client_id: clientId },
        authorizationCode: code,
        codeVerifier: this.#verifier,
        redirectUri,
        resource: found.resource,
        fetchFn: fetch,
      });
    } catch (error) {
      if (error instanceof OAuthError) throw signInFailed(error.message, error.code);
      throw signInFailed((error as Error).message);
    }
  }
}

interface Begun {
  readonly url: string;
  readonly state: string;
  readonly verifier: string;
}

/** @param description may be anything, because it comes from an address */
export function signInFailed(description: string, code = ''): Failure {
  const words = [code, description].filter((part) => part !== '').join(': ');
  const line = plainText(words).replaceAll('\n', ' ').slice(0, 300);
  return new Failure(`the sign-in failed: ${line}`, SIGN_IN_FAILED);
}
