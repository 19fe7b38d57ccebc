import { messageOf } from 'pegboard';
import type { JsonObject, Scope } from 'pegboard';
import { Channel, Peers } from '../../contracts/processes.ts';

const TOPIC = 'kubernetes-status';
const MAX_LISTED = 10;
const MAX_NAME = 100;
/** Replicas that the one that writes follows: it holds what each sees of each server. */
const MAX_FOLLOWED = 100;
const MAX_IN_MESSAGE = 1_000;
/** Servers that change together are told together. */
const GATHER_MS = 100;
/** A replica that has just begun to write leaves the lists as they are until the others have answered. */
const ANSWER_MS = 1_000;
/** How often it looks whether the others live, and asks those that it does not know. */
const LOOK_MS = 30_000;
/** Status of an object without a list. */
export const NO_VIEWS = { replicas: null, replicasReady: null, replicasLeftOut: null };

/** How a replica sees a server. */
export interface View {
  readonly state: string;
  /** That of its condition Ready. */
  readonly reason: string;
  readonly ready: boolean;
}
interface SeenView extends View {
  /** RFC 3339, in whole seconds. */
  readonly since: string;
}
type Told = readonly [server: string, seen: SeenView | null];
type Message =
  | { readonly kind: 'ask'; readonly known: readonly string[] }
  | { readonly kind: 'seen'; readonly id: string; readonly name: string; readonly servers: readonly Told[] }
  | { readonly kind: 'ended'; readonly id: string };
interface Follower {
  readonly name: string;
  readonly servers: Map<string, SeenView>;
}

export interface ReplicaViewsParts {
  /** Name of this replica. */
  readonly name: string;
  /** Whether this replica is the one that writes. */
  readonly mayWrite: () => boolean;
  /** How this one sees a server now; `passing`: it is on the way to another state; undefined: there is none. */
  readonly viewOf: (server: string) => View | 'passing' | undefined;
  /** Called with servers whose lists may differ now; undefined: all. */
  readonly changed: (servers?: readonly string[]) => void;
}

/** How each replica sees the servers: each tells it over the channel when it changes, and the one that writes status lists it. */
export class ReplicaViews {
  readonly #scope: Scope<unknown>;
  readonly #parts: ReplicaViewsParts;
  readonly #own = new Map<string, SeenView>();
  /** Those to look at. */
  readonly #due = new Set<string>();
  readonly #untold = new Set<string>();
  /** Others, by the id of their process. */
  readonly #others = new Map<string, Follower>();
  #settlesAt = 0;
  #gathering: NodeJS.Timeout | undefined;
  #settling: NodeJS.Timeout | undefined;
  #looking: NodeJS.Timeout | undefined;

