import { isObject } from 'pegboard';
import type { InboundRequest, JsonObject, KernelEvent, Log, Offer } from 'pegboard';
import type { UpstreamConfig } from '../config.ts';
import type { Listing } from '../client/conversation/listing.ts';
import { NOTHING_LISTED } from '../client/conversation/listing.ts';
import { LISTS } from '../client/conversation/readList.ts';
import type { Audience, Claim, Claimant, Claims, Collision } from './claims.ts';
import {
  MAX_OWN_NAME_CHARS,
  exposedName,
  exposedUri,
  isOwnUri,
  isSameNaming,
  nameFault,
  namingOf,
  shownName,
} from './names.ts';
import type { NameParts } from './names.ts';
import { shapedEntry } from './shapedEntry.ts';
import type { OfferingServer } from './offeringServer.ts';
import { templateMatcher } from './templateMatcher.ts';

/** A resource, a template or a prompt of one server. */
export interface OfferedItem extends Claim {
  readonly connection: OfferingServer;
  /** The declaration with its exposed name or uri. */
  readonly shown: JsonObject;
  readonly ownName: string;
  readonly offer: Offer;
  readonly matches?: (uri: string) => boolean;
}
export type Section = 'resources' | 'resourceTemplates' | 'prompts';
const KINDS = { resources: 'resource', resourceTemplates: 'resource', prompts: 'prompt' } as const;
export const NOUNS = {
  resources: 'resource',
  resourceTemplates: 'resource template',
  prompts: 'prompt',
} as const;
const MAX_LOGGED = 10;
/** All names collide if two servers run the same package. */
const MAX_SHOWN = 3;
export const SECTIONS: readonly Section[] = ['resources', 'resourceTemplates', 'prompts'];

/** What one server offers of a section. */
interface Read {
  readonly items: ReadonlyMap<string, OfferedItem>;
  /** Entries that are left out, each with its fault. */
  readonly leftOut: readonly string[];
  /** Entries of which members are dropped, each with their faults. */
  readonly mended: readonly string[];
}
const NOTHING_READ: Read = { items: new Map(), leftOut: [], mended: [] };

/** Claims of all servers, by section. */
export type SourceClaims = Readonly<Record<Section, Claims<OfferedItem>>>;

export interface SourceParts {
  readonly config: () => UpstreamConfig;
  readonly emit: (event: KernelEvent) => void;
  readonly log: Log;
  readonly sources: SourceClaims;
}

/** Offers the servers' MCP resources, templates and prompts to one audience. */
export class SourceRegistrar {
  readonly #audience: Audience;
  readonly #parts: SourceParts;
  readonly #byServer = new Map<
    string,
    {
      readonly seen: Listing;
      readonly parts: NameParts;
      readonly read: ReadonlyMap<Section, Read>;
    }
  >();

  constructor(audience: Audience, parts: SourceParts) {
    this.#audience = audience;
    this.#parts = parts;
  }

