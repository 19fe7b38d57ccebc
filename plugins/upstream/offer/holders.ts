import type { Tool } from 'pegboard';
import { setNewest } from '../../kit/limits/setNewest.ts';
import type { UpstreamConfig } from '../config.ts';
import type { ListName } from '../client/conversation/readList.ts';
import type { LatePlaces } from '../connection/lastKnown.ts';
import type { Differences } from './differences.ts';
import type { EntryOf, Group, View, Views } from './group.ts';

export interface Collision {
  readonly name: string;
  readonly winner: string;
  readonly loser: string;
}
/** Who offers a name: a server, or `family <name>`. */
interface Holder<T> {
  readonly name: string;
  readonly server: string;
  group: Group;
  isOwn: boolean;
  /** When it came, about ms since the epoch; the lower the earlier. */
  at: number;
  /** What it offers to those without own lists. */
  shared: T | undefined;
  /** How many views of the group have the name; without any it keeps its place. */
  views: number;
}

/** The holders of each name of one list, in all views. For each request, an own name wins, else the holder that came first, else, of
 *  tools, the first by name. A server keeps its place at a name until it is released, even while it does not list the name, as long as
 *  another one does. */
export class Holders<N extends ListName> {
  readonly #what: N;
  readonly #config: () => Pick<UpstreamConfig, 'maxTombstones'>;
  readonly #pluginTool: (name: string) => Tool | undefined;
  readonly #differences: Differences;
  readonly #byName = new Map<string, readonly Holder<EntryOf<N>>[]>();
  /** What those without own lists get. */
  readonly #sharedByName = new Map<string, EntryOf<N>>();
  /** Names that are offered to all no more → the server that offered them last. */
  readonly #former = new Map<string, string>();
  /** Names with several holders. */
  readonly #contested = new Set<string>();
  #names: readonly string[] = [];
  /** Whether the names are in order, and none has come or gone since. */
  #isSorted = true;
  /** Those without a view. */
  readonly #absent = new Set<Holder<EntryOf<N>>>();
  /** Late names with their places, of servers whose last known lists are about to be offered. */
  readonly #recalledByServer = new Map<string, ReadonlyMap<string, number>>();
  #latest = 0;
  #generation = 0;

  /** @param pluginTool a tool that another plugin added: it has its name before all servers */
  constructor(
    what: N,
    config: () => Pick<UpstreamConfig, 'maxTombstones'>,
    pluginTool: (name: string) => Tool | undefined,
    differences: Differences,
  ) {
    this.#differences = differences;
    this.#what = what;
    this.#config = config;
    this.#pluginTool = pluginTool;
  }

