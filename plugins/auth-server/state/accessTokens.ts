import { isGatewayError } from 'pegboard';
import type { Caller, Scope } from 'pegboard';
import { Vault } from '../../contracts/vault.ts';
import { callerOfSignIn } from './callerOf.ts';
import { digest, newSecret } from '../../kit/secrets/secrets.ts';
import { recentlyUsed } from '../../kit/limits/recentlyUsed.ts';
import type { SignIn } from './signIn.ts';
import type { SignIns } from './signIns.ts';

const KIND = 'oauth-access:';
/** Source: requirement oauth.accessLifetime. */
const LIFETIME_MS = 1_800_000;
/** Below the 5 s within which a revocation takes effect at every process. */
const RECHECK_MS = 4_000;
const MAX_KNOWN = 10_000;
/** Id tokens and garbage need no look into the vault. */
const TOKEN = /^[\w-]{43}$/;

/** A token of a sign-in follows its record; another one has all its facts in its own. */
type AccessRecord = AccessFacts & ({ readonly signIn: string } | Vouched);
interface AccessFacts {
  readonly expiresAt: number;
  readonly scope: string;
  /** What it is for. */
  readonly aud: string;
  readonly issuedAt: number;
}
/** A caller that another plugin vouches for. */
export interface Vouched {
  readonly caller: Caller;
  readonly clientId: string;
  readonly jkt?: string;
}
/** A valid access token. */
export interface Access extends AccessFacts {
  /** Undefined if it is of no sign-in. */
  readonly signIn: string | undefined;
  /** Key of its sign-in's token set. */
  readonly tokenSet: string | undefined;
  readonly clientId: string;
  readonly jkt: string | undefined;
  readonly caller: Caller;
  /** When the identity provider's tokens end, in ms since 1970. */
  readonly providerExpiresAt: number | undefined;
}
export interface IssuedToken {
  readonly token: string;
  readonly seconds: number;
}
interface Known {
  readonly access: Access;
  /** When the store has said that it is valid, in ms since 1970. */
  readonly checkedAt: number;
}

/** Opaque access tokens: digests in the vault, and those in use in memory. */
export class AccessTokens {
  readonly #scope: Scope<unknown>;
  readonly #signIns: SignIns;
  readonly #audience: () => string;
  /** How long calls go on while the store cannot be read, in ms. */
  readonly #graceMs: () => number;
  readonly #known = recentlyUsed<Known>(MAX_KNOWN);
  /** Looks whether the store can be read again; undefined while it can. */
  #outage: { probe?: Promise<void> | undefined } | undefined;

  constructor(scope: Scope<unknown>, signIns: SignIns, audience: () => string, graceMs: () => number) {
    this.#scope = scope;
    this.#signIns = signIns;
    this.#audience = audience;
    this.#graceMs = graceMs;
  }

  /** @returns the token, and the seconds for which it is valid: never longer than the provider's tokens */
  async issue(signIn: SignIn, scope = signIn.scope): Promise<IssuedToken> {
    const until = Math.min(signIn.provider.expiresAt ?? Infinity, signIn.expiresAt);
    return this.#issue({ signIn: signIn.id }, scope, until);
  }

  /** A token without a sign-in. */
  async vouch(vouched: Vouched, scope: string): Promise<IssuedToken> {
    return this.#issue(vouched, scope, Infinity);
  }

