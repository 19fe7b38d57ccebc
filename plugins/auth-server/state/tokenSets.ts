import { isDeepStrictEqual } from 'node:util';
import type { Scope } from 'pegboard';
import { Vault } from '../../contracts/vault.ts';
import { claimsOf } from '../../kit/oauth/claimsOf.ts';
import { digest } from '../../kit/secrets/secrets.ts';
import type { Attempt } from './attempts.ts';
import { markOf, secondsLeft } from './signIn.ts';
import type { Identity, IssuedTokens, Person, SignIn, TokenSetPlace } from './signIn.ts';

const KIND = 'oauth-tokens:';

/** A sign-in that a code begins when it is redeemed. */
export interface AwaitedSignIn {
  readonly signIn: string;
  /** End of the code, in ms since 1970. */
  readonly until: number;
}

/** What the identity provider has issued for a person, for all sign-ins of that person in one session there. */
export interface TokenSet {
  readonly person: Person;
  readonly tokens: IssuedTokens;
  /** When the provider issued the tokens, in ms since 1970. */
  readonly issuedAt: number;
  /** When the last sign-in that they serve expires, in ms since 1970. */
  readonly expiresAt: number;
  /** The sign-in that the last code will begin. */
  readonly awaited?: AwaitedSignIn | undefined;
  /** The refresh that is under way, or was when its process ended. */
  readonly refresh?: { readonly attempt: Attempt; readonly since: number } | undefined;
}

/** The identity provider's tokens in the vault. Many providers keep one refresh token for a person and a client, and to them the gateway
 *  is one client: so a person has one set, or one for each session that the provider names, as that ends on its own. */
export class TokenSets {
  readonly #scope: Scope<unknown>;
  readonly #clientId: () => string;
  readonly #changed: (key: string, set: TokenSet) => Promise<unknown>;

  /** @param clientId of the gateway at the provider @param changed called when the provider describes the person otherwise than before */
  constructor(
    scope: Scope<unknown>,
    clientId: () => string,
    changed: (key: string, set: TokenSet) => Promise<unknown>,
  ) {
    this.#scope = scope;
    this.#clientId = clientId;
    this.#changed = changed;
  }

  async find(key: string): Promise<TokenSet | undefined> {
    return (await this.#vault.get(KIND + key)) as TokenSet | undefined;
  }

  /** Keeps what the provider has just issued, for a code: it replaces what was issued before, also for the sign-ins that use that. */
  async put(identity: Identity, awaited: AwaitedSignIn): Promise<TokenSetPlace> {
    const place = this.#placeOf(identity);
    const first: TokenSet = { ...issued(identity, awaited.until), awaited };
    while (!(await this.#create(place.tokenSet, first))) if (await this.#renew(place.tokenSet, first)) break;
    return place;
  }

  /** Keeps what the provider has just issued if sign-ins need it: what was issued before may have ended with that. */
  async renew(identity: Identity): Promise<void> {
    await this.#renew(this.#placeOf(identity).tokenSet, issued(identity, 0));
  }

  /** Keeps the tokens of a sign-in that held its own, unless newer ones are there. @returns where they are */
  async adopt({ person, provider, id, expiresAt }: Omit<SignIn, 'tokenSet'>): Promise<string> {
    const { tokenSet } = this.#placeOf({ person, provider });
    const isFirst = await this.#create(tokenSet, { person, tokens: provider, issuedAt: 0, expiresAt });
    if (!isFirst) await this.extend(tokenSet, { id, expiresAt });
    return tokenSet;
  }

  /** Lasts at least as long as a sign-in. @returns undefined if it has gone */
  extend(key: string, { id, expiresAt }: Pick<SignIn, 'id' | 'expiresAt'>): Promise<TokenSet | undefined> {
    return this.#change(key, (former) => ({
      ...former,
      expiresAt: Math.max(former.expiresAt, expiresAt),
      awaited: former.awaited?.signIn === id ? undefined : former.awaited,
    }));
  }

  /** @param before as find() returned it @returns false if it has changed since */
  async replace(key: string, before: TokenSet, after: TokenSet): Promise<boolean> {
    if (!(await this.#vault.compareAndSwap(KIND + key, before, after, secondsLeft(after)))) return false;
    if (!isDeepStrictEqual(before.person, after.person)) await this.#changed(key, after);
    return true;
  }

  /** Key of what the provider has issued last for the same person, after this one. */
  async newerThan({ person, issuedAt }: TokenSet): Promise<string | undefined> {
    const keys = await this.#vault.list(KIND + markOf(person));
    let newest: { readonly key: string; readonly issuedAt: number } | undefined;
    for (const key of keys.map((one) => one.slice(KIND.length))) {
      const found = await this.find(key);
      if (found !== undefined && found.issuedAt > (newest?.issuedAt ?? issuedAt))
        newest = { key, issuedAt: found.issuedAt };
    }
    return newest?.key;
  }

  /** Its last sign-in has ended: what no code awaits is deleted. @param found as find() returned it before the sign-ins were listed
   *  @returns false if it is awaited, or has changed since */
  async release(key: string, found: TokenSet): Promise<boolean> {
    const { until = 0 } = found.awaited ?? {};
    if (until <= Date.now()) return this.end(key, found);
    await this.replace(key, found, { ...found, expiresAt: until });
    return false;
  }

  /** Deletes it, and thereby ends all that uses it. @returns false if it has changed since found */
  end(key: string, found: TokenSet): Promise<boolean> {
    return this.replace(key, found, { ...found, expiresAt: 0 });
  }

  #placeOf({ person: { issuer, subject }, provider }: Identity): TokenSetPlace {
    const { sid } = claimsOf(provider.idToken);
    const session = typeof sid === 'string' ? sid : undefined;
    return {
      tokenSet: markOf({ issuer, subject }) + digest(JSON.stringify([this.#clientId(), session])),
      ...(session !== undefined && { providerSession: session }),
    };
  }

  #create(key: string, set: TokenSet): Promise<boolean> {
    return this.#vault.putIfAbsent(KIND + key, set, secondsLeft(set));
  }

  #renew(key: string, { person, tokens, issuedAt, expiresAt, awaited }: TokenSet): Promise<unknown> {
    return this.#change(key, (former) => ({
      person,
      // Some providers issue a refresh token at the first sign-in only.
      tokens: { ...refreshTokenIn(former.tokens), ...tokens },
      issuedAt,
      expiresAt: Math.max(former.expiresAt, expiresAt),
      awaited: awaited ?? former.awaited,
    }));
  }

  async #change(key: string, next: (former: TokenSet) => TokenSet): Promise<TokenSet | undefined> {
    for (;;) {
      const former = await this.find(key);
      if (former === undefined) return undefined;
      const after = next(former);
      if (await this.replace(key, former, after)) return after;
    }
  }

  get #vault(): Vault {
    return this.#scope.get(Vault);
  }
}

function issued({ person, provider: tokens }: Identity, expiresAt: number): TokenSet {
  return { person, tokens, issuedAt: Date.now(), expiresAt };
}

function refreshTokenIn({ refreshToken }: IssuedTokens): Pick<IssuedTokens, 'refreshToken'> {
  return refreshToken === undefined ? {} : { refreshToken };
}
