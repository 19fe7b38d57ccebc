import type { UpstreamConfig } from '../config.ts';
import { NOTHING_LISTED } from '../client/conversation/listing.ts';
import { LIST_NAMES } from '../client/conversation/readList.ts';
import type { Server } from '../server/server.ts';
import type { OwnList } from '../own/ownLists.ts';
import { isSameNaming, namingOf } from './names.ts';
import type { Naming } from './names.ts';
import type { OfferingServer } from './offeringServer.ts';
import { readItems } from './sourceItems.ts';
import type { ReadItems, Section } from './sourceItems.ts';
import { NONE, readServerTools } from './toolEntry.ts';
import type { Ahead, ServerTools } from './toolEntry.ts';

/** What one server offers to those who have one list. */
export interface ServerOffer extends Readonly<Record<Section, ReadItems>> {
  readonly naming: Naming;
  readonly tools: ServerTools;
  /** What is not read of the lists. */
  readonly gaps: readonly string[];
}
const NOTHING_READ: ReadItems = { source: [], entries: new Map(), leftOut: [], mended: [] };
export const NO_OFFER: ServerOffer = {
  naming: NONE.parts,
  tools: NONE,
  resources: NOTHING_READ,
  resourceTemplates: NOTHING_READ,
  prompts: NOTHING_READ,
  gaps: [],
};

/** What a gap says about a name that the server does not list. */
export function mayHaveIt(server: string, gap: string): string {
  return `server ${server} may have it, but of its list only a part is known: ${gap}`;
}

/** @returns `before` itself if nothing has changed */
export function readOffer(
  server: OfferingServer,
  config: UpstreamConfig,
  before: ServerOffer,
  ahead?: Ahead,
): ServerOffer {
  const naming = namingOf(server, config);
  const listing = server.isWanted ? server.listing : NOTHING_LISTED;
  const isSameNamed = isSameNaming(naming, before.naming);
  const itemsOf = (section: Section): ReadItems =>
    isSameNamed && listing[section] === before[section].source
      ? before[section]
      : readItems(section, listing[section], server, naming);
  const next: ServerOffer = {
    naming,
    tools: server.isWanted ? readServerTools(server, naming, before.tools, ahead) : NONE,
    resources: itemsOf('resources'),
    resourceTemplates: itemsOf('resourceTemplates'),
    prompts: itemsOf('prompts'),
    gaps: Object.values(listing.gaps ?? {}).filter((gap) => gap !== undefined),
  };
  const isSame = LIST_NAMES.every((what) => next[what] === before[what]);
  return isSame && next.gaps.join() === before.gaps.join() ? before : next;
}

/** The same offer with other objects for its tools. */
export function renewedOffer(offer: ServerOffer): ServerOffer {
  const renewed = [...offer.tools.entries].map(
    ([name, entry]) => [name, { ...entry, tool: { ...entry.tool } }] as const,
  );
  return { ...offer, tools: { ...offer.tools, entries: new Map(renewed) } };
}

/** A server as the owners of a list see it. @param list absent: as those without one do */
export function withList(server: Server, list: OwnList | undefined): OfferingServer {
  if (list === undefined) return server;
  return {
    name: server.name,
    get definition() {
      return server.definition;
    },
    get isWanted() {
      return server.isWanted;
    },
    isStale: false,
    listing: list.listing,
    facts: list.facts,
    callsFor: (request, client) => server.callsFor(request, client),
    secretsChanged: () => server.secretsChanged(),
    watchFor: (owner, uri, updated) => server.watchFor(owner, uri, updated),
  };
}