  /** Exposed names and uris. */
  *names(section: Section): Iterable<string> {
    for (const { read } of this.#byServer.values()) yield* read.get(section)?.items.keys() ?? [];
  }

  /** Entries of a server that are not offered as it declared them, each with its faults. */
  odd(server: string): readonly string[] {
    const read = this.#byServer.get(server)?.read;
    return SECTIONS.flatMap((section) => {
      const { leftOut, mended } = read?.get(section) ?? NOTHING_READ;
      const told = [...leftOut.map((one) => `${one}; left out`), ...mended.map((one) => `${one}; dropped`)];
      return told.map((one) => `${NOUNS[section]} ${one}`);
    });
  }

  /** Names of a server that another server has. @param request of the audience; absent: one without lists of its own */
  taken(section: Section, server: string, request?: InboundRequest): readonly string[] {
    const names = [...(this.#byServer.get(server)?.read.get(section)?.items.keys() ?? [])];
    return names.filter((name) => this.#parts.sources[section].winner(name, request)?.server !== server);
  }

  /** Updates to what the server lists now. */
  update(connection: OfferingServer): void {
    const { name, isWanted, listing } = connection;
    const parts = namingOf(connection, this.#parts.config());
    const before = this.#byServer.get(name);
    const next = isWanted ? listing : NOTHING_LISTED;
    const isSame = (section: Section): boolean =>
      next[section] === before?.seen[section] && isSameNaming(parts, before.parts);
    if (SECTIONS.every(isSame)) return;
    const read = new Map(before?.read);
    for (const section of SECTIONS.filter((one) => !isSame(one))) {
      const former = read.get(section) ?? NOTHING_READ;
      const now = readSection(section, next[section], connection, parts);
      read.set(section, now);
      this.#tellOdd('malformed entries left out', section, name, newIn(now.leftOut, former.leftOut));
      this.#tellOdd('malformed members of entries dropped', section, name, newIn(now.mended, former.mended));
      const fresh = new Map([...now.items].filter(([key]) => !former.items.has(key)));
      this.#tellRenamed(section, fresh, name);
      this.#tellCollisions(section, fresh, name);
      this.#parts.sources[section].replace(this.#as(name), former.items.keys(), now.items);
      const isEmpty = former.items.size + now.items.size === 0;
      if (!isEmpty)
        this.#parts.emit({ type: `server.${section}Changed`, server: name, count: now.items.size });
    }
    this.#byServer.set(name, { seen: next, parts, read });
  }

  /** Withdraws everything. */
  clear(): void {
    for (const section of SECTIONS)
      for (const [server, { read }] of this.#byServer)
        this.#parts.sources[section].replace(
          this.#as(server),
          read.get(section)?.items.keys() ?? [],
          new Map(),
        );
    this.#byServer.clear();
  }

  #as(server: string): Claimant {
    return { audience: this.#audience, server };
  }

  /** @param fresh what was not found in the former list */
  #tellOdd(text: string, what: Section, server: string, fresh: readonly string[]): void {
    if (fresh.length === 0) return;
    this.#parts.log.warn(text, { server, what, count: fresh.length, names: fresh.slice(0, MAX_LOGGED) });
  }

  /** A resource whose uri belongs to Pegboard is renamed in the way of uris without a scheme. */
  #tellRenamed(what: Section, fresh: ReadonlyMap<string, OfferedItem>, server: string): void {
    for (const [listed, { ownName }] of fresh) {
      if (what === 'prompts' || !isOwnUri(ownName)) continue;
      const text = 'a server offers a resource under a uri of Pegboard; it is listed under another name';
      this.#parts.log.warn(text, { server, uri: ownName, listed });
      this.#parts.emit({ type: 'tool.collided', what, name: ownName, winner: 'pegboard', loser: server });
    }
  }

  /** @param fresh the items that a server is about to claim */
  #tellCollisions(what: Section, fresh: ReadonlyMap<string, OfferedItem>, server: string): void {
    const collisions = this.#parts.sources[what].collisions(this.#as(server), fresh);
    for (const [at, { winner, loser }] of collisions.entries()) {
      const isPair = (one: Collision): boolean => one.winner === winner && one.loser === loser;
      if (collisions.findIndex(isPair) < at) continue;
      const names = collisions.filter(isPair).map(({ name }) => name);
      const text = 'two servers offer something under one name; that of the loser is left out';
      const facts = { what, winner, loser, count: names.length, names: names.slice(0, MAX_SHOWN).join(', ') };
      this.#parts.log.warn(text, facts);
    }
    for (const collision of collisions) this.#parts.emit({ type: 'tool.collided', what, ...collision });
  }
}

function newIn(told: readonly string[], before: readonly string[]): readonly string[] {
  const known = new Set(before);
  return told.filter((one) => !known.has(one));
}

function readSection(
  section: Section,
  declared: readonly unknown[],
  connection: OfferingServer,
  parts: NameParts,
): Read {
  const items = new Map<string, OfferedItem>();
  const leftOut: string[] = [];
  const mended: string[] = [];
  const { key } = LISTS[section];
  const maxChars = section === 'prompts' ? MAX_OWN_NAME_CHARS : parts.maxUriChars;
  declared.forEach((one, at) => {
    const { entry, odd } = shapedEntry(section, one);
    const given = isObject(one) ? one[key] : undefined;
    const label = typeof given === 'string' && given !== '' ? shownName(given) : `number ${at + 1}`;
    const fault = entry === undefined ? odd : nameFault(String(entry[key]), maxChars);
    if (entry === undefined || fault !== undefined) {
      leftOut.push(`${label}: ${fault}`);
      return;
    }
    if (odd !== '') mended.push(`${label}: ${odd}`);
    const item = itemOf(section, entry, connection, parts);
    if (!items.has(item.offer.name)) items.set(item.offer.name, item);
  });
  return { items, leftOut, mended };
}

/** @param entry has the shape of its section */
function itemOf(
  section: Section,
  entry: JsonObject,
  connection: OfferingServer,
  parts: NameParts,
): OfferedItem {
  const { key } = LISTS[section];
  const ownName = entry[key] as string;
  const name = section === 'prompts' ? exposedName(ownName, parts) : exposedUri(ownName, parts);
  const matches = section === 'resourceTemplates' ? templateMatcher(ownName) : undefined;
  const shown = name === ownName ? entry : { ...entry, [key]: name };
  const { name: server } = connection;
  const isOwn = name !== ownName && parts.prefix === server;
  const offer: Offer = { kind: KINDS[section], name, server };
  return { server, isOwn, connection, shown, ownName, offer, ...(matches && { matches }) };
}