  async #issue(holder: { signIn: string } | Vouched, scope: string, until: number): Promise<IssuedToken> {
    const token = newSecret();
    const now = Date.now();
    const seconds = Math.max(1, Math.floor(Math.min(LIFETIME_MS, until - now) / 1_000));
    const record: AccessRecord = {
      ...holder,
      expiresAt: now + seconds * 1_000,
      scope,
      aud: this.#audience(),
      issuedAt: now,
    };
    await this.#vault.set(KIND + digest(token), record, seconds);
    return { token, seconds };
  }

  /** Answers without a promise if the token was checked within the last seconds. @throws GatewayError STORE_UNREACHABLE */
  find(token: string): Access | undefined | Promise<Access | undefined> {
    if (!TOKEN.test(token)) return undefined;
    const key = digest(token);
    return this.#wasChecked(key, RECHECK_MS) ? this.#valid(key) : this.#read(key);
  }

  /** As find(); while the store cannot be read, a token that it has called valid within the grace stays good. @throws as find() */
  findForCall(token: string): Access | undefined | Promise<Access | undefined> {
    if (!TOKEN.test(token)) return undefined;
    const key = digest(token);
    if (this.#wasChecked(key, RECHECK_MS)) return this.#valid(key);
    const outage = this.#outage;
    if (outage === undefined || !this.#wasChecked(key, RECHECK_MS + this.#graceMs()))
      return this.#readForCall(key);
    // One read at a time looks whether the store is back; its failure is told to the calls that have no grace.
    outage.probe ??= this.#readForCall(key).then(
      () => (outage.probe = undefined),
      () => (outage.probe = undefined),
    );
    return this.#valid(key);
  }

  async revoke(token: string): Promise<void> {
    const key = digest(token);
    this.#known.delete(key);
    await this.#vault.delete(KIND + key);
  }

  /** That token, and those of the sign-in if it is a refresh token, are read again before they are accepted. */
  forgetToken(token: string): void {
    this.#known.delete(digest(token));
    this.forget(token.split('.')[0] ?? '');
  }

  /** Tokens of that sign-in are read again before they are accepted. */
  forget(signIn: string): void {
    for (const [key, { access }] of this.#known) if (access.signIn === signIn) this.#known.delete(key);
  }

  #wasChecked(key: string, withinMs: number): boolean {
    const known = this.#known.get(key);
    return known !== undefined && known.checkedAt + withinMs > Date.now();
  }

  #valid(key: string): Access | undefined {
    const access = this.#known.get(key)?.access;
    return access !== undefined && access.expiresAt > Date.now() && access.aud === this.#audience()
      ? access
      : undefined;
  }

  async #readForCall(key: string): Promise<Access | undefined> {
    try {
      const access = await this.#read(key);
      this.#outage = undefined;
      return access;
    } catch (error) {
      const graceMs = this.#graceMs();
      // It may have been revoked here meanwhile.
      const isAway = isGatewayError(error) && error.code === 'STORE_UNREACHABLE';
      if (!isAway || !this.#wasChecked(key, RECHECK_MS + graceMs)) throw error;
      if (this.#outage === undefined)
        this.#scope.log.warn('the store cannot be read: access tokens in use stay good for now', { graceMs });
      this.#outage ??= {};
      return this.#valid(key);
    }
  }

  async #read(key: string): Promise<Access | undefined> {
    const record = (await this.#vault.get(KIND + key)) as AccessRecord | undefined;
    const isGood = record !== undefined && record.expiresAt > Date.now() && record.aud === this.#audience();
    const access = isGood ? await this.#accessOf(record) : undefined;
    if (access === undefined) this.#known.delete(key);
    else this.#known.set(key, { access, checkedAt: Date.now() });
    return access;
  }

  async #accessOf(record: AccessRecord): Promise<Access | undefined> {
    if (!('signIn' in record))
      return {
        jkt: undefined,
        ...record,
        signIn: undefined,
        tokenSet: undefined,
        providerExpiresAt: undefined,
      };
    const signIn = await this.#signIns.find(record.signIn);
    if (signIn === undefined) return undefined;
    const { clientId, jkt, provider, tokenSet } = signIn;
    const caller = callerOfSignIn(signIn, record.scope);
    return { ...record, clientId, jkt, caller, tokenSet, providerExpiresAt: provider.expiresAt };
  }

  get #vault(): Vault {
    return this.#scope.get(Vault);
  }
}
