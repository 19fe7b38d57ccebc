import { errors } from 'jose';
import type { Log } from 'pegboard';
import { GuardedFetchError } from 'pegboard/net';
import type { GuardedFetch } from 'pegboard/net';
import * as client from 'openid-client';
import type { ProviderConfig } from '../config.ts';
import type { Identity, IssuedTokens, Person } from '../state/signIn.ts';
import { discovering } from '../web/discovering.ts';
import { OAuthError } from '../../kit/oauth/oauthError.ts';
import { CLOCK_TOLERANCE_S, discoverProvider } from './discoverProvider.ts';
import { GroupFaults } from './groupFaults.ts';
import { claimsOf, personAfter, toPerson } from './personOf.ts';
import type { Claims, Tokens } from './personOf.ts';
import { providerFault } from './providerFault.ts';
import { ProviderKeys, isUnverified } from './providerKeys.ts';
import { providerRefusal } from './providerRefusal.ts';
import { RefusedRefresh } from './refusedRefresh.ts';
import { signInUrl } from './signInUrl.ts';
import type { ProviderQuestion } from './signInUrl.ts';

const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;
const REDISCOVER_MS = 3_600_000;
const RETRY_AFTER_S = 30;
/** Reasons of guardedFetch that pass. */
const NO_ANSWER: readonly string[] = ['unresolved', 'unreachable', 'timeout'];

export interface Verification {
  readonly issuer: string;
  readonly keys: ProviderKeys;
  readonly groupsClaim: string;
}

/** The identity provider at which people sign in, through openid-client. Its discovery may fail: it is repeated until it works. */
export class IdentityProvider {
  readonly #idp: ProviderConfig;
  readonly #redirectUri: string;
  readonly #fetch: GuardedFetch;
  readonly #log: Log;
  #configuration: client.Configuration | undefined;
  #keys: ProviderKeys | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  readonly #groupFaults: GroupFaults;
  readonly #refusedRefresh = new RefusedRefresh();

  constructor(idp: ProviderConfig, redirectUri: string, fetch: GuardedFetch, log: Log) {
    this.#idp = idp;
    this.#redirectUri = redirectUri;
    this.#fetch = fetch;
    this.#log = log;
    this.#groupFaults = new GroupFaults(log);
  }

  get isReady(): boolean {
    return this.#configuration !== undefined;
  }

