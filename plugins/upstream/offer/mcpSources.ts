import { HIDDEN, compileGlob, holdsUnprintable, isObject } from 'pegboard';
import type {
  CallOptions,
  Glob,
  InboundRequest,
  JsonObject,
  KernelEvent,
  Log,
  Offer,
  ToolTable,
} from 'pegboard';
import type { McpCompletionSource, McpPromptSource, McpResourceSource } from '../contract.ts';
import type { UpstreamConfig } from '../config.ts';
import type { OfferingServer } from './offeringServer.ts';
import type { ServerCalls } from '../server/serverCalls.ts';
import type { Declaring } from '../server/ownedWatches.ts';
import type { Listing } from '../conversation/listing.ts';
import { NOTHING_LISTED } from '../conversation/listing.ts';
import { LISTS } from '../conversation/readList.ts';
import { rpcText } from '../rpc/rpcText.ts';
import type { RpcText } from '../rpc/rpcText.ts';
import { Claims, exposedName, exposedUri, isOwnUri, isSameNaming, namingOf } from './names.ts';
import type { Claim, Collision, NameParts } from './names.ts';

interface Item extends Claim {
  readonly connection: OfferingServer;
  /** The declaration with its exposed name or uri. */
  readonly shown: JsonObject;
  readonly ownName: string;
  readonly offer: Offer;
  readonly matches?: Glob;
}
type Section = 'resources' | 'resourceTemplates' | 'prompts';
const KINDS = { resources: 'resource', resourceTemplates: 'resource', prompts: 'prompt' } as const;
const MAX_LOGGED = 10;
/** All names collide if two servers run the same package. */
const MAX_SHOWN = 3;
const SECTIONS: readonly Section[] = ['resources', 'resourceTemplates', 'prompts'];

export interface SourceParts {
  readonly config: () => UpstreamConfig;
  readonly emit: (event: KernelEvent) => void;
  readonly log: Log;
  /** Decides whether a request may see an item. */
  readonly table: () => Pick<ToolTable, 'refusal' | 'admit'>;
}
interface Found {
  readonly connection: OfferingServer;
  /** The server's own uri. */
  readonly own: string;
  /** Every one of these must be allowed. */
  readonly offers: readonly Offer[];
}

