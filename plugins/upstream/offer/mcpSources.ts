import { isObject } from 'pegboard';
import type { CallOptions, InboundRequest, JsonObject, Offer, ToolTable } from 'pegboard';
import type { McpCompletionSource, McpPromptSource, McpResourceSource } from '../../contracts/mcp.ts';
import type { AcceptedDeclarations } from '../../contracts/pins.ts';
import type { UpstreamConfig } from '../config.ts';
import { canonicalUri, decodedUri, hasForms } from '../client/conversation/canonicalUri.ts';
import { callFor } from './callFor.ts';
import type { ServerCall } from './callFor.ts';
import type { Declaring } from '../own/ownedWatches.ts';
import { rpcText } from '../client/rpc/rpcText.ts';
import { LISTS } from '../client/conversation/readList.ts';
import type { Views } from './group.ts';
import type { Holders } from './holders.ts';
import { isNamedAfter, isOwnUri } from './names.ts';
import type { Naming } from './names.ts';
import type { OfferingServer } from './offeringServer.ts';
import { mayHaveIt } from './serverOffer.ts';
import type { ServerOffer } from './serverOffer.ts';
import type { OfferedItem, Section } from './sourceItems.ts';

export interface McpSourcesParts {
  readonly config: () => UpstreamConfig;
  readonly holders: { readonly [S in Section]: Holders<S> };
  readonly views: (request: InboundRequest) => Views | undefined;
  /** What the request gets of each server. */
  readonly offers: (request: InboundRequest) => readonly (readonly [server: string, offer: ServerOffer])[];
  readonly naming: (server: string) => Naming;
  /** Decides whether a request may see an item. */
  readonly table: () => Pick<ToolTable, 'refusal' | 'admit' | 'hides'>;
  readonly accepted: () => AcceptedDeclarations | undefined;
}
interface Found {
  readonly connection: OfferingServer;
  /** The server's own uri. */
  readonly own: string;
  /** Every one of these must be allowed. */
  readonly offers: readonly Offer[];
}

/** What a request gets of the servers' MCP resources, templates and prompts. */
export class McpSources implements McpResourceSource, McpPromptSource, McpCompletionSource {
  readonly #parts: McpSourcesParts;

