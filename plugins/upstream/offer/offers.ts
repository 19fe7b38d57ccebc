import { isObject } from 'pegboard';
import type { InboundRequest, ToolSource, ToolTable } from 'pegboard';
import type { OwnOffer } from '../../contracts/credentials.ts';
import { NOTHING_LISTED } from '../client/conversation/listing.ts';
import { notConnected } from '../client/rpc/requestErrors.ts';
import type { LateNames, LatePlaces } from '../connection/lastKnown.ts';
import type { Personal } from '../own/personal.ts';
import type { Server } from '../server/server.ts';
import type { ToolReport } from '../connection/toolReport.ts';
import { Claims, EVERYONE } from './claims.ts';
import { exposedName, exposedUri, namingOf } from './names.ts';
import type { NameParts } from './names.ts';
import { McpSources } from './mcpSources.ts';
import type { McpSourcesParts } from './mcpSources.ts';
import { OfferedTools } from './offeredTools.ts';
import type { OfferedToolsParts } from './offeredTools.ts';
import { Offering } from './offering.ts';
import type { OfferingParts } from './offering.ts';
import { OwnOffers } from './ownOffers.ts';
import type { OfferMember } from './ownOffers.ts';
import type { OfferingServer } from './offeringServer.ts';
import { Places } from './places.ts';
import { SECTIONS } from './sourceRegistrar.ts';
import type { Section, SourceClaims } from './sourceRegistrar.ts';

export interface OffersParts extends OfferedToolsParts {
  readonly personal: (server: string) => Personal | undefined;
  /** Decides whether a request may see a resource or a prompt. */
  readonly table: () => Pick<ToolTable, 'refusal' | 'admit' | 'hides' | 'declared'>;
}
/** Those whose names are chosen together, and what they offer if that depends on the caller. */
interface Group {
  readonly members: Map<string, Server>;
  own: OwnOffers | undefined;
}

/** What all servers offer: to every request, or, of servers that callers sign in to, to each what its owner was listed. */
export class Offers {
  readonly sources: McpSources;
  readonly tools: ToolSource;
  readonly #parts: OffersParts & OfferingParts;
  readonly #shared: Offering;
  readonly #places = { resources: new Places(), resourceTemplates: new Places(), prompts: new Places() };
  readonly #groups = new Map<string, Group>();
  readonly #groupOf = new Map<string, string>();