/** The servers' MCP resources, templates and prompts; the first server by name wins a collision. */
export class McpSources implements McpResourceSource, McpPromptSource, McpCompletionSource {
  readonly #parts: SourceParts;
  readonly #claims: Readonly<Record<Section, Claims<Item>>> = {
    resources: new Claims(),
    resourceTemplates: new Claims(),
    prompts: new Claims(),
  };
  readonly #byServer = new Map<
    string,
    {
      readonly seen: Listing;
      readonly parts: NameParts;
      readonly names: ReadonlyMap<Section, ReadonlySet<string>>;
      readonly malformed: readonly string[];
    }
  >();

  constructor(parts: SourceParts) {
    this.#parts = parts;
  }

  update(connection: OfferingServer): void {
    const { name, isWanted, listing } = connection;
    const parts = namingOf(connection, this.#parts.config());
    const before = this.#byServer.get(name);
    const next = isWanted ? listing : NOTHING_LISTED;
    const isSame = (section: Section): boolean =>
      next[section] === before?.seen[section] && isSameNaming(parts, before.parts);
    const names = new Map<Section, ReadonlySet<string>>();
    const malformed: string[] = [];
    for (const section of SECTIONS) {
      const found = malformedIn(section, next[section]);
      malformed.push(...found);
      this.#tellMalformed(
        section,
        found.filter((one) => !before?.malformed.includes(one)),
        name,
      );
      const former = before?.names.get(section) ?? new Set<string>();
      const items = isSame(section) ? undefined : itemsOf(section, next[section], connection, parts);
      names.set(section, items === undefined ? former : new Set(items.keys()));
      if (items === undefined) continue;
      const fresh = new Map([...items].filter(([key]) => !former.has(key)));
      this.#tellRenamed(section, fresh, name);
      this.#tellCollisions(section, fresh);
      this.#claims[section].replace(name, former, items);
      const isEmpty = former.size + items.size === 0;
      if (!isEmpty) this.#parts.emit({ type: `server.${section}Changed`, server: name, count: items.size });
    }
    this.#byServer.set(name, { seen: next, parts, names, malformed });
  }

  /** Withdraws everything. */
  clear(): void {
    for (const section of SECTIONS)
      for (const [server, { names }] of this.#byServer)
        this.#claims[section].replace(server, names.get(section) ?? [], new Map());
    this.#byServer.clear();
  }

  resources(request: InboundRequest): readonly JsonObject[] {
    return this.#shown('resources', request);
  }
  templates(request: InboundRequest): readonly JsonObject[] {
    return this.#shown('resourceTemplates', request);
  }
  prompts(request: InboundRequest): readonly JsonObject[] {
    return this.#shown('prompts', request);
  }

  /** Whether a server lists that uri; templates do not count. */
  lists(uri: string): boolean {
    return this.#claims.resources.winner(uri) !== undefined;
  }
  read(uri: string, request: InboundRequest, options: CallOptions): Promise<string> | undefined {
    const found = this.#resource(uri);
    if (found === undefined) return undefined;
    this.#admit(found.offers, request);
    const text = rpcText('resources/read', { uri: found.own }, { name: found.own });
    return ask(found.connection.for(request, options.client), `resource ${uri}`, text, options);
  }

  get(
    name: string,
    args: JsonObject,
    request: InboundRequest,
    options: CallOptions,
  ): Promise<string> | undefined {
    const found = this.#claims.prompts.winner(name);
    if (found === undefined) return undefined;
    this.#admit([found.offer], request);
    const { ownName } = found;
    const text = rpcText('prompts/get', { name: ownName, arguments: args }, { name: ownName });
    return ask(found.connection.for(request, options.client), `prompt ${name}`, text, options);
  }

  subscribe(
    uri: string,
    request: InboundRequest,
    updated: () => void,
    client?: Declaring,
  ): Promise<() => void> | undefined {
    const found = this.#resource(uri);
    if (found === undefined) return undefined;
    this.#admit(found.offers, request);
    // Decided again at each update: a denial may have been added since the subscription.
    return found.connection.watchFor({ request, client }, found.own, () => {
      if (found.offers.every((offer) => this.#isVisible(offer, request))) updated();
    });
  }

  complete(params: JsonObject, request: InboundRequest, options: CallOptions): Promise<string> | undefined {
    const { ref, argument, context } = params;
    if (!isObject(ref)) return undefined;
    const key = ref['type'] === 'ref/prompt' ? 'name' : 'uri';
    const section = key === 'name' ? 'prompts' : 'resourceTemplates';
    const found = this.#claims[section].winner(String(ref[key]));
    if (found === undefined) return undefined;
    this.#admit([found.offer], request);
    const { connection, ownName } = found;
    if (connection.facts?.capabilities['completions'] === undefined)
      return Promise.resolve('{"completion":{"values":[]}}');
    const text = rpcText('completion/complete', { ref: { ...ref, [key]: ownName }, argument, context });
    return ask(connection.for(request, options.client), `completion for ${ownName}`, text, options);
  }

  #shown(section: Section, request: InboundRequest): readonly JsonObject[] {
    const names = [...this.#claims[section].names()].sort();
    return names.flatMap((name) => {
      const item = this.#claims[section].winner(name);
      return item !== undefined && this.#isVisible(item.offer, request) ? [item.shown] : [];
    });
  }

  #isVisible(offer: Offer, request: InboundRequest): boolean {
    return this.#parts.table().refusal(offer.name, offer, request) === undefined;
  }

  /** @throws GatewayError if any of them is refused */
  #admit(offers: readonly Offer[], request: InboundRequest): void {
    for (const offer of offers) this.#parts.table().admit(offer.name, offer, request);
  }

  #resource(uri: string): Found | undefined {
    const listed = this.#claims.resources.winner(uri);
    if (listed !== undefined)
      return { connection: listed.connection, own: listed.ownName, offers: [listed.offer] };
    const template = this.#templateOf(uri);
    if (template === undefined) return undefined;
    // A rule may name the template or the resolved uri.
    return {
      connection: template.connection,
      own: uri,
      offers: [template.offer, { ...template.offer, name: uri }],
    };
  }

  #templateOf(uri: string): Item | undefined {
    if (isOwnUri(uri) || uri.length > this.#parts.config().maxUriChars) return undefined;
    const names = [...this.#claims.resourceTemplates.names()].sort();
    const items = names.map((name) => this.#claims.resourceTemplates.winner(name));
    return items.find((item) => item?.matches?.(uri));
  }

  /** @param fresh names that the server did not list before */
  #tellMalformed(what: Section, fresh: readonly string[], server: string): void {
    if (fresh.length === 0) return;
    const names = fresh.slice(0, MAX_LOGGED);
    this.#parts.log.warn('malformed entries left out', { server, what, names });
  }

  /** A resource whose uri belongs to Pegboard is renamed in the way of uris without a scheme. */
  #tellRenamed(what: Section, fresh: ReadonlyMap<string, Item>, server: string): void {
    for (const [listed, { ownName }] of fresh) {
      if (what === 'prompts' || !isOwnUri(ownName)) continue;
      const text = 'a server offers a resource under a uri of Pegboard; it is listed under another name';
      this.#parts.log.warn(text, { server, uri: ownName, listed });
      this.#parts.emit({ type: 'tool.collided', what, name: ownName, winner: 'pegboard', loser: server });
    }
  }

  /** @param fresh the items that a server is about to claim */
  #tellCollisions(what: Section, fresh: ReadonlyMap<string, Item>): void {
    const collisions = this.#claims[what].collisions(fresh);
    for (const [at, { winner, loser }] of collisions.entries()) {
      const isPair = (one: Collision): boolean => one.winner === winner && one.loser === loser;
      if (collisions.findIndex(isPair) < at) continue;
      const names = collisions.filter(isPair).map(({ name }) => name);
      const text = 'two servers offer something under one name; the first by name has it';
      const facts = { what, winner, loser, count: names.length, names: names.slice(0, MAX_SHOWN).join(', ') };
      this.#parts.log.warn(text, facts);
    }
    for (const collision of collisions) this.#parts.emit({ type: 'tool.collided', what, ...collision });
  }
}

