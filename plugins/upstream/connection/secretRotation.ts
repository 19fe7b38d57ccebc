import { messageOf } from 'pegboard';
import type { Log } from 'pegboard';
import type { SecretReading, SecretSource } from '../../contracts/secrets.ts';
import { inTurn } from '../../kit/limits/inTurn.ts';
import type { State } from './serverStatus.ts';
import { secretNameIn } from './usedSecrets.ts';
import type { SecretUser } from './usedSecrets.ts';

/** The secrets of a server that refuses everything are not read for each call. */
const DOUBT_PAUSE_MS = 2_000;
/** Others read the secrets when they connect, or do not connect. */
const RENEWED: ReadonlySet<State> = new Set(['ready', 'failed', 'unreachable', 'auth_required']);

interface Named {
  readonly keys: Set<string>;
  readonly users: SecretUser[];
}

export interface SecretRotationParts {
  readonly log: Log;
  /** How often secrets are read again; 0: never. */
  readonly everyMs: () => number;
  readonly source: () => SecretSource | undefined;
  readonly users: () => readonly SecretUser[];
}

/** Reads the secrets that connections use again, each once for all of them, and renews the connections that have another text. */
export class SecretRotation {
  readonly #parts: SecretRotationParts;
  /** Why a secret could not be read, by its name; why a server could not be given it, by `SECRET SERVER`. */
  readonly #faults = new Map<string, string>();
  /** Looks at one secret come one after another, so that a connection is renewed once. */
  readonly #turns = new Map<string, ReturnType<typeof inTurn>>();
  readonly #doubts = new WeakMap<object, { readonly at: number; readonly answer: Promise<boolean> }>();
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;
  #isStopped = false;

  constructor(parts: SecretRotationParts) {
    this.#parts = parts;
  }

  /** Looks from time to time. Safe to call again, after a change of the interval. */
  begin(): void {
    this.#plan(this.#parts.everyMs());
  }

  /** Waits for nothing that is being read. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Reads the secrets of a server at once that has answered 401. @param server the same object each time
   *  @returns whether one has changed; the former answer soon after it */
  doubt(server: object, users: readonly SecretUser[]): Promise<boolean> {
    const former = this.#doubts.get(server);
    const at = performance.now();
    if (former !== undefined && at - former.at < DOUBT_PAUSE_MS) return former.answer;
    const looks = [...byName(users)].map(([name, named]) => this.#look(name, named));
    // Another look may have renewed it since the call was sent.
    const isRenewed = (): boolean =>
      users.some(({ dialer }) => dialer.secrets.renewedAt > at - DOUBT_PAUSE_MS);
    const answer = Promise.all(looks).then((changed) => changed.includes(true) || isRenewed());
    this.#doubts.set(server, { at, answer });
    return answer;
  }

  #plan(ms: number): void {
    clearTimeout(this.#timer);
    const everyMs = this.#parts.everyMs();
    if (everyMs === 0 || this.#isStopped) return;
    this.#timer = setTimeout(() => {
      const begun = performance.now();
      this.#round ??= this.#lookAtAll().finally(() => (this.#round = undefined));
      void this.#round.finally(() => this.#plan(Math.max(0, begun + everyMs - performance.now())));
    }, ms);
  }

  /** One after another, because no caller waits. */
  async #lookAtAll(): Promise<void> {
    const all = byName(this.#parts.users());
    for (const kept of [this.#faults, this.#turns])
      for (const key of kept.keys()) if (!all.has(key.split(' ')[0] ?? '')) kept.delete(key);
    for (const [name, named] of all) if (!this.#isStopped) await this.#look(name, named, { isPatient: true });
  }

  /** Never rejects. @returns whether one of its users had another text */
  #look(name: string, named: Named, options?: SecretReading): Promise<boolean> {
    const turn = this.#turns.get(name) ?? inTurn();
    this.#turns.set(name, turn);
    return turn(() => this.#compare(name, named, options));
  }

  async #compare(name: string, { keys, users }: Named, options?: SecretReading): Promise<boolean> {
    const source = this.#parts.source();
    if (source === undefined) return false;
    const texts = new Map<string, string>();
    // Each by itself: where one key is missing, the others are still compared.
    const read = async (key: string): Promise<void> => {
      const [text] = await source.read(secretNameIn(name), [key], options);
      if (text !== undefined) texts.set(key, text);
    };
    const faults = (await Promise.allSettled([...keys].map(read))).flatMap((one) =>
      one.status === 'rejected' ? [messageOf(one.reason)] : [],
    );
    if (this.#isStopped) return false;
    this.#say(name, faults[0]);
    const changed = users.filter(
      ({ state, dialer }) => RENEWED.has(state) && dialer.secrets.differsFrom(name, texts),
    );
    const renewed = await Promise.all(changed.map((user) => this.#renew(user, name, texts)));
    return renewed.includes(true);
  }

  /** @returns whether the next request has the texts */
  async #renew(user: SecretUser, secret: string, texts: ReadonlyMap<string, string>): Promise<boolean> {
    const { log } = this.#parts;
    const { server, dialer } = user;
    let reconnects: boolean;
    try {
      reconnects = user.state !== 'ready' || !(await dialer.refill(secret, texts));
    } catch (error) {
      this.#say(secret, messageOf(error), server);
      return false;
    }
    this.#say(secret, undefined, server);
    log.info('a secret of a server has changed', { server, secret, reconnects });
    if (!reconnects) return true;
    user.restart().catch((error: unknown) => {
      log.error('a server could not be restarted after a change of its secret', { server, error });
    });
    return true;
  }

  /** Says what is new. @param server the one that could not be given it; absent: it could not be read */
  #say(secret: string, reason: string | undefined, server?: string): void {
    const key = server === undefined ? secret : `${secret} ${server}`;
    if (reason === this.#faults.get(key)) return;
    const { log } = this.#parts;
    const about = { secret, ...(server !== undefined && { server }) };
    if (reason === undefined) {
      this.#faults.delete(key);
      if (server === undefined) log.info('a secret that connections use can be read again', about);
      return;
    }
    this.#faults.set(key, reason);
    const what =
      server === undefined
        ? 'a secret that connections use cannot be read; they keep what they have'
        : 'headers of a server cannot be filled with its changed secret; it keeps what it has';
    log.warn(what, { ...about, reason });
  }
}

function byName(users: readonly SecretUser[]): ReadonlyMap<string, Named> {
  const all = new Map<string, Named>();
  for (const user of users)
    for (const [name, texts] of user.dialer.secrets.all) {
      const named = all.get(name) ?? { keys: new Set(), users: [] };
      all.set(name, named);
      named.users.push(user);
      for (const key of texts.keys()) named.keys.add(key);
    }
  return all;
}