  /** Changes whenever a view has another entry. */
  get generation(): number {
    return this.#generation;
  }
  /** In order, so that the catalogue need not sort each list anew. */
  get names(): readonly string[] {
    if (this.#isSorted) return this.#names;
    this.#isSorted = true;
    // Most were in order before, which sorting notices.
    const kept = this.#names.filter((name) => this.#byName.has(name));
    return (this.#names = [...new Set([...kept, ...this.#byName.keys()])].sort());
  }

  /** @param views of the request; absent: of one without own lists */
  winner(name: string, views?: Views, isIn?: (entry: EntryOf<N>) => boolean): EntryOf<N> | undefined {
    if (views === undefined && isIn === undefined) return this.#sharedByName.get(name);
    return this.#best(name, views, isIn);
  }
  #best(name: string, views?: Views, isIn?: (entry: EntryOf<N>) => boolean): EntryOf<N> | undefined {
    let winner: EntryOf<N> | undefined;
    let best: Holder<EntryOf<N>> | undefined;
    for (const holder of this.#byName.get(name) ?? []) {
      const view = views?.get(holder.group);
      const entry = view === undefined ? holder.shared : this.#entryIn(view, holder.server, name);
      if (entry === undefined || isIn?.(entry) === false) continue;
      if (best !== undefined && isBetter(best, holder)) continue;
      best = holder;
      winner = entry;
    }
    return winner;
  }

  /** Whether another one has, or had, a name of the server. */
  isContested(name: string): boolean {
    return this.#contested.has(name);
  }
  /** The server that formerly offered the name to all. */
  formerOf(name: string): string | undefined {
    return this.#former.get(name);
  }

  /** When the server came to the name. */
  placeOf(name: string, server: string): number {
    return this.#byName.get(name)?.find((one) => one.server === server)?.at ?? Infinity;
  }
  /** The next names that the server takes are those of its last known lists. @param late where it was not the first */
  recall(server: string, late: LatePlaces): void {
    this.#recalledByServer.set(server, new Map(late));
  }
  /** The server has ended: it comes last where it returns. */
  release(server: string): void {
    this.#recalledByServer.delete(server);
    for (const one of this.#absent) if (one.server === server) this.#drop(one);
  }

  /** @returns the collisions that begin: each once, however many views have it */
  replace(group: Group, before: View, next: View): readonly Collision[] {
    const isShared = before.lists.size + next.lists.size === 0;
    for (const [server, entries] of before.entries[this.#what]) {
      const { removed } = this.#differences.of(entries, next.entries[this.#what].get(server));
      for (const name of removed) this.#leave(name, server, isShared);
    }
    const collisions: Collision[] = [];
    for (const [server, entries] of next.entries[this.#what]) {
      // Two updates of one millisecond have an order as well.
      this.#latest = Math.max(this.#latest + 1, Date.now());
      const late = this.#recalledByServer.get(server);
      this.#recalledByServer.delete(server);
      const former = before.entries[this.#what].get(server);
      const { added, replaced } = this.#differences.of(former, entries);
      const isNew = added.length === entries.size;
      const changed = isNew ? entries : [...added, ...replaced].map((name) => [name, entries.get(name)]);
      for (const [name, entry] of changed as Iterable<[string, EntryOf<N>]>) {
        const came = late === undefined ? this.#latest : (late.get(name) ?? 0);
        const { isOwn } = entry;
        const holder = this.#holderOf({ name, server, group, isOwn, at: came, shared: undefined, views: 0 });
        this.#touch();
        if (isShared) this.#share(holder, entry);
        if (former?.has(name) === true) continue;
        holder.views += 1;
        if (holder.views === 1) for (const one of this.#collisionsOf(holder)) collisions.push(one);
      }
    }
    return collisions;
  }

  /** @param fresh what it is if the server has no place yet */
  #holderOf(fresh: Holder<EntryOf<N>>): Holder<EntryOf<N>> {
    const { name, server, group, isOwn } = fresh;
    const holders = this.#byName.get(name);
    const held = holders?.find((one) => one.server === server);
    if (held !== undefined) {
      this.#absent.delete(held);
      return Object.assign(held, { group, isOwn });
    }
    if (this.#what === 'tools') fresh.at = 0;
    this.#byName.set(name, holders === undefined ? [fresh] : [...holders, fresh]);
    if (holders === undefined) this.#isSorted = false;
    else this.#contested.add(name);
    return fresh;
  }
  #collisionsOf(holder: Holder<EntryOf<N>>): readonly Collision[] {
    const { name } = holder;
    const holders = this.#contested.has(name) ? (this.#byName.get(name) ?? []) : [];
    const others = holders.filter((one) => one !== holder && one.views > 0);
    const [other] = [...others].sort((a, b) => (isBetter(a, b) ? -1 : 1));
    const collisions: Collision[] = [];
    if (other !== undefined) {
      const [winner, loser] = isBetter(other, holder) ? [other, holder] : [holder, other];
      collisions.push({ name, winner: winner.server, loser: loser.server });
    }
    const tool = this.#what === 'tools' ? this.#pluginTool(name) : undefined;
    if (tool !== undefined)
      collisions.push({ name, winner: `the ${tool.kind} tool of that name`, loser: holder.server });
    return collisions;
  }
  #share(holder: Holder<EntryOf<N>>, entry: EntryOf<N> | undefined): void {
    holder.shared = entry;
    const best = this.#best(holder.name);
    if (best === undefined) this.#sharedByName.delete(holder.name);
    else this.#sharedByName.set(holder.name, best);
    if (best !== undefined) this.#former.delete(holder.name);
    // A family is not a server that could be started again.
    else if (!holder.server.startsWith('family '))
      setNewest(this.#former, [holder.name, holder.server], this.#config().maxTombstones);
  }
  #leave(name: string, server: string, isShared: boolean): void {
    const holders = this.#byName.get(name) ?? [];
    const holder = holders.find((one) => one.server === server);
    if (holder === undefined) return;
    this.#touch();
    if (isShared) this.#share(holder, undefined);
    holder.views -= 1;
    if (holder.views === 0) this.#absent.add(holder);
    if (holders.every(({ views }) => views === 0)) for (const one of holders) this.#drop(one);
    else if (holder.views === 0 && this.#what === 'tools') this.#drop(holder);
  }
  #touch(): void {
    this.#generation += 1;
  }
  #drop(holder: Holder<EntryOf<N>>): void {
    const others = (this.#byName.get(holder.name) ?? []).filter((one) => one !== holder);
    if (others.length < 2) this.#contested.delete(holder.name);
    if (others.length > 0) this.#byName.set(holder.name, others);
    else if (this.#byName.delete(holder.name)) this.#isSorted = false;
    this.#absent.delete(holder);
  }

  #entryIn({ entries }: View, server: string, name: string): EntryOf<N> | undefined {
    return entries[this.#what].get(server)?.get(name);
  }
}

type Rank = Pick<Holder<unknown>, 'isOwn' | 'at' | 'server'>;
function isBetter(a: Rank, b: Rank): boolean {
  if (a.isOwn !== b.isOwn) return a.isOwn;
  return a.at === b.at ? a.server < b.server : a.at < b.at;
}
