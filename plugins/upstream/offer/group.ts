import type { InboundRequest } from 'pegboard';
import { setNewest } from '../../kit/limits/setNewest.ts';
import type { UpstreamConfig } from '../config.ts';
import type { ListName } from '../client/conversation/readList.ts';
import type { Server } from '../server/server.ts';
import type { OwnList } from '../own/ownLists.ts';
import type { Personal } from '../own/personal.ts';
import { mergedTools } from './families.ts';
import { NO_OFFER, readOffer, renewedOffer, withList } from './serverOffer.ts';
import type { ServerOffer } from './serverOffer.ts';
import type { OfferedItem, Section } from './sourceItems.ts';
import type { Ahead, ToolEntry } from './toolEntry.ts';

const MAX_VIEWS = 20_000;

export type EntryOf<N extends ListName> = N extends 'tools' ? ToolEntry : OfferedItem;
type Entries<N extends ListName> = ReadonlyMap<string, ReadonlyMap<string, EntryOf<N>>>;

/** What the servers of a group offer to all whose own lists are the same. */
export interface View {
  /** Number that no other view has. */
  readonly id: number;
  /** Own lists by server; a server without one offers what it lists on the shared connection. */
  readonly lists: ReadonlyMap<string, OwnList>;
  readonly offers: ReadonlyMap<string, ServerOffer>;
  /** What has a name, by who offers it, a server or `family <name>`, and by exposed name. */
  readonly entries: { readonly [N in ListName]: Entries<N> };
}
/** The views of a request, of each group whose offer depends on the caller. */
export type Views = ReadonlyMap<Group, View>;
const EMPTY: View = { id: 0, ...viewOf(undefined, new Map(), new Map()) };

export interface GroupParts {
  readonly config: () => UpstreamConfig;
  readonly personal: (server: string) => Personal | undefined;
  /** What servers offer, by the server, or by the own list. */
  readonly offers: WeakMap<Server | OwnList, ServerOffer>;
  readonly ahead: Ahead;
  readonly nextId: () => number;
  readonly replaced: (group: Group, before: View, next: View) => void;
  /** A server offers something else than before on the shared connection, or to the owners of a list. */
  readonly changed: (server: string, before: ServerOffer, next: ServerOffer) => void;
}

/** Servers whose names are chosen together, a family or one server, and what they offer: a view for each combination of own lists. */
export class Group {
  readonly members = new Map<string, Server>();
  readonly #parts: GroupParts;
  readonly #family: string | undefined;
  #shared = EMPTY;
  /** Views by the ids of their own lists. */
  readonly #own = new Map<string, View>();
  readonly #keysByList = new WeakMap<OwnList, Set<string>>();
  /** The list that an owner had at the last request, by member and owner. */
  readonly #seen = new Map<string, OwnList>();
  #byRequest = new WeakMap<InboundRequest, View>();
  #isPersonal = false;

  /** @param family absent: it is one server */
  constructor(family: string | undefined, parts: GroupParts) {
    this.#family = family;
    this.#parts = parts;
  }

  /** Whether what it offers depends on the caller. */
  get isPersonal(): boolean {
    return this.#isPersonal;
  }

