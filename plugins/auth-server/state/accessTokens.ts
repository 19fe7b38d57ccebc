import { LRUCache } from 'lru-cache';
import type { Caller, Scope } from 'pegboard';
import { Vault } from '../../vault-file/contract.ts';
import { callerOf } from './callerOf.ts';
import { digest, newSecret } from './secrets.ts';
import type { SignIn } from './signIn.ts';
import type { SignIns } from './signIns.ts';

const KIND = 'oauth-access:';
/** Source: requirement oauth.accessLifetime. */
const LIFETIME_MS = 1_800_000;
/** Below the 5 s within which a revocation takes effect at every process. */
const RECHECK_MS = 4_000;
const MAX_KNOWN = 10_000;

interface AccessRecord {
  readonly signIn: string;
  readonly expiresAt: number;
  readonly scope: string;
  /** What it is for. */
  readonly aud: string;
  readonly issuedAt: number;
}
/** A valid access token. */
export interface Access extends AccessRecord {
  readonly person: SignIn['person'];
  readonly clientId: string;
  readonly jkt: string | undefined;
  readonly caller: Caller;
  /** When the identity provider's tokens end, in ms since 1970. */
  readonly providerExpiresAt: number | undefined;
}
interface Known {
  readonly access: Access;
  checkedAt: number;
}

/** Opaque access tokens: digests in the vault, and those in use in memory. */
export class AccessTokens {
  readonly #scope: Scope<unknown>;
  readonly #signIns: SignIns;
  readonly #audience: () => string;
  readonly #known = new LRUCache<string, Known>({ max: MAX_KNOWN });

  constructor(scope: Scope<unknown>, signIns: SignIns, audience: () => string) {
    this.#scope = scope;
    this.#signIns = signIns;
    this.#audience = audience;
  }

  /** @returns the token, and the seconds for which it is valid: never longer than the provider's tokens */
  async issue(signIn: SignIn, scope = signIn.scope): Promise<{ token: string; seconds: number }> {
    const token = newSecret();
    const now = Date.now();
    const until = Math.min(now + LIFETIME_MS, signIn.provider.expiresAt ?? Infinity, signIn.expiresAt);
    const seconds = Math.max(1, Math.floor((until - now) / 1_000));
    const record: AccessRecord = {
      signIn: signIn.id,
      expiresAt: now + seconds * 1_000,
      scope,
      aud: this.#audience(),
      issuedAt: now,
    };
    await this.#vault.set(KIND + digest(token), record, seconds);
    return { token, seconds };
  }

  /** Without a promise if the token was checked within the last seconds. @throws GatewayError STORE_UNREACHABLE */
  find(token: string): Access | undefined | Promise<Access | undefined> {
    // Id tokens and garbage need no look into the vault.
    if (!/^[\w-]{43}$/.test(token)) return undefined;
    const key = digest(token);
    const known = this.#known.get(key);
    const now = Date.now();
    if (known === undefined || known.checkedAt + RECHECK_MS <= now) return this.#read(key);
    return known.access.expiresAt > now && known.access.aud === this.#audience() ? known.access : undefined;
  }

  async revoke(token: string): Promise<void> {
    const key = digest(token);
    this.#known.delete(key);
    await this.#vault.delete(KIND + key);
  }

  /** Tokens of that sign-in are read again before they are accepted. */
  forget(signIn: string): void {
    for (const [key, { access }] of this.#known) if (access.signIn === signIn) this.#known.delete(key);
  }

  async #read(key: string): Promise<Access | undefined> {
    const record = (await this.#vault.get(KIND + key)) as AccessRecord | undefined;
    const signIn = record && (await this.#signIns.find(record.signIn));
    if (
      record === undefined ||
      signIn === undefined ||
      record.expiresAt <= Date.now() ||
      record.aud !== this.#audience()
    ) {
      this.#known.delete(key);
      return undefined;
    }
    const { person, clientId, jkt, provider } = signIn;
    const caller = callerOf(person, { scope: record.scope, client_id: clientId, sid: signIn.id });
    const access = { ...record, person, clientId, jkt, caller, providerExpiresAt: provider.expiresAt };
    this.#known.set(key, { access, checkedAt: Date.now() });
    return access;
  }

  get #vault(): Vault {
    return this.#scope.get(Vault);
  }
}