  constructor(parts: OffersParts) {
    const { config, table } = parts;
    const sources: SourceClaims = {
      resources: new Claims(this.#places.resources),
      resourceTemplates: new Claims(this.#places.resourceTemplates),
      prompts: new Claims(this.#places.prompts),
    };
    const names = (section: Section, request: InboundRequest): readonly string[] =>
      this.#offeringsFor(request).flatMap((offering) => [...offering.sources.names(section)]);
    const offered = new OfferedTools(parts);
    this.tools = offered;
    this.#parts = { ...parts, offered, sources };
    this.#shared = new Offering(EVERYONE, this.#parts);
    const gaps: McpSourcesParts['gaps'] = (request) =>
      this.#offeringsFor(request).flatMap((offering) => [...offering.gaps()]);
    const naming = (server: string): NameParts => this.#namingOf(server);
    this.sources = new McpSources({ config, table, sources, names, gaps, naming });
  }

  /** A server, or what it lists, has changed. @param owner whose list alone has changed */
  update(server: Server, owner?: string): void {
    this.#update(server, owner);
    if (server.isWanted) return;
    for (const places of Object.values(this.#places)) places.release(server.name);
  }
  #update(server: Server, owner: string | undefined): void {
    const { name, definition } = server;
    const own = owner === undefined ? undefined : this.#own(name);
    if (owner !== undefined && own !== undefined) {
      own.listed(name, owner);
      return;
    }
    const key = definition.family === undefined ? `server ${name}` : `family ${definition.family.name}`;
    const former = this.#groupOf.get(name);
    const isRemoved = this.#parts.personal(name) === undefined;
    if (former !== undefined && (former !== key || isRemoved)) this.#leave(former, server);
    if (isRemoved) {
      this.#groupOf.delete(name);
      this.#shared.update(server);
      return;
    }
    this.#groupOf.set(name, key);
    const group = this.#groups.get(key) ?? { members: new Map<string, Server>(), own: undefined };
    this.#groups.set(key, group);
    group.members.set(name, server);
    this.#settle(group, server);
  }

  /** The next update of the server has its last known lists. */
  recall(server: string, late: LateNames): void {
    for (const section of SECTIONS) this.#places[section].recall(server, late[section] ?? []);
  }
  /** Names that another server had first. */
  lateNames(server: string): LateNames {
    const places = (section: Section): LatePlaces =>
      this.#offeringOf(server)
        .sources.taken(section, server)
        .map((name) => [name, this.#places[section].of(name, server)]);
    return Object.fromEntries(SECTIONS.map((section) => [section, places(section)]));
  }

  /** The request sees what its owner was listed, from now on. */
  prepare(request: InboundRequest): void {
    for (const { own } of this.#groups.values()) own?.prepare(request);
  }

  /** @param request whose tools they are; absent: those of requests without a list of their own */
  report(server: string, request?: InboundRequest): ToolReport {
    return this.#offeringOf(server, request).report(server, request);
  }
  /** Why a tool that a server lists is not offered: what is wrong with it. */
  leftOut(name: string, server: string, request: InboundRequest): string | undefined {
    return this.#offeringOf(server, request).tools.leftOut(name, server);
  }
  /** JSON of the declarations of a server's tools, for requests without a list of their own. */
  bytes(server: string): number {
    return this.#offeringOf(server).tools.bytes(server);
  }
  /** What a server offers to an owner: exposed names. */
  offerOf(server: string, owner: string): OwnOffer {
    const listing = this.#parts.personal(server)?.listOf(owner)?.listing ?? NOTHING_LISTED;
    const naming = this.#namingOf(server);
    const names = (items: readonly unknown[], key: string): readonly string[] =>
      items.flatMap((item) => (isObject(item) && typeof item[key] === 'string' ? [item[key]] : []));
    return {
      tools: names(listing.tools, 'name').map((name) => exposedName(name, naming)),
      resources: names(listing.resources, 'uri').map((uri) => exposedUri(uri, naming)),
      prompts: names(listing.prompts, 'name').map((name) => exposedName(name, naming)),
    };
  }
  #namingOf(server: string): NameParts {
    const group = this.#groups.get(this.#groupOf.get(server) ?? '');
    const definition = group?.members.get(server)?.definition ?? { toolPrefix: undefined };
    return namingOf({ name: server, definition }, this.#parts.config());
  }
  /** Why the definition of its server excludes a tool. */
  exclusion(name: string, request: InboundRequest): string | undefined {
    return this.#parts.offered.winner(name, request)?.excluded;
  }
  /** The server that formerly offered a tool of that name to all. */
  formerServer(name: string): string | undefined {
    return this.#parts.offered.formerServer(name);
  }

  #offeringsFor(request: InboundRequest): readonly Offering[] {
    const own = [...this.#groups.values()].flatMap((group) => group.own?.offeringFor(request) ?? []);
    return [this.#shared, ...own];
  }
  #offeringOf(server: string, request?: InboundRequest): Offering {
    return this.#own(server)?.offeringFor(request) ?? this.#shared;
  }
  #own(server: string): OwnOffers | undefined {
    return this.#groups.get(this.#groupOf.get(server) ?? '')?.own;
  }

  #leave(key: string, { name }: Server): void {
    const group = this.#groups.get(key);
    group?.members.delete(name);
    const [other] = group?.members.values() ?? [];
    if (group !== undefined && other !== undefined) this.#settle(group, other);
    else {
      group?.own?.clear();
      this.#groups.delete(key);
    }
  }

  #settle(group: Group, changed: Server): void {
    const members: readonly OfferMember[] = [...group.members.values()].map((server) => ({
      server,
      personal: this.#parts.personal(server.name),
    }));
    if (!members.some(({ personal }) => personal?.isPersonal === true)) {
      group.own?.clear();
      const all = group.own === undefined ? [changed] : group.members.values();
      group.own = undefined;
      for (const server of all) this.#shared.update(server);
      return;
    }
    if (group.own === undefined) {
      for (const server of group.members.values()) this.#shared.update(gone(server));
      group.own = new OwnOffers(this.#parts);
    }
    group.own.update(members);
  }
}

/** A server that offers nothing to all. */
function gone({ name, definition }: Server): OfferingServer {
  const away = (): never => {
    throw notConnected(name, 'request');
  };
  return {
    name,
    definition,
    listing: NOTHING_LISTED,
    facts: undefined,
    isWanted: false,
    isStale: false,
    callsFor: away,
    watchFor: away,
  };
}
