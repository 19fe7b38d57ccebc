import type { Invocation } from 'pegboard';
import type { AuthProvider } from '@modelcontextprotocol/client';
import type { NamedEndpoint } from '../endpointOf.ts';
import { Failure } from '../failure.ts';
import { SignInNeeded } from '../signInNeeded.ts';
import { localToken, refuseForLocalToken } from './localToken.ts';
import { oauthFetch } from './oauthFetch.ts';
import type { OauthFetch } from './oauthFetch.ts';
import { TokenFile, newTokens } from './tokenFile.ts';
import type { StoredTokens } from './tokenFile.ts';

const EARLY_MS = 60_000;
const EARLY_PART = 0.1;

/** The stored sign-in at a gateway, renewed when it is due; by one process at a time. Before it comes the local token. */
export class StoredSignIn implements AuthProvider {
  readonly #invocation: Invocation;
  readonly #endpoint: NamedEndpoint;
  readonly #file: TokenFile;
  #sent: string | undefined;

  constructor(invocation: Invocation, endpoint: NamedEndpoint) {
    this.#invocation = invocation;
    this.#endpoint = endpoint;
    this.#file = new TokenFile(invocation.directory, endpoint.url);
  }

  /** @throws Failure if a renewal is due and is not possible now; fetch's error if the gateway is away */
  async token(): Promise<string | undefined> {
    const local = await localToken(this.#invocation, this.#endpoint);
    return local ?? (this.#sent = (await this.tokens())?.access_token);
  }

  /** What is stored, after a renewal if it is due. @throws as token() */
  async tokens(): Promise<StoredTokens | undefined> {
    const tokens = await this.#file.read();
    if (tokens?.access_token === undefined || !isDue(tokens)) return tokens;
    return this.#renewed(tokens.access_token, Date.parse(tokens.expiry) > Date.now());
  }

  /** A token was refused: renews it, unless another process has. @throws Failure (exit code 2: a sign-in is needed), and as token() */
  async onUnauthorized({ response }: { readonly response: Response }): Promise<void> {
    await refuseForLocalToken(response);
    const sent = this.#sent;
    const stored = await this.#file.read();
    const isOld = sent !== undefined && stored?.access_token === sent;
    const next = isOld ? await this.#renewed(sent, false) : stored;
    if (next?.access_token === undefined) throw new SignInNeeded(this.#endpoint, stored !== undefined);
  }

  /** @param old the access token that is due or was refused @param isValid whether it may be used while it cannot be renewed */
  #renewed(old: string, isValid: boolean): Promise<StoredTokens | undefined> {
    return this.#file.locked(async () => {
      const tokens = await this.#file.read();
      // Another process was first.
      if (tokens?.access_token !== old) return tokens;
      try {
        const next = await renew(tokens, await oauthFetch(this.#invocation));
        await this.#file.write(next);
        return next;
      } catch (error) {
        if (isValid) return tokens;
        throw error;
      }
    });
  }
}

function isDue({ expiry, refreshed_at: since }: StoredTokens): boolean {
  const lifetime = Date.parse(expiry) - Date.parse(since);
  return Date.parse(expiry) - Math.min(EARLY_MS, EARLY_PART * lifetime) <= Date.now();
}

/** @returns the new tokens, without an access token if the sign-in is over */
async function renew(tokens: StoredTokens, fetch: OauthFetch): Promise<StoredTokens> {
  const { access_token, refresh_token, ...rest } = tokens;
  if (access_token === undefined || refresh_token === undefined) return rest;
  const { OAuthError, refreshAuthorization } = await import('@modelcontextprotocol/client');
  const { issuer_url: issuer, token_endpoint, client_id, resource } = tokens;
  try {
    const answer = await refreshAuthorization(issuer, {
      metadata: {
        issuer,
        token_endpoint,
        authorization_endpoint: issuer,
        response_types_supported: ['code'],
      },
      clientInformation: { client_id },
      refreshToken: refresh_token,
      resource,
      fetchFn: fetch,
    });
    return newTokens(answer, rest, tokens);
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    if (error.code === 'invalid_grant' || error.code === 'invalid_client') return rest;
    const failure = new Failure(`the sign-in cannot be renewed now: ${error.message.slice(0, 300)}`);
    // As of a gateway that is away for a moment.
    throw Object.assign(failure, { data: { status: 503 } });
  }
}
