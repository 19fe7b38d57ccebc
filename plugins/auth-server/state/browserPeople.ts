import type { InboundRequest, Scope } from 'pegboard';
import type { BrowserCookie } from '../../kit/http/browserCookie.ts';
import { Vault } from '../../contracts/vault.ts';
import { digest, newSecret } from '../../kit/secrets/secrets.ts';
import type { Identity, Person } from './signIn.ts';

const KIND = 'oauth-browser:';
/** A longer id token is not kept: it is for an address, which no provider takes in any length. */
const MAX_TOKEN_CHARS = 4_096;

/** The person who has signed in at a browser. */
export interface BrowserPerson extends Pick<Person, 'issuer' | 'subject'> {
  /** How the person recognises it: an e-mail address, or a name. */
  readonly shown?: string;
  /** The provider's, which names the session of this browser there. */
  readonly idToken?: string;
}

/** Who has signed in at which browser: a cookie with a random value, whose digest names the record in the vault. */
export class BrowserPeople {
  readonly #scope: Scope<unknown>;
  readonly #cookie: BrowserCookie;
  readonly #lifetimeMs: () => number;
  readonly #issuer: () => string | undefined;

  /** @param lifetimeMs lifetime of a cookie and its record @param issuer the identity provider's, once it is known */
  constructor(
    scope: Scope<unknown>,
    cookie: BrowserCookie,
    lifetimeMs: () => number,
    issuer: () => string | undefined,
  ) {
    this.#scope = scope;
    this.#cookie = cookie;
    this.#lifetimeMs = lifetimeMs;
    this.#issuer = issuer;
  }

  /** Undefined if no person has, too long ago, or at a former identity provider: the name may be another person's now. @throws GatewayError STORE_UNREACHABLE */
  async find(request: Pick<InboundRequest, 'header'>): Promise<BrowserPerson | undefined> {
    const id = this.#cookie.idOf(request);
    if (id === undefined) return undefined;
    const person = (await this.#vault.get(KIND + digest(id))) as BrowserPerson | undefined;
    return person?.issuer === (this.#issuer() ?? person?.issuer) ? person : undefined;
  }

  /** The browser is that person's from now on. @returns headers of the response @throws GatewayError STORE_UNREACHABLE */
  async remember(
    request: Pick<InboundRequest, 'header'>,
    { person: { issuer, subject, email, name }, provider: { idToken } }: Identity,
  ): Promise<Readonly<Record<string, string>>> {
    const seconds = Math.floor(this.#lifetimeMs() / 1_000);
    await this.forget(request);
    // Never the former value: what another person could have read must not become this one's.
    const { id, headers } = this.#cookie.renew(seconds, newSecret());
    const shown = email ?? name;
    const person: BrowserPerson = {
      issuer,
      subject,
      ...(shown !== undefined && { shown }),
      ...(idToken.length <= MAX_TOKEN_CHARS && { idToken }),
    };
    await this.#vault.set(KIND + digest(id), person, seconds);
    return headers;
  }

  /** No person is known at the browser from now on. @returns headers of the response @throws GatewayError STORE_UNREACHABLE */
  async forget(request: Pick<InboundRequest, 'header'>): Promise<Readonly<Record<string, string>>> {
    const id = this.#cookie.idOf(request);
    if (id !== undefined) await this.#vault.delete(KIND + digest(id));
    return this.#cookie.renew(0, '').headers;
  }

  get #vault(): Vault {
    return this.#scope.get(Vault);
  }
}
