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
/** A client that has no sign-in after it may go when there are too many. */
const FIRST_SIGN_IN_MS = 3_600_000;
/** How often room is looked for: each time reads all clients. */
const ROOM_INTERVAL_MS = 60_000;
/** Clients that are read at once. */
const READ_AT_ONCE = 100;

/** As in the vault. */
interface Registered extends OAuthClient {
  /** When its lifetime began anew, in ms since 1970. */
  readonly renewedAt?: number;
  /** A person has signed in with it. */
  readonly isUsed?: true;
}

/** Clients that have registered. They expire when they have not been used for as long as a session lasts. Source: RFC 7591 */
export class Registrations {
  readonly #vault: () => Vault;
  readonly #sessionMs: () => number;
  readonly #now: () => number;
  #nextRoomAt = 0;

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
    if (this.#now() - renewedAt >= this.#renewAfterMs()) await this.#replace(found, this.#renewed(found));
    return client;
  }

  /** A person has signed in with that client, which stays when there are too many. @throws GatewayError STORE_UNREACHABLE */
  async used(id: string): Promise<void> {
    const found = (await this.#vault().get(PREFIX + id)) as Registered | undefined;
    if (found !== undefined && found.isUsed === undefined)
      await this.#replace(found, { ...this.#renewed(found), isUsed: true });
  }

  /** Not if it was deleted or renewed meanwhile. */
  async #replace(found: Registered, next: Registered): Promise<void> {
    await this.#vault().compareAndSwap(PREFIX + found.id, found, next, this.#ttlSeconds());
  }

  #renewed(client: Registered): Registered {
    return { ...client, renewedAt: this.#now() };
  }

  /** Seldom, because each renewal is a write. */
  #renewAfterMs(): number {
    return Math.min(DAY_MS, this.#sessionMs() / 2);
  }

  #ttlSeconds(): number {
    return (this.#sessionMs() + this.#renewAfterMs()) / 1_000;
  }

  /** Registrations without a token must not fill the vault, nor keep others from registering. */
  async #refuseFull(): Promise<void> {
    const keys = await this.#vault().list(PREFIX);
    if (keys.length < MAX_CLIENTS || (await this.#makeRoom(keys))) return;
    throw new OAuthError('temporarily_unavailable', 'too many clients are registered; unused ones expire', {
      status: 503,
      headers: { 'retry-after': '3600' },
      reason: 'registrations-full',
    });
  }

  /** Drops clients that no person has signed in with. @returns whether there were some */
  async #makeRoom(keys: readonly string[]): Promise<boolean> {
    const now = this.#now();
    if (now < this.#nextRoomAt) return false;
    this.#nextRoomAt = now + ROOM_INTERVAL_MS;
    const vault = this.#vault();
    let dropped = 0;
    for (let at = 0; at < keys.length; at += READ_AT_ONCE) {
      const some = keys.slice(at, at + READ_AT_ONCE);
      const found = (await Promise.all(some.map((key) => vault.get(key)))) as (Registered | undefined)[];
      const unused = found.filter((one) => one !== undefined).filter((one) => isUnused(one, now));
      // In one step with the look, because a person may sign in just now; expired at once.
      await Promise.all(unused.map((one) => vault.compareAndSwap(PREFIX + one.id, one, one, 1)));
      dropped += unused.length;
    }
    return dropped > 0;
  }
}

function isUnused({ isUsed, origin, renewedAt = 0 }: Registered, now: number): boolean {
  return isUsed === undefined && origin !== 'token' && now - renewedAt >= FIRST_SIGN_IN_MS;
}
