import { isObject } from 'pegboard';
import type { CallOptions, InboundRequest, JsonObject } from 'pegboard';
import type { McpCompletionSource, McpPromptSource, McpResourceSource } from '../contract.ts';
import type { OwnOffer } from '../../auth-client/contract.ts';
import { NOTHING_LISTED } from '../conversation/listing.ts';
import { notConnected } from '../rpc/requestErrors.ts';
import type { Connection } from '../server/connection.ts';
import type { Declaring } from '../server/ownedWatches.ts';
import type { Personal } from '../server/personal.ts';
import type { ToolReport } from '../server/toolReport.ts';
import { exposedName, exposedUri, namingOf } from './names.ts';
import { McpSources } from './mcpSources.ts';
import type { SourceParts } from './mcpSources.ts';
import { OwnOffers } from './ownOffers.ts';
import type { OfferMember } from './ownOffers.ts';
import { ToolRegistrar } from './toolRegistrar.ts';
import type { OfferingServer } from './offeringServer.ts';
import type { ToolParts } from './toolRegistrar.ts';

export interface OffersParts extends ToolParts, SourceParts {
  readonly personal: (server: string) => Personal | undefined;
}
/** Those whose names are chosen together, and what they offer if that depends on the caller. */
interface Group {
  readonly members: Map<string, Connection>;
  own: OwnOffers | undefined;
}

/** What all servers offer: to every request, or, of servers that callers sign in to, to each what its owner was listed. */
export class Offers implements McpResourceSource, McpPromptSource, McpCompletionSource {
  readonly #parts: OffersParts;
  readonly #tools: ToolRegistrar;
  readonly #sources: McpSources;
  readonly #groups = new Map<string, Group>();
  readonly #groupOf = new Map<string, string>();

  constructor(parts: OffersParts) {
    this.#parts = parts;
    this.#tools = new ToolRegistrar(parts);
    this.#sources = new McpSources(parts);
  }

  /** A server, or what it lists, has changed. @param owner whose list alone has changed */
  update(connection: Connection, owner?: string): void {
    const { name, definition } = connection;
    const own = owner === undefined ? undefined : this.#own(name);
    if (owner !== undefined && own !== undefined) {
      own.listed(owner);
      return;
    }
    const key = definition.family === undefined ? `server ${name}` : `family ${definition.family.name}`;
    const former = this.#groupOf.get(name);
    const isRemoved = this.#parts.personal(name) === undefined;
    if (former !== undefined && (former !== key || isRemoved)) this.#leave(former, connection);
    if (isRemoved) {
      this.#groupOf.delete(name);
      this.#offer(connection);
      return;
    }
    this.#groupOf.set(name, key);
    const group = this.#groups.get(key) ?? { members: new Map<string, Connection>(), own: undefined };
    this.#groups.set(key, group);
    group.members.set(name, connection);
    this.#settle(group, connection);
  }