  /** Begins discovery; repeats it after failures, and every hour. @param clientSecret reads it, for each request */
  start(clientSecret: () => string): void {
    void this.#discover(clientSecret, FIRST_RETRY_MS);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Where the browser goes to sign in. @throws OAuthError temporarily_unavailable */
  async signInAddress(question: ProviderQuestion): Promise<string> {
    return (await signInUrl(this.#ready(), this.#idp, this.#redirectUri, question)).href;
  }

  /** Where the browser goes to end its session there; undefined if the provider offers no such address, or has not been found.
   *  Source: https://openid.net/specs/openid-connect-rpinitiated-1_0.html §2 */
  logoutAddress(asked: Readonly<Record<string, string>>): string | undefined {
    const configuration = this.#configuration;
    if (configuration?.serverMetadata().end_session_endpoint === undefined) return undefined;
    return client.buildEndSessionUrl(configuration, asked).href;
  }

  /** Redeems the provider's code, and verifies its answer: signature, iss, aud, azp, exp, iat, nonce, auth_time if max_age was asked.
   *  @param query of the redirect to /oauth/callback @throws OAuthError */
  async redeem(
    query: URLSearchParams,
    asked: Pick<ProviderQuestion, 'state' | 'nonce' | 'verifier' | 'hints'> & { readonly begunAt: number },
  ): Promise<Identity> {
    const configuration = this.#ready();
    const current = new URL(this.#redirectUri);
    current.search = query.toString();
    try {
      const tokens = await client.authorizationCodeGrant(configuration, current, {
        expectedState: asked.state,
        expectedNonce: asked.nonce,
        pkceCodeVerifier: asked.verifier,
        idTokenExpected: true,
      });
      await this.#verify(tokens);
      refuseOldLogin(tokens, asked.hints['max_age'] ?? this.#idp.parameters['max_age'], asked.begunAt);
      const { sub: subject = '' } = tokens.claims() ?? {};
      const claims = (await claimsOf(configuration, tokens, subject, this.#idp.groupsClaim)) ?? {};
      const provider = tokensOf(tokens, tokens.id_token ?? '', undefined);
      return { person: this.#person(claims, subject), provider };
    } catch (error) {
      throw this.#refusal('sign-in', error);
    }
  }

  /** New tokens, and the person as the provider describes them now. While the id token cannot be verified, the person and the former one
   *  stay: many providers accept each refresh token only once, so what they have issued must not be lost.
   *  @throws OAuthError invalid_grant if the provider has ended the sign-in, temporarily_unavailable (503) else */
  async refresh({ person, provider: before }: Identity): Promise<Identity> {
    const configuration = this.#ready();
    try {
      const tokens = await client.refreshTokenGrant(configuration, before.refreshToken ?? '');
      const isVerified = await this.#canVerify(tokens);
      const subject = tokens.claims()?.sub;
      if (subject !== undefined && subject !== person.subject)
        throw new OAuthError('invalid_grant', 'the identity provider answered for another person', {
          reason: 'provider-subject',
        });
      const idToken = isVerified ? tokens.id_token : undefined;
      const provider = tokensOf(tokens, idToken ?? before.idToken, before.refreshToken);
      return { person: isVerified ? await this.#personNow(configuration, tokens, person) : person, provider };
    } catch (error) {
      const ended = await this.#refusedRefresh.end(error, before.refreshToken ?? '');
      const refused = this.#refusal('refresh', error);
      if (ended !== undefined || refused.error === 'invalid_grant') throw ended ?? refused;
      throw unavailable(refused.reason);
    }
  }

  /** Signature and time of an id token; openid-client has compared its claims. @throws what ProviderKeys.verify() throws */
  async #verify(tokens: Tokens): Promise<void> {
    refuseFuture(tokens);
    const { keys } = this.verification() ?? {};
    if (tokens.id_token !== undefined)
      await keys?.verify(tokens.id_token, { clockTolerance: CLOCK_TOLERANCE_S });
  }

  /** @returns whether the id token could be verified @throws if it is forged */
  async #canVerify(tokens: Tokens): Promise<boolean> {
    try {
      await this.#verify(tokens);
      return true;
    } catch (error) {
      if (error instanceof OAuthError || !isUnverified(error)) throw error;
      const reason = providerFault(error);
      this.#log.warn(
        'an id token cannot be verified yet; the person stays as before until the next refresh',
        { reason },
      );
      return false;
    }
  }

  /** What cannot be asked stays as it was: the tokens have been exchanged, and must not be lost. */
  async #personNow(configuration: client.Configuration, tokens: Tokens, before: Person): Promise<Person> {
    const { groupsClaim } = this.#idp;
    try {
      const claims = await claimsOf(configuration, tokens, before.subject, groupsClaim);
      return claims === undefined ? before : personAfter(before, this.#person(claims, before.subject));
    } catch (error) {
      const reason = providerFault(error);
      this.#log.warn('a person could not be read again; their groups stay until the next refresh', {
        reason,
      });
      return before;
    }
  }

  #person(claims: Claims, subject: string): Person {
    const { issuer } = this.#ready().serverMetadata();
    const { groupsClaim } = this.#idp;
    this.#groupFaults.tell(claims, groupsClaim, subject);
    return toPerson({ ...claims, sub: subject }, issuer, groupsClaim);
  }

  /** Best effort: the provider need not offer it, and its answer does not matter. Source: RFC 7009 */
  revoke({ refreshToken, accessToken }: IssuedTokens): void {
    const configuration = this.#configuration;
    if (configuration?.serverMetadata().revocation_endpoint === undefined) return;
    client.tokenRevocation(configuration, refreshToken ?? accessToken).catch((error: unknown) => {
      this.#log.debug('the identity provider did not revoke a token', { reason: providerFault(error) });
    });
  }

  /** Undefined before discovery. */
  get issuer(): string | undefined {
    return this.#configuration?.serverMetadata().issuer;
  }

  /** What verifies its id tokens; undefined before discovery. */
  verification(): Verification | undefined {
    const { issuer, jwks_uri: uri } = this.#configuration?.serverMetadata() ?? {};
    if (issuer === undefined || uri === undefined) return undefined;
    if (this.#keys?.uri !== uri) this.#keys = new ProviderKeys(uri, this.#fetch);
    return { issuer, keys: this.#keys, groupsClaim: this.#idp.groupsClaim };
  }

  /** @throws OAuthError temporarily_unavailable */
  #ready(): client.Configuration {
    if (this.#configuration === undefined) throw discovering();
    return this.#configuration;
  }

  async #discover(clientSecret: () => string, retryMs: number): Promise<void> {
    const log = this.#log;
    const { issuerUrl } = this.#idp;
    let nextMs = REDISCOVER_MS;
    let retryNextMs = FIRST_RETRY_MS;
    try {
      const found = await discoverProvider(this.#idp, clientSecret, this.#fetch);
      if (this.#configuration === undefined) log.info('identity provider found', { issuer: issuerUrl });
      this.#configuration = found;
    } catch (error) {
      const text =
        this.#configuration === undefined
          ? 'sign-in is degraded: the identity provider cannot be discovered'
          : 'the identity provider cannot be discovered again; its last addresses are used';
      log.warn(text, { issuer: issuerUrl, reason: providerFault(error), retryMs });
      nextMs = retryMs;
      retryNextMs = Math.min(retryMs * 2, MAX_RETRY_MS);
    }
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => void this.#discover(clientSecret, retryNextMs), nextMs);
    this.#timer.unref();
  }

  #refusal(step: string, error: unknown): OAuthError {
    if (error instanceof OAuthError) return error;
    const refused = providerRefusal(error);
    this.#log.warn('the identity provider did not complete a request', {
      step,
      reason: providerFault(error),
      ...refused?.told,
    });
    if (refused !== undefined) return refused.error;
    if (error instanceof client.ClientError && !isTransient(error)) return untrusted();
    if (error instanceof errors.JWKSNoMatchingKey || !isUnverified(error)) return untrusted();
    return unavailable('provider-unreachable');
  }
}

/** A fault of the network, or an answer that is not the protocol's (502 of a proxy). */
function isTransient({ code, cause }: client.ClientError): boolean {
  if (cause instanceof GuardedFetchError) return NO_ANSWER.includes(cause.reason);
  const status = cause instanceof Response ? cause.status : 0;
  if (status >= 400 && status < 500 && status !== 429) return false;
  return ['OAUTH_TIMEOUT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON'].includes(
    code ?? '',
  );
}

function unavailable(reason: string): OAuthError {
  return OAuthError.unavailable('the identity provider cannot be reached', reason, RETRY_AFTER_S);
}

function tokensOf(tokens: Tokens, idToken: string, formerRefresh: string | undefined): IssuedTokens {
  const refreshToken = tokens.refresh_token ?? formerRefresh;
  const seconds = tokens.expiresIn();
  return {
    idToken,
    accessToken: tokens.access_token,
    ...(refreshToken !== undefined && { refreshToken }),
    ...(seconds !== undefined && { expiresAt: Date.now() + seconds * 1_000 }),
  };
}

/** openid-client does not look at iat. @throws OAuthError server_error for an id token from the future */
function refuseFuture(tokens: client.TokenEndpointResponseHelpers): void {
  const { iat = 0 } = tokens.claims() ?? {};
  if (iat > Date.now() / 1_000 + CLOCK_TOLERANCE_S) throw untrusted();
}

/** @param begunAt when the person was sent to the provider, in ms since 1970: how long they take there does not count
 *  @throws OAuthError login_required if the person had not signed in within so many seconds before, or the provider does not say when.
 *  Source: https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest */
function refuseOldLogin(
  tokens: client.TokenEndpointResponseHelpers,
  maxAge: string | undefined,
  begunAt: number,
): void {
  if (maxAge === undefined) return;
  const { auth_time: at } = tokens.claims() ?? {};
  if (at !== undefined && at + Number(maxAge) >= begunAt / 1_000 - CLOCK_TOLERANCE_S) return;
  throw new OAuthError('login_required', 'the identity provider did not sign the person in within max_age', {
    reason: at === undefined ? 'auth-time-missing' : 'auth-time-too-old',
  });
}

function untrusted(): OAuthError {
  return new OAuthError('server_error', 'the answer of the identity provider cannot be trusted', {
    reason: 'provider-answer',
  });
}
