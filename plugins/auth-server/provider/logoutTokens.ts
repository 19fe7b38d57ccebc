import { isObject, messageOf } from 'pegboard';
import type { Log } from 'pegboard';
import type { Vault } from '../../contracts/vault.ts';
import { OAuthError } from '../../kit/oauth/oauthError.ts';
import { digest } from '../../kit/secrets/secrets.ts';
import type { ProviderLogout } from '../state/peopleSignIns.ts';
import { CLOCK_TOLERANCE_S } from './discoverProvider.ts';
import type { IdentityProvider } from './identityProvider.ts';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const MAX_AGE_S = 600;
/** A token that is early is good for longer. */
const REPLAY_S = MAX_AGE_S + 2 * CLOCK_TOLERANCE_S;
const TYPES: readonly string[] = ['LOGOUT+JWT', 'JWT'];

/** Logout tokens of the identity provider, each good once. Source: https://openid.net/specs/openid-connect-backchannel-1_0.html §2.4, §2.6 */
export class LogoutTokens {
  readonly #provider: IdentityProvider;
  readonly #clientId: () => string;
  readonly #vault: () => Vault;
  readonly #log: Log;

  /** @param clientId this gateway's at the provider @param vault asked at each use */
  constructor(provider: IdentityProvider, clientId: () => string, vault: () => Vault, log: Log) {
    this.#provider = provider;
    this.#clientId = clientId;
    this.#vault = vault;
    this.#log = log;
  }

  /** Runs `end` for what a token says. If that fails, the token stays good.
   *  @throws OAuthError invalid_request for a token that does not count @throws what `end` throws; GatewayError STORE_UNREACHABLE */
  async redeem(token: string, end: (logout: ProviderLogout) => Promise<void>): Promise<void> {
    const { logout, jti } = await this.#verified(token);
    const key = `oauth-logout:${digest(jti)}`;
    if (!(await this.#vault().putIfAbsent(key, 1, REPLAY_S))) throw refusal('logout-token-replayed');
    try {
      await end(logout);
    } catch (error) {
      await this.#vault().delete(key);
      throw error;
    }
  }

  async #verified(token: string): Promise<{ readonly logout: ProviderLogout; readonly jti: string }> {
    const trusted = this.#provider.verification();
    if (trusted === undefined) throw refusal('provider-not-found');
    const { issuer, keys } = trusted;
    const { payload, protectedHeader } = await keys
      .verify(token, {
        issuer,
        audience: this.#clientId(),
        clockTolerance: CLOCK_TOLERANCE_S,
        maxTokenAge: MAX_AGE_S,
        requiredClaims: ['jti', 'events'],
      })
      .catch((error: unknown) => {
        this.#log.debug('a logout token was not accepted', { reason: messageOf(error) });
        throw refusal('logout-token-not-valid');
      });
    const { typ = 'JWT' } = protectedHeader;
    const { sub: subject, sid, jti, events, nonce } = payload;
    const session = typeof sid === 'string' ? sid : undefined;
    if (!TYPES.includes(typ.toUpperCase())) throw refusal('logout-token-type');
    if (!isObject(events) || !isObject(events[EVENT])) throw refusal('logout-token-event');
    // Else an id token could pass for one.
    if (nonce !== undefined) throw refusal('logout-token-nonce');
    if (subject === undefined && session === undefined) throw refusal('logout-token-of-no-one');
    if (typeof jti !== 'string' || jti === '') throw refusal('logout-token-not-valid');
    return { logout: { issuer, subject, session }, jti };
  }
}

function refusal(reason: string): OAuthError {
  return new OAuthError('invalid_request', 'the logout token is not valid', { reason });
}