  /** @param request absent: one without own lists */
  viewFor(request?: InboundRequest): View {
    if (request === undefined || !this.#isPersonal) return this.#shared;
    const known = this.#byRequest.get(request);
    if (known !== undefined) return known;
    const lists = this.#listsOf(request);
    const view = this.#own.get(keyOf(lists)) ?? (lists.size === 0 ? this.#shared : this.#add(lists));
    this.#byRequest.set(request, view);
    return view;
  }

  /** All that a member offers: to those without own lists, and to their owners. */
  offersOf(member: string): readonly ServerOffer[] {
    const all = [this.#shared, ...this.#own.values()].map(({ offers }) => offers.get(member));
    return [...new Set(all)].filter((offer) => offer !== undefined);
  }

  /** A member, or what it lists on the shared connection, has changed. */
  update(): void {
    this.#isPersonal = [...this.members.keys()].some((name) => this.#personal(name) !== undefined);
    this.#shared = this.#read(this.#shared, EMPTY.lists);
    this.#byRequest = new WeakMap();
    for (const view of this.#own.values()) this.#settle(view);
    for (const [key, view] of this.#own) this.#own.set(key, this.#read(view, view.lists));
  }
  /** The tools of a member are other objects from now on, and nothing else has changed. */
  renew(member: string): void {
    const server = this.members.get(member);
    const { offers } = this.#parts;
    const sources = [this.#shared, ...this.#own.values()].map(({ lists }) => lists.get(member) ?? server);
    for (const source of new Set(sources)) {
      const offer = source && offers.get(source);
      if (source !== undefined && offer !== undefined) offers.set(source, renewedOffer(offer));
    }
    this.update();
  }
  /** What a member lists to an owner has changed: thousands of owners connect at once after a restart. */
  updateOwn(member: string, owner: string): void {
    this.#byRequest = new WeakMap();
    const place = placeOf(member, owner);
    const former = this.#seen.get(place);
    this.#seen.delete(place);
    if (former === undefined) return;
    for (const key of this.#keysByList.get(former) ?? []) {
      const view = this.#own.get(key);
      if (view !== undefined) this.#settle(view);
    }
  }

  #personal(member: string): Personal | undefined {
    const personal = this.members.has(member) ? this.#parts.personal(member) : undefined;
    return personal?.isPersonal === true ? personal : undefined;
  }
  #listsOf(request: InboundRequest): View['lists'] {
    const lists = new Map<string, OwnList>();
    for (const name of this.members.keys()) {
      const personal = this.#personal(name);
      const owner = personal?.credentialOf(request)?.owner;
      const list = owner === undefined ? undefined : personal?.listOf(owner);
      if (owner === undefined || list === undefined) continue;
      lists.set(name, list);
      setNewest(this.#seen, [placeOf(name, owner), list], MAX_VIEWS);
    }
    return lists;
  }

  #add(lists: View['lists']): View {
    const view = this.#read(EMPTY, lists);
    const key = keyOf(lists);
    this.#own.set(key, view);
    for (const list of lists.values())
      this.#keysByList.set(list, (this.#keysByList.get(list) ?? new Set()).add(key));
    const [oldest = view] = this.#own.values();
    if (this.#own.size > MAX_VIEWS) {
      this.#byRequest = new WeakMap();
      this.#remove(oldest);
    }
    return view;
  }
  /** Removes the view unless owners may have it: each of its lists is listed. */
  #settle(view: View): void {
    const isListed = ([name, list]: [string, OwnList]): boolean =>
      this.#personal(name)?.isListed(list) === true;
    if (![...view.lists].every(isListed)) this.#remove(view);
  }
  #remove(view: View): void {
    const key = keyOf(view.lists);
    this.#own.delete(key);
    for (const list of view.lists.values()) this.#keysByList.get(list)?.delete(key);
    this.#parts.replaced(this, view, EMPTY);
  }

  /** @returns `before` itself if nothing has changed */
  #read(before: View, lists: View['lists']): View {
    const { config, offers, ahead, nextId, replaced, changed } = this.#parts;
    const news: Parameters<typeof changed>[] = [];
    const read = new Map<string, ServerOffer>();
    for (const [name, server] of this.members) {
      const list = lists.get(name);
      const former = offers.get(list ?? server) ?? NO_OFFER;
      const offer = readOffer(withList(server, list), config(), former, ahead);
      if (offer !== former) news.push([name, former, offer]);
      offers.set(list ?? server, offer);
      read.set(name, offer);
    }
    const isSame = [...read].every(([name, offer]) => before.offers.get(name) === offer);
    if (isSame && read.size === before.offers.size) return before;
    const known = before === EMPTY ? this.#shared : before;
    const view = { id: nextId(), ...viewOf(this.#family, lists, read, known) };
    replaced(this, before, view);
    for (const one of news) changed(...one);
    return view;
  }
}

function placeOf(member: string, owner: string): string {
  return `${member} ${owner}`;
}
function keyOf(lists: View['lists']): string {
  return [...lists].map(([server, { id }]) => `${server} ${id}`).join(' ');
}

function viewOf(
  family: string | undefined,
  lists: View['lists'],
  offers: View['offers'],
  before?: View,
): Omit<View, 'id'> {
  const itemsOf = (section: Section): Entries<Section> =>
    new Map([...offers].map(([server, offer]) => [server, offer[section].entries]));
  const tools =
    family === undefined
      ? new Map([...offers].map(([server, offer]) => [server, offer.tools.entries]))
      : mergedTools(family, offers, before?.entries.tools);
  const entries = {
    tools,
    resources: itemsOf('resources'),
    resourceTemplates: itemsOf('resourceTemplates'),
    prompts: itemsOf('prompts'),
  };
  return { lists, offers, entries };
}
