import type { Caller, Scope } from 'pegboard';
import { Vault } from '../../contracts/vault.ts';
import { Channel } from '../../contracts/processes.ts';
import { digest, isSame, newSecret, tag } from '../../kit/secrets/secrets.ts';
import { markOf, secondsLeft } from './signIn.ts';
import type { Ended, SignIn } from './signIn.ts';
import type { TokenSets } from './tokenSets.ts';

const KIND = 'oauth-signin:';
const ENDED_TOPIC = 'oauth-signin-ended';
const CHANGED_TOPIC = 'oauth-signin-changed';
/** Refuses what was under way when a sign-in ended; then its tokens are unknown anyway. */
const ENDED_SECONDS = 86_400;
/** Length of the random part of an id, which follows the mark of its person. */
const ID_BITS = 128;
const ID_LENGTH = 22;

/** What the vault holds of a sign-in; the person and the tokens are in the token set. */
type StoredSignIn = Omit<SignIn, 'person' | 'provider'>;
/** As a former version wrote it. */
type OlderSignIn = Omit<SignIn, 'tokenSet'>;

/** A refresh token and how its secret compares with the current one. */
export interface Presented {
  readonly signIn: SignIn;
  readonly secret: string;
  /** `former`: issued for this sign-in and rotated since. */
  readonly generation: 'current' | 'former';
}

export interface SignInListener {
  readonly ended: (id: string) => void;
  /** Called at the process that has ended a sign-in, once others can know. */
  readonly left?: (signIn: SignIn, reason: string) => Promise<void>;
  readonly changed: (id: string) => void;
}

/** Sign-ins in the vault. */
export class SignIns {
  readonly #scope: Scope<unknown>;
  readonly #tokenSets: TokenSets;

  /** Called in apply() only.
   *  @param listener is called for each sign-in that ends, or whose person has other groups or another name, at this or another process
   *  @param issuer the identity provider; undefined while it is not known */
  constructor(
    scope: Scope<unknown>,
    tokenSets: TokenSets,
    listener: SignInListener,
    issuer: () => string | undefined,
  ) {
    this.#scope = scope;
    this.#tokenSets = tokenSets;
    this.#listener = listener;
    this.#issuer = issuer;
    const tell = (channel: Channel, topic: string, listen: (id: string) => void): (() => void) =>
      channel.subscribe(topic, { message: ({ id }) => listen(String(id)) });
    scope.each(Channel, (channel) => tell(channel, ENDED_TOPIC, listener.ended));
    scope.each(Channel, (channel) => tell(channel, CHANGED_TOPIC, listener.changed));
  }
  readonly #listener: SignInListener;
  readonly #issuer: () => string | undefined;

  /** @returns false if it exists or has ended */
  create(signIn: SignIn): Promise<boolean> {
    return this.#vault.putIfAbsent(KIND + signIn.id, stored(signIn), secondsLeft(signIn));
  }

  /** Those of a former identity provider are unknown: its people may be others, and its tokens must not be sent to the new one. */
  async find(id: string): Promise<SignIn | undefined> {
    const found = (await this.#vault.get(KIND + id)) as StoredSignIn | OlderSignIn | Ended | undefined;
    if (found === undefined || 'endedAt' in found) return undefined;
    if ('provider' in found) return this.#moved(found);
    const set = await this.#tokenSets.find(found.tokenSet);
    if (set === undefined) return undefined;
    const { person, tokens } = set;
    return person.issuer === (this.#issuer() ?? person.issuer)
      ? { ...found, person, provider: tokens }
      : undefined;
  }

  /** Moves its tokens to where its person's other sign-ins have theirs. */
  async #moved(older: OlderSignIn): Promise<SignIn | undefined> {
    const tokenSet = await this.#tokenSets.adopt(older);
    const moved = stored({ ...older, tokenSet });
    await this.#vault.compareAndSwap(KIND + older.id, older, moved, secondsLeft(older));
    return this.find(older.id);
  }

  /** Ids of those in the vault, ended ones included. @param person leaves out those that are not theirs; former versions wrote ids that
   *  do not say it @throws GatewayError STORE_UNREACHABLE */
  async ids(person?: Caller): Promise<readonly string[]> {
    const ids = (await this.#vault.list(KIND)).map((key) => key.slice(KIND.length));
    const marks = person && [markOf(person), beginOf(person), ''];
    return marks === undefined ? ids : ids.filter((id) => marks.includes(id.slice(0, -ID_LENGTH)));
  }

  /** @param before as find() returned it @returns false if it has changed since */
  replace(before: SignIn, after: SignIn): Promise<boolean> {
    return this.#vault.compareAndSwap(KIND + before.id, stored(before), stored(after), secondsLeft(after));
  }

  /** Changes it as it is now. @returns undefined if it has gone */
  async change<T extends SignIn>(signIn: SignIn, next: (found: SignIn) => T): Promise<T | undefined> {
    let found: SignIn | undefined = signIn;
    while (found !== undefined) {
      const after = next(found);
      if (await this.replace(found, after)) return after;
      found = await this.find(signIn.id);
    }
    return undefined;
  }

  /** Its tokens are refused from now on, at other processes within seconds. @param reason in kebab-case */
  async end(id: string, reason: string): Promise<void> {
    const before = await this.find(id);
    const ended: Ended = { id, endedAt: Date.now(), reason };
    await this.#vault.set(KIND + id, ended, ENDED_SECONDS);
    this.#listener.ended(id);
    this.#scope.find(Channel)?.publish(ENDED_TOPIC, { id });
    if (before !== undefined) await this.#listener.left?.(before, reason);
  }

  /** Its person is described otherwise from now on: what was begun for them as they were ends at every process. */
  changed(id: string): void {
    this.#listener.changed(id);
    this.#scope.find(Channel)?.publish(CHANGED_TOPIC, { id });
  }

  /** The sign-in that a refresh token belongs to; undefined if it was not issued here, or has ended. */
  async presented(refreshToken: string): Promise<Presented | undefined> {
    const [id, secret, mark, ...rest] = refreshToken.split('.');
    if (id === undefined || secret === undefined || mark === undefined || rest.length > 0) return undefined;
    if (id.length > 64 || !/^[\w-]+$/.test(id)) return undefined;
    const signIn = await this.find(id);
    if (signIn === undefined || !isSame(mark, tag(signIn.tagKey, secret))) return undefined;
    return { signIn, secret, generation: isSame(digest(secret), signIn.current) ? 'current' : 'former' };
  }

  get #vault(): Vault {
    return this.#scope.get(Vault);
  }
}

/** An id for a new sign-in, which says whose it is to those who know the person. */
export function newSignInId(person: Caller): string {
  return beginOf(person) + newSecret(ID_BITS);
}

/** The mark of a person, without a hyphen where a command line would take the id for an option. */
function beginOf(person: Caller): string {
  return markOf(person).replace(/^-/, '_');
}

/** A new refresh token for a sign-in, and the digest to store. */
export function newRefreshToken({ id, tagKey }: Pick<SignIn, 'id' | 'tagKey'>): {
  readonly token: string;
  readonly current: string;
} {
  const secret = newSecret();
  return { token: `${id}.${secret}.${tag(tagKey, secret)}`, current: digest(secret) };
}

/** Leaves out what the token set says. */
function stored(signIn: SignIn): object {
  return { ...signIn, person: undefined, provider: undefined };
}