  /** Called in apply() only. */
  constructor(scope: Scope<unknown>, parts: ReplicaViewsParts) {
    this.#scope = scope;
    this.#parts = parts;
    const message = (received: JsonObject): void => this.#receive(received as unknown as Message);
    // What was missed is asked for.
    const gap = (): void => this.#ask([]);
    scope.each(Channel, (channel) => channel.subscribe(TOPIC, { message, gap }));
    scope.onStart(() => {
      this.#looking = setInterval(() => {
        // While the store is away, the lists stay.
        this.#look().catch((error: unknown) =>
          scope.log.debug('replicas could not be looked at', { reason: messageOf(error) }),
        );
      }, LOOK_MS);
    });
  }

  /** Its own view of these may have changed. */
  note(servers: Iterable<string>): void {
    if (this.#id === undefined) return;
    for (const server of servers) this.#due.add(server);
    this.#gather();
  }

  /** Also those that are gone. */
  noteAll(servers: Iterable<string>): void {
    this.note([...servers, ...this.#own.keys()]);
  }

  /** This replica writes from now on. */
  taken(): void {
    this.#others.clear();
    if (this.#id === undefined) return;
    this.#settlesAt = performance.now() + ANSWER_MS;
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => this.#parts.changed(), ANSWER_MS);
    this.#ask([]);
  }

  /** The fields of status; none while they stay as they are. A null removes one. */
  fieldsOf(server: string): JsonObject {
    if (this.#id === undefined) return NO_VIEWS;
    if (performance.now() < this.#settlesAt) return {};
    const { name } = this.#parts;
    const views = [{ name, servers: this.#refreshed(server) }, ...this.#others.values()].flatMap(
      ({ name, servers }) => {
        const { state, reason, ready, since } = servers.get(server) ?? {};
        return state === undefined ? [] : [{ name, state, reason, ready, since }];
      },
    );
    // What is left out is ready, unless more than ten are not.
    const sorted = views.sort(
      (a, b) => Number(a.ready) - Number(b.ready) || (a.name < b.name ? -1 : Number(a.name > b.name)),
    );
    if (sorted.length === 0) return NO_VIEWS;
    return {
      replicas: sorted.slice(0, MAX_LISTED),
      replicasReady: `${sorted.filter(({ ready }) => ready).length}/${sorted.length}`,
      replicasLeftOut: sorted.length > MAX_LISTED ? sorted.length - MAX_LISTED : null,
    };
  }

  /** The others take it from their lists. */
  stop(): void {
    clearTimeout(this.#gathering);
    clearTimeout(this.#settling);
    clearInterval(this.#looking);
    const id = this.#id;
    if (id !== undefined) this.#send({ kind: 'ended', id });
  }

  /** Undefined if this process is alone, as far as it knows. */
  get #id(): string | undefined {
    return this.#scope.find(Channel) && this.#scope.find(Peers)?.own;
  }

  #gather(): void {
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      for (const server of this.#due) this.#refreshed(server);
      this.#due.clear();
      this.#tell(this.#untold);
      this.#untold.clear();
    }, GATHER_MS);
  }

  #refreshed(server: string): ReadonlyMap<string, SeenView> {
    const view = this.#parts.viewOf(server);
    const before = this.#own.get(server);
    if (view === undefined) this.#own.delete(server);
    else if (view !== 'passing' && (before?.state !== view.state || before.reason !== view.reason))
      this.#own.set(server, { ...view, since: `${new Date().toISOString().slice(0, 19)}Z` });
    if (this.#own.get(server) !== before) {
      this.#untold.add(server);
      this.#gather();
    }
    return this.#own;
  }

  #tell(servers: Iterable<string>): void {
    const id = this.#id;
    if (id === undefined) return;
    const { name } = this.#parts;
    const told = [...servers].map((server): Told => [server, this.#own.get(server) ?? null]);
    for (let at = 0; at < told.length; at += MAX_IN_MESSAGE)
      this.#send({ kind: 'seen', id, name, servers: told.slice(at, at + MAX_IN_MESSAGE) });
  }

  #receive(message: Message): void {
    if (message.kind === 'ask') {
      const id = this.#id;
      if (id !== undefined && !message.known.includes(id)) this.#tell(this.#own.keys());
    } else if (!this.#parts.mayWrite()) return;
    else if (message.kind === 'ended') this.#forget([message.id]);
    else this.#follow(message);
  }

  #follow({ id, name, servers }: Message & { readonly kind: 'seen' }): void {
    const follower: Follower = this.#others.get(id) ?? { name: name.slice(0, MAX_NAME), servers: new Map() };
    if (!this.#others.has(id) && this.#others.size >= MAX_FOLLOWED) return;
    this.#others.set(id, follower);
    for (const [server, seen] of servers) {
      if (seen === null) follower.servers.delete(server);
      else follower.servers.set(server, seen);
    }
    this.#parts.changed(servers.map(([server]) => server));
  }

  #forget(ids: readonly string[]): void {
    const gone = ids.filter((id) => this.#others.delete(id));
    if (gone.length > 0) this.#parts.changed();
  }

  async #look(): Promise<void> {
    const peers = this.#scope.find(Peers);
    if (peers === undefined || !this.#parts.mayWrite()) return;
    const ids = [...this.#others.keys()];
    const lives = await Promise.all(ids.map((id) => peers.isAlive(id)));
    this.#forget(ids.filter((_, at) => lives[at] === false));
    this.#ask([...this.#others.keys()]);
  }

  #ask(known: readonly string[]): void {
    if (this.#parts.mayWrite()) this.#send({ kind: 'ask', known });
  }

  #send(message: Message): void {
    this.#scope.find(Channel)?.publish(TOPIC, { ...message });
  }
}
