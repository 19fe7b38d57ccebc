import type { InboundRequest, KernelEvent, Log, Tool, ToolSource, ToolTable } from 'pegboard';
import type { OwnOffer } from '../../contracts/credentials.ts';
import type { AcceptedDeclarations } from '../../contracts/pins.ts';
import { setNewest } from '../../kit/limits/setNewest.ts';
import type { UpstreamConfig } from '../config.ts';
import { LIST_NAMES } from '../client/conversation/readList.ts';
import type { ListName } from '../client/conversation/readList.ts';
import type { Server } from '../server/server.ts';
import type { LateNames } from '../connection/lastKnown.ts';
import type { Personal } from '../own/personal.ts';
import type { ToolReport } from '../connection/toolReport.ts';
import { Changes } from './changes.ts';
import { Declarations } from './declarations.ts';
import { Differences } from './differences.ts';
import { Group } from './group.ts';
import type { View, Views } from './group.ts';
import { Holders } from './holders.ts';
import { McpSources } from './mcpSources.ts';
import { namingOf } from './names.ts';
import type { Naming } from './names.ts';
import { reportOn } from './reportOn.ts';
import { NO_OFFER, readOffer, withList } from './serverOffer.ts';
import type { ServerOffer } from './serverOffer.ts';
import { SharedList } from './sharedList.ts';
import { readAhead } from './toolEntry.ts';
import type { Ahead } from './toolEntry.ts';
import { SECTIONS } from './sourceItems.ts';
import type { Section } from './sourceItems.ts';

/** Lists that are kept for requests with own lists: each has all tools. */
const MAX_LISTS = 64;

export interface OffersParts {
  readonly config: () => UpstreamConfig;
  readonly log: Log;
  readonly emit: (event: KernelEvent) => void;
  readonly personal: (server: string) => Personal | undefined;
  readonly servers: () => Iterable<Server>;
  readonly accepted?: () => AcceptedDeclarations | undefined;
  /** Decides whether a request may see a resource or a prompt. */
  readonly table: () => Pick<ToolTable, 'refusal' | 'admit' | 'hides' | 'shared' | 'generation'>;
}

/** What all servers offer: to every request, or, of servers that callers sign in to, to each what its owner was listed. */
export class Offers implements ToolSource {
  readonly sources: McpSources;
  readonly declarations: Declarations;
  readonly #parts: OffersParts;
  readonly #changes: Changes;
  readonly #holders: { readonly [N in ListName]: Holders<N> };
  readonly #groups = new Map<string, Group>();
  readonly #groupOf = new Map<string, string>();
  readonly #offers = new WeakMap<object, ServerOffer>();
  /** Reports for requests without own lists, by offer: each status asks for one, and it takes a look at each tool. */
  readonly #reports = new WeakMap<ServerOffer, { readonly at: string; readonly report: ToolReport }>();
  /** Groups whose offer depends on the caller. */
  #personal: readonly Group[] = [];
  #viewsByRequest = new WeakMap<InboundRequest, Views>();
  /** The tools of requests that have the same views; the latest is last. */
  readonly #lists = new Map<string, readonly Tool[]>();
  readonly #differences = new Differences();
  readonly #ahead: Ahead = new WeakMap();
  readonly #sharedList = new SharedList(this.#differences);
  /** Servers whose definitions exclude tools. */
  readonly #excluding = new Set<string>();
  #lastId = 0;
  /** The table is asked for a tool of another plugin: looking up one of a server, and registering it, would be in vain. */
  #asksOthers = false;
  readonly #followers = new Set<() => void>();

