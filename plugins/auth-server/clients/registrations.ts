import type { Vault } from '../../contracts/vault.ts';
import { OAuthError } from '../../kit/oauth/oauthError.ts';
import type { OAuthClient } from '../../contracts/oauth.ts';
import { digest, newSecret } from '../../kit/secrets/secrets.ts';

const PREFIX = 'oauth-client:';
const MAX_ID_CHARS = 100;
/** Size of a client's record as JSON: 10,000 of them stay below 20 MB. */
const MAX_RECORD_BYTES = 1_700;
const MAX_CLIENTS = 10_000;
const DAY_MS = 86_400_000;

/** As in the vault. */
interface Registered extends OAuthClient {
  /** When its lifetime began anew, in ms since 1970. */
  readonly renewedAt?: number;
}

/** Clients that have registered. They expire when they have not been used for as long as a session lasts. Source: RFC 7591 */
export class Registrations {
  readonly #vault: () => Vault;
  readonly #sessionMs: () => number;
  readonly #now: () => number;

  /** @param sessionMs lifetime of refresh tokens; a client must live longer than the last one that it got
   *  @param now the clock, in ms since 1970 */
  constructor(vault: () => Vault, sessionMs: () => number, now: () => number = Date.now) {
    this.#vault = vault;
    this.#sessionMs = sessionMs;
    this.#now = now;
  }

  /** @returns the client, and its secret unless it is public: only a digest is kept
   *  @throws OAuthError invalid_client_metadata if it is too long; temporarily_unavailable (503) if there are too many
   *  @throws GatewayError STORE_UNREACHABLE */
  async add(
    asked: Omit<OAuthClient, 'id' | 'secretHash'>,
  ): Promise<{ readonly client: OAuthClient; readonly secret: string | undefined }> {
    const secret = asked.authMethod === 'none' ? undefined : newSecret();
    const client: OAuthClient = {
      id: newSecret(128),
      ...asked,
      ...(secret !== undefined && { secretHash: digest(secret) }),
    };
    if (Buffer.byteLength(JSON.stringify(client)) > MAX_RECORD_BYTES)
      throw new OAuthError(
        'invalid_client_metadata',
        'the redirect URIs, the name and the scope are too long',
        {
          reason: 'registration-too-long',
        },
      );
    if (client.origin !== 'token') await this.#refuseFull();
    await this.#vault().putIfAbsent(PREFIX + client.id, this.#renewed(client), this.#ttlSeconds());
    return { client, secret };
  }

  /** Counts as a use. @returns undefined if it is unknown or has expired @throws GatewayError STORE_UNREACHABLE */
  async find(id: string): Promise<OAuthClient | undefined> {
    if (id.length > MAX_ID_CHARS) return undefined;
    const found = (await this.#vault().get(PREFIX + id)) as Registered | undefined;
    if (found === undefined) return undefined;
    const { renewedAt = 0, ...client } = found;
    if (this.#now() - renewedAt >= this.#renewAfterMs()) {
      // Not if it was deleted or renewed meanwhile.
      await this.#vault().compareAndSwap(PREFIX + id, found, this.#renewed(client), this.#ttlSeconds());
    }
    return client;
  }

  #renewed(client: OAuthClient): Registered {
    return { ...client, renewedAt: this.#now() };
  }

  /** Seldom, because each renewal is a write. */
  #renewAfterMs(): number {
    return Math.min(DAY_MS, this.#sessionMs() / 2);
  }

  #ttlSeconds(): number {
    return (this.#sessionMs() + this.#renewAfterMs()) / 1_000;
  }

  /** Registrations without a token must not fill the vault. */
  async #refuseFull(): Promise<void> {
    const ids = await this.#vault().list(PREFIX);
    if (ids.length < MAX_CLIENTS) return;
    throw new OAuthError('temporarily_unavailable', 'too many clients are registered; unused ones expire', {
      status: 503,
      headers: { 'retry-after': '3600' },
      reason: 'registrations-full',
    });
  }
}
