import { setNewest } from 'pegboard';
import type { InboundRequest, Tool } from 'pegboard';
import type { Connection } from '../server/connection.ts';
import type { OwnList } from '../server/ownLists.ts';
import type { Personal } from '../server/personal.ts';
import { McpSources } from './mcpSources.ts';
import type { SourceParts } from './mcpSources.ts';
import { ToolRegistrar } from './toolRegistrar.ts';
import type { ToolParts } from './toolRegistrar.ts';
import type { OfferingServer } from './offeringServer.ts';

const MAX_OWNERS = 20_000;

/** One server of those whose names are chosen together: a family, or one server. */
export interface OfferMember {
  readonly connection: Connection;
  readonly personal: Personal | undefined;
}
/** What the servers offer to all requests whose owners have equal lists. */
export interface Variant {
  readonly tools: ToolRegistrar;
  readonly sources: McpSources;
  readonly lists: readonly (OwnList | undefined)[];
}
/** Of the credentials that a request uses, by server. */
type Owners = ReadonlyMap<string, string>;

/** What a family, or a server, offers whose lists depend on the caller: one variant for each combination of lists. A request whose
 *  owner has no list gets that of the shared connection. */
export class OwnOffers {
  readonly #parts: ToolParts & SourceParts;
  #members: readonly OfferMember[] = [];
  /** By the ids of its lists. */
  readonly #variants = new Map<string, Variant>();
  /** Those that were seen, by a text of them. */
  readonly #owners = new Map<string, Owners>([['', new Map()]]);
  #byRequest = new WeakMap<InboundRequest, Variant>();

  constructor(parts: ToolParts & SourceParts) {
    this.#parts = parts;
  }

  /** The members, or their lists, have changed. */
  update(members: readonly OfferMember[]): void {
    this.#members = members;
    this.#byRequest = new WeakMap();
    const wanted = new Map<string, Variant['lists']>();
    for (const owners of this.#owners.values()) {
      const lists = this.#listsOf(owners);
      wanted.set(keyOf(lists), lists);
    }
    for (const [key, { tools, sources }] of this.#variants) {
      if (wanted.has(key)) continue;
      this.#variants.delete(key);
      tools.clear();
      sources.clear();
    }
    for (const [key, lists] of wanted) this.#fill(this.#variants.get(key) ?? this.#add(key, lists));
  }

  /** The owner of the request gets its own variant from now on. */
  prepare(request: InboundRequest): void {
    const owners = this.#ownersOf(request);
    const key = JSON.stringify([...owners]);
    if (this.#owners.has(key)) return;
    setNewest(this.#owners, [key, owners], MAX_OWNERS);
    const lists = this.#listsOf(owners);
    const variantKey = keyOf(lists);
    if (!this.#variants.has(variantKey)) this.#fill(this.#add(variantKey, lists));
    this.#byRequest = new WeakMap();
  }

  /** Withdraws everything. */
  clear(): void {
    this.#members = [];
    this.#byRequest = new WeakMap();
    for (const { tools, sources } of this.#variants.values()) {
      tools.clear();
      sources.clear();
    }
    this.#variants.clear();
  }

  variantFor(request: InboundRequest): Variant | undefined {
    const known = this.#byRequest.get(request);
    if (known !== undefined) return known;
    const own = this.#variants.get(keyOf(this.#listsOf(this.#ownersOf(request))));
    const variant = own ?? this.shared;
    if (variant !== undefined) this.#byRequest.set(request, variant);
    return variant;
  }
  /** That of requests without a list of their own. */
  get shared(): Variant | undefined {
    return this.#variants.get(keyOf(this.#listsOf(new Map())));
  }

  #ownersOf(request: InboundRequest): Owners {
    const owners = new Map<string, string>();
    for (const { personal } of this.#members) {
      const owner = personal?.credentialOf(request)?.owner;
      if (personal !== undefined && owner !== undefined) owners.set(personal.name, owner);
    }
    return owners;
  }
  #listsOf(owners: Owners): readonly (OwnList | undefined)[] {
    return this.#members.map(({ personal }) => {
      const owner = owners.get(personal?.name ?? '');
      return owner === undefined ? undefined : personal?.listOf(owner);
    });
  }

  #add(key: string, lists: Variant['lists']): Variant {
    const isFor = (request: InboundRequest): boolean => this.variantFor(request) === variant;
    const addTool = (tool: Tool): (() => void) => this.#parts.addTool({ ...tool, isFor });
    const variant: Variant = {
      tools: new ToolRegistrar({ ...this.#parts, addTool }),
      sources: new McpSources(this.#parts),
      lists,
    };
    this.#variants.set(key, variant);
    return variant;
  }

  #fill({ tools, sources, lists }: Variant): void {
    this.#members.forEach(({ connection }, at) => {
      const server = withList(connection, lists[at]);
      tools.update(server);
      sources.update(server);
    });
  }
}

function keyOf(lists: readonly (OwnList | undefined)[]): string {
  return lists.map((list) => list?.id ?? '').join(' ');
}

/** A server as its owner sees it. */
function withList(connection: Connection, list: OwnList | undefined): OfferingServer {
  if (list === undefined) return connection;
  return {
    name: connection.name,
    get definition() {
      return connection.definition;
    },
    get isWanted() {
      return connection.isWanted;
    },
    isStale: false,
    listing: list.listing,
    facts: list.facts,
    for: (request, client) => connection.for(request, client),
    watchFor: (owner, uri, updated) => connection.watchFor(owner, uri, updated),
  };
}