  constructor(parts: OffersParts) {
    const { config, table, log, emit, servers, accepted = () => undefined } = parts;
    this.#parts = parts;
    this.#changes = new Changes(log, emit, this.#differences);
    const pluginTool = (name: string): Tool | undefined => this.#pluginTool(name);
    const holdersOf = <N extends ListName>(what: N): Holders<N> =>
      new Holders(what, config, pluginTool, this.#differences);
    this.#holders = {
      tools: holdersOf('tools'),
      resources: holdersOf('resources'),
      resourceTemplates: holdersOf('resourceTemplates'),
      prompts: holdersOf('prompts'),
    };
    this.sources = new McpSources({
      config,
      table,
      holders: this.#holders,
      views: (request) => this.#viewsFor(request),
      offers: (request) => this.#offersFor(request),
      naming: (server) => this.#namingOf(server),
      accepted,
    });
    const groupWith = (server: string): Group | undefined => this.#groupWith(server);
    this.declarations = new Declarations({ holders: this.#holders, groupWith, facts: servers });
  }

  find(name: string, request: InboundRequest | undefined): Tool | undefined {
    if (this.#asksOthers) return undefined;
    return this.#holders.tools.winner(name, this.#viewsFor(request))?.tool;
  }
  all(request: InboundRequest): readonly Tool[] {
    const views = this.#viewsFor(request);
    const key = [...(views?.values() ?? [])].map(({ id }) => id).join();
    const known = this.#lists.get(key);
    if (known !== undefined) return known;
    const winner = (name: string): Tool | undefined => this.#holders.tools.winner(name, views)?.tool;
    const mended = key === '' ? this.#sharedList.mended(winner) : undefined;
    const isOne = (tool: Tool | undefined): tool is Tool => tool !== undefined;
    const list = mended ?? this.#holders.tools.names.map(winner).filter(isOne);
    if (key === '') this.#sharedList.keep(list);
    setNewest(this.#lists, [key, list], MAX_LISTS);
    return list;
  }
  follow(changed: () => void): () => void {
    this.#followers.add(changed);
    return () => this.#followers.delete(changed);
  }

  /** A server, or what it lists, has changed. @param owner whose list alone has changed */
  update(server: Server, owner?: string): void {
    const { name, definition, isWanted } = server;
    const { family } = definition;
    const key = family === undefined ? `server ${name}` : `family ${family.name}`;
    const formerKey = this.#groupOf.get(name);
    const former = this.#groups.get(formerKey ?? '');
    const { includeTools, excludeTools } = definition;
    if (isWanted && (excludeTools.length > 0 || includeTools !== undefined)) this.#excluding.add(name);
    else this.#excluding.delete(name);
    this.#viewsByRequest = new WeakMap();
    if (owner !== undefined && former?.isPersonal === true) {
      former.updateOwn(name, owner);
      return;
    }
    if (this.#parts.personal(name) === undefined) former?.update();
    else {
      if (formerKey !== key) this.#leave(name);
      const group = this.#groups.get(key) ?? this.#begin(key, family?.name);
      this.#groupOf.set(name, key);
      group.members.set(name, server);
      group.update();
    }
    if (this.#parts.personal(name) === undefined) this.#leave(name);
    this.#personal = [...this.#groups.values()].filter(({ isPersonal }) => isPersonal);
    if (!isWanted) for (const section of SECTIONS) this.#holders[section].release(name);
  }

  /** The server's tools are registered again, and clients read what else it offers again. */
  renew(server: string): void {
    this.#viewsByRequest = new WeakMap();
    this.#groupWith(server)?.renew(server);
    this.#changes.renewed(server, this.#offerOf(server));
  }
  /** Reads, and compares, what the server is about to list: the next update looks it up. */
  async readAhead(server: Server, source: readonly unknown[]): Promise<void> {
    const { tools: before } = this.#offers.get(server) ?? NO_OFFER;
    const parts = namingOf(server, this.#parts.config());
    const tools = await readAhead({ connection: server, source, parts, before });
    this.#ahead.set(source, { connection: server, before, tools });
    this.#differences.of(before.entries, tools.entries);
  }
  /** The next update of the server has its last known lists. */
  recall(server: string, late: LateNames): void {
    for (const section of SECTIONS) this.#holders[section].recall(server, late[section] ?? []);
  }
  /** Names that another server had first. */
  lateNames(server: string): LateNames {
    const lost = (section: Section) =>
      this.#lost(section, server).map(
        (name) => [name, this.#holders[section].placeOf(name, server)] as const,
      );
    return Object.fromEntries(SECTIONS.map((section) => [section, lost(section)]));
  }

  /** Makes the views of the request. */
  prepare(request: InboundRequest): void {
    this.#viewsFor(request);
  }

  /** @param request whose tools they are; absent: those of requests without own lists */
  report(server: string, request?: InboundRequest): ToolReport {
    const offer = this.#offerOf(server, request);
    if (this.#viewsFor(request) !== undefined) return this.#reportOn(offer, server, request);
    const generations = SECTIONS.map((section) => this.#holders[section].generation);
    const at = [this.#parts.table().generation, ...generations].join();
    const known = this.#reports.get(offer);
    if (known?.at === at) return known.report;
    const report = this.#reportOn(offer, server, request);
    this.#reports.set(offer, { at, report });
    return report;
  }
  #reportOn(offer: ServerOffer, server: string, request?: InboundRequest): ToolReport {
    return reportOn(offer, (what) => this.#lost(what, server, request));
  }
  /** Why a tool that a server lists is not offered: what is wrong with it. */
  leftOut(name: string, server: string, request: InboundRequest): string | undefined {
    return this.#offerOf(server, request).tools.faults.get(name);
  }
  /** JSON of the declarations of a server's tools, for requests without own lists. */
  bytes(server: string): number {
    const entries = [...this.#offerOf(server).tools.entries.values()];
    const offered = entries.filter(({ excluded }) => excluded === undefined);
    return offered.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  }
  /** What a server offers to an owner: exposed names. */
  offerOf(server: string, owner: string): OwnOffer {
    const list = this.#parts.personal(server)?.listOf(owner);
    const member = this.#groupWith(server)?.members.get(server);
    const known = (list && this.#offers.get(list)) ?? NO_OFFER;
    const { tools, resources, prompts } =
      list && member ? readOffer(withList(member, list), this.#parts.config(), known) : NO_OFFER;
    return {
      tools: [...tools.entries.keys()],
      resources: [...resources.entries.keys()],
      prompts: [...prompts.entries.keys()],
    };
  }
  /** Why the definition of its server excludes a tool. */
  exclusion(name: string, request: InboundRequest): string | undefined {
    if (this.#excluding.size === 0) return undefined;
    const excluded = this.#holders.tools.winner(name, this.#viewsFor(request))?.excluded;
    return excluded === undefined || this.#pluginTool(name) !== undefined ? undefined : excluded;
  }
  /** The server that formerly offered a tool of that name to all. */
  formerServer(name: string): string | undefined {
    return this.#holders.tools.formerOf(name);
  }

  #viewsFor(request: InboundRequest | undefined): Views | undefined {
    if (request === undefined || this.#personal.length === 0) return undefined;
    const known = this.#viewsByRequest.get(request);
    if (known !== undefined) return known;
    const views = new Map(this.#personal.map((group) => [group, group.viewFor(request)]));
    this.#viewsByRequest.set(request, views);
    return views;
  }
  #groupWith(server: string): Group | undefined {
    return this.#groups.get(this.#groupOf.get(server) ?? '');
  }
  #offerOf(server: string, request?: InboundRequest): ServerOffer {
    return this.#groupWith(server)?.viewFor(request).offers.get(server) ?? NO_OFFER;
  }
  #offersFor(request: InboundRequest): readonly (readonly [server: string, offer: ServerOffer])[] {
    return [...this.#groups.values()].flatMap((group) => [...group.viewFor(request).offers]);
  }
  #namingOf(server: string): Naming {
    const definition = this.#groupWith(server)?.members.get(server)?.definition ?? { toolPrefix: undefined };
    return namingOf({ name: server, definition }, this.#parts.config());
  }
  /** Names of a server that another server has, or another plugin. */
  #lost(what: ListName, server: string, request?: InboundRequest): readonly string[] {
    const own = this.#groupWith(server)?.viewFor(request).entries[what].get(server);
    const views = this.#viewsFor(request);
    const holders = this.#holders[what];
    const isLost = (name: string): boolean =>
      (what === 'tools' && this.#pluginTool(name) !== undefined) ||
      (holders.isContested(name) && holders.winner(name, views)?.server !== server);
    return [...(own?.keys() ?? [])].filter(isLost);
  }
  /** A tool that another plugin added: it has its name before all servers. */
  #pluginTool(name: string): Tool | undefined {
    this.#asksOthers = true;
    const tool = this.#parts.table().shared(name);
    this.#asksOthers = false;
    return tool === undefined || tool.kind === 'tool' ? undefined : tool;
  }
  #begin(key: string, family: string | undefined): Group {
    const { config, personal } = this.#parts;
    const group = new Group(family, {
      config,
      personal,
      offers: this.#offers,
      ahead: this.#ahead,
      nextId: () => (this.#lastId += 1),
      replaced: (one, before, next) => this.#replaced(one, before, next),
      changed: (...news) => this.#changes.tell(...news),
    });
    this.#groups.set(key, group);
    return group;
  }
  #leave(server: string): void {
    const key = this.#groupOf.get(server) ?? '';
    const group = this.#groups.get(key);
    this.#groupOf.delete(server);
    group?.members.delete(server);
    group?.update();
    if (group?.members.size === 0) this.#groups.delete(key);
  }

  #replaced(group: Group, before: View, next: View): void {
    const { generation } = this.#holders.tools;
    for (const what of LIST_NAMES)
      this.#changes.collided(what, this.#holders[what].replace(group, before, next));
    const isShared = before.lists.size + next.lists.size === 0;
    if (!isShared || generation === this.#holders.tools.generation) return;
    this.#lists.clear();
    this.#sharedList.replaced(before, next);
    for (const changed of this.#followers) changed();
  }
}