async function ask(
  connection: ServerCalls,
  what: string,
  text: RpcText,
  options: CallOptions,
): Promise<string> {
  return (await connection.call(what, text, options)).json;
}

function itemsOf(
  section: Section,
  declared: readonly unknown[],
  connection: OfferingServer,
  parts: NameParts,
): ReadonlyMap<string, Item> {
  const items = new Map<string, Item>();
  const { key } = LISTS[section];
  for (const one of declared) {
    const ownName = isObject(one) ? one[key] : undefined;
    if (!isObject(one) || typeof ownName !== 'string' || isMalformed(ownName)) continue;
    const name = section === 'prompts' ? exposedName(ownName, parts) : exposedUri(ownName, parts);
    if (items.has(name)) continue;
    const matches = section === 'resourceTemplates' ? templateGlob(ownName) : undefined;
    const shown = name === ownName ? one : { ...one, [key]: name };
    const { name: server } = connection;
    const isOwn = name !== ownName && parts.prefix === server;
    const offer: Offer = { kind: KINDS[section], name, server };
    items.set(name, { server, isOwn, connection, shown, ownName, offer, ...(matches && { matches }) });
  }
  return items;
}

/** Names that are empty, redacted, or hold invisible characters. */
function malformedIn(section: Section, declared: readonly unknown[]): readonly string[] {
  return declared.flatMap((one) => {
    const name = isObject(one) ? one[LISTS[section].key] : undefined;
    return typeof name === 'string' && isMalformed(name) ? [name] : [];
  });
}

function isMalformed(name: string): boolean {
  return name === '' || name === HIDDEN || holdsUnprintable(name);
}

/** Matches every uri that the template may produce, and more: the server itself rejects a uri that does not fit. */
function templateGlob(template: string): Glob {
  const literals = template.split(/\{[^}]*\}/).map((part) => part.replace(/[*?[\]\\]/g, '\\$&'));
  return compileGlob(literals.join('*'));
}