  /** The request sees what its owner was listed, from now on. */
  prepare(request: InboundRequest): void {
    for (const { own } of this.#groups.values()) own?.prepare(request);
  }

  /** @param request whose tools they are; absent: those of requests without a list of their own */
  report(server: string, request?: InboundRequest): ToolReport {
    const own = this.#own(server);
    const variant = request === undefined ? own?.shared : own?.variantFor(request);
    return (variant?.tools ?? this.#tools).report(server);
  }
  /** What a server offers to an owner: exposed names. */
  offerOf(server: string, owner: string): OwnOffer {
    const listing = this.#parts.personal(server)?.listOf(owner)?.listing ?? NOTHING_LISTED;
    const naming = namingOf({ name: server, definition: this.#definitionOf(server) }, this.#parts.config());
    const names = (items: readonly unknown[], key: string): readonly string[] =>
      items.flatMap((item) => (isObject(item) && typeof item[key] === 'string' ? [item[key]] : []));
    return {
      tools: names(listing.tools, 'name').map((name) => exposedName(name, naming)),
      resources: names(listing.resources, 'uri').map((uri) => exposedUri(uri, naming)),
      prompts: names(listing.prompts, 'name').map((name) => exposedName(name, naming)),
    };
  }
  #definitionOf(server: string): { readonly toolPrefix: string | undefined } {
    const group = this.#groups.get(this.#groupOf.get(server) ?? '');
    return group?.members.get(server)?.definition ?? { toolPrefix: undefined };
  }
  /** Why the definition of its server excludes a tool. */
  exclusion(name: string, server: string, request: InboundRequest): string | undefined {
    return (this.#own(server)?.variantFor(request)?.tools ?? this.#tools).exclusion(name);
  }
  /** The server that formerly offered a tool of that name. */
  formerServer(name: string): string | undefined {
    return this.#tools.formerServer(name);
  }

  resources(request: InboundRequest): readonly JsonObject[] {
    return this.#for(request).flatMap((sources) => sources.resources(request));
  }
  templates(request: InboundRequest): readonly JsonObject[] {
    return this.#for(request).flatMap((sources) => sources.templates(request));
  }
  prompts(request: InboundRequest): readonly JsonObject[] {
    return this.#for(request).flatMap((sources) => sources.prompts(request));
  }
  read(uri: string, request: InboundRequest, options: CallOptions): Promise<string> | undefined {
    return first(this.#forUri(uri, request), (sources) => sources.read(uri, request, options));
  }
  get(
    name: string,
    args: JsonObject,
    request: InboundRequest,
    options: CallOptions,
  ): Promise<string> | undefined {
    return first(this.#for(request), (sources) => sources.get(name, args, request, options));
  }
  subscribe(
    uri: string,
    request: InboundRequest,
    updated: () => void,
    client?: Declaring,
  ): Promise<() => void> | undefined {
    return first(this.#forUri(uri, request), (sources) => sources.subscribe(uri, request, updated, client));
  }
  complete(params: JsonObject, request: InboundRequest, options: CallOptions): Promise<string> | undefined {
    return first(this.#for(request), (sources) => sources.complete(params, request, options));
  }

  #for(request: InboundRequest): readonly McpSources[] {
    const own = [...this.#groups.values()].flatMap((group) => group.own?.variantFor(request)?.sources ?? []);
    return [this.#sources, ...own];
  }
  /** A resource that is listed comes before the template of another server. */
  #forUri(uri: string, request: InboundRequest): readonly McpSources[] {
    const all = this.#for(request);
    const listing = all.filter((sources) => sources.lists(uri));
    return listing.length > 0 ? listing : all;
  }
  #own(server: string): OwnOffers | undefined {
    return this.#groups.get(this.#groupOf.get(server) ?? '')?.own;
  }

  #leave(key: string, { name }: Connection): void {
    const group = this.#groups.get(key);
    group?.members.delete(name);
    const [other] = group?.members.values() ?? [];
    if (group !== undefined && other !== undefined) this.#settle(group, other);
    else {
      group?.own?.clear();
      this.#groups.delete(key);
    }
  }

  #settle(group: Group, changed: Connection): void {
    const members: readonly OfferMember[] = [...group.members.values()].map((connection) => ({
      connection,
      personal: this.#parts.personal(connection.name),
    }));
    if (!members.some(({ personal }) => personal?.isPersonal === true)) {
      group.own?.clear();
      const all = group.own === undefined ? [changed] : group.members.values();
      group.own = undefined;
      for (const connection of all) this.#offer(connection);
      return;
    }
    if (group.own === undefined) {
      for (const connection of group.members.values()) this.#offer(gone(connection));
      group.own = new OwnOffers(this.#parts);
    }
    group.own.update(members);
  }

  #offer(server: OfferingServer): void {
    this.#tools.update(server);
    this.#sources.update(server);
  }
}

/** A server that offers nothing to all. */
function gone({ name, definition }: Connection): OfferingServer {
  const away = (): never => {
    throw notConnected(name, 'request');
  };
  return {
    ...{ name, definition, listing: NOTHING_LISTED, facts: undefined },
    ...{ isWanted: false, isStale: false, for: away, watchFor: away },
  };
}

/** What the first source says that has an answer. */
function first<T>(sources: readonly McpSources[], ask: (source: McpSources) => T | undefined): T | undefined {
  for (const source of sources) {
    const answer = ask(source);
    if (answer !== undefined) return answer;
  }
  return undefined;
}