  constructor(parts: McpSourcesParts) {
    this.#parts = parts;
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

  unreadResources(request: InboundRequest): readonly string[] {
    return this.#unread(['resources', 'resourceTemplates'], request);
  }
  unreadPrompts(name: string, request: InboundRequest): readonly string[] {
    return this.#unread(['prompts'], request, (server) => isNamedAfter(name, this.#parts.naming(server)));
  }

  read(uri: string, request: InboundRequest, options: CallOptions): Promise<string> | undefined {
    const found = this.#resource(uri, request);
    if (found === undefined) return undefined;
    this.#admit(found.offers, request);
    const text = rpcText('resources/read', { uri: found.own }, { name: found.own });
    return ask(found.connection, request, { what: `resource ${uri}`, text, options });
  }

  get(
    name: string,
    args: JsonObject,
    request: InboundRequest,
    options: CallOptions,
  ): Promise<string> | undefined {
    const found = this.#known('prompts', name, request);
    if (found === undefined) return undefined;
    this.#admit([found.offer], request);
    const { ownName } = found;
    const text = rpcText('prompts/get', { name: ownName, arguments: args }, { name: ownName });
    return ask(found.connection, request, { what: `prompt ${name}`, text, options });
  }

  subscribe(
    uri: string,
    request: InboundRequest,
    updated: () => void,
    client?: Declaring,
  ): Promise<() => void> | undefined {
    const found = this.#resource(uri, request);
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
    const found = this.#known(section, String(ref[key]), request);
    if (found === undefined) return undefined;
    this.#admit([found.offer], request);
    const { connection, ownName } = found;
    if (connection.facts?.capabilities['completions'] === undefined)
      return Promise.resolve('{"completion":{"values":[]}}');
    const text = rpcText('completion/complete', { ref: { ...ref, [key]: ownName }, argument, context });
    return ask(connection, request, { what: `completion for ${ownName}`, text, options });
  }

  #shown(section: Section, request: InboundRequest): readonly JsonObject[] {
    const accepted = this.#parts.accepted();
    const { key } = LISTS[section];
    const all = this.#winners(section, request).map(({ offer, ownName }): JsonObject | undefined => {
      if (!this.#isVisible(offer, request)) return undefined;
      const shown = accepted === undefined ? offer.declared : accepted.shown(offer);
      return shown === undefined || offer.name === ownName ? shown : { ...shown, [key]: offer.name };
    });
    return all.filter((one) => one !== undefined);
  }
  /** The items of a section that the request gets, in the order of their exposed names. */
  #winners(section: Section, request: InboundRequest): readonly OfferedItem[] {
    const names = [...new Set(this.#names(section, request))].sort();
    return names.flatMap((name) => this.#known(section, name, request) ?? []);
  }

  /** Undefined as well for what the request may not learn of. */
  #known(section: Section, name: string, request: InboundRequest): OfferedItem | undefined {
    const isKnown = ({ offer }: OfferedItem): boolean => !this.#parts.table().hides(offer, request);
    return this.#parts.holders[section].winner(name, this.#parts.views(request), isKnown);
  }
  #names(section: Section, request: InboundRequest): readonly string[] {
    return this.#parts.offers(request).flatMap(([, offer]) => [...offer[section].entries.keys()]);
  }

  /** @param mayHave whether a server could have what was not found */
  #unread(
    sections: readonly Section[],
    request: InboundRequest,
    mayHave: (server: string) => boolean = () => true,
  ): readonly string[] {
    return this.#parts.offers(request).flatMap(([server, { gaps }]) => {
      if (!mayHave(server) || !this.#isVisible({ kind: 'server', name: server, server }, request)) return [];
      const isOf = (gap: string): boolean => sections.some((section) => gap.includes(LISTS[section].method));
      return gaps.filter(isOf).map((gap) => mayHaveIt(server, gap));
    });
  }

  #isVisible(offer: Offer, request: InboundRequest): boolean {
    return this.#parts.table().refusal(offer.name, offer, request) === undefined;
  }

  /** @throws GatewayError if any of them is refused */
  #admit(offers: readonly Offer[], request: InboundRequest): void {
    for (const offer of offers) this.#parts.table().admit(offer.name, offer, request);
  }

  #resource(uri: string, request: InboundRequest): Found | undefined {
    const found = this.#servedBy(uri, request);
    return found?.offers.some((offer) => this.#parts.table().hides(offer, request)) === true
      ? undefined
      : found;
  }

  #servedBy(uri: string, request: InboundRequest): Found | undefined {
    const listed = this.#known('resources', uri, request) ?? this.#listedAs(uri, request);
    if (listed !== undefined)
      return { connection: listed.connection, own: listed.ownName, offers: [listed.offer] };
    if (uri.length > this.#parts.config().maxUriChars) return undefined;
    const canonical = canonicalUri(uri);
    const template = this.#templateOf(canonical, request);
    if (template === undefined) return undefined;
    // A rule may name the template or the resolved uri, in any form.
    const names = new Set([uri, canonical, decodedUri(canonical)]);
    const { kind, server } = template.offer;
    const resolved = [...names].map((name) => ({ kind, name, server }));
    return { connection: template.connection, own: uri, offers: [template.offer, ...resolved] };
  }

  /** What is listed under another form of the uri: some clients escape every uri that they read. */
  #listedAs(uri: string, request: InboundRequest): OfferedItem | undefined {
    if (!hasForms(uri) || uri.length > this.#parts.config().maxUriChars) return undefined;
    const canonical = canonicalUri(uri);
    for (const name of this.#names('resources', request))
      if (hasForms(name) && canonicalUri(name) === canonical) return this.#known('resources', name, request);
    return undefined;
  }

  /** @param uri canonical */
  #templateOf(uri: string, request: InboundRequest): OfferedItem | undefined {
    if (isOwnUri(uri)) return undefined;
    const fitting = this.#winners('resourceTemplates', request).filter(({ matches }) => matches?.(uri));
    const { resourceTemplates } = this.#parts.holders;
    const at = ({ offer, server }: OfferedItem): number => resourceTemplates.placeOf(offer.name, server);
    return [...fitting].sort((a, b) => at(a) - at(b))[0];
  }
}

async function ask(server: OfferingServer, request: InboundRequest, call: ServerCall): Promise<string> {
  return (await callFor(server, request, call)).json;
}
