import { isObject } from 'pegboard';
import type { JsonObject, KernelEvent, Log, Offer } from 'pegboard';
import type { UpstreamConfig } from '../config.ts';
import type { Listing } from '../conversation/listing.ts';
import { NOTHING_LISTED } from '../conversation/listing.ts';
import { LISTS } from '../conversation/readList.ts';
import type { Audience, Claim, Claimant, Claims, Collision } from './claims.ts';
import {
  MAX_OWN_NAME_CHARS,
  exposedName,
  exposedUri,
  isOwnUri,
  isSameNaming,
  nameFault,
  namingOf,
  shortened,
} from './names.ts';
import type { NameParts } from './names.ts';
import type { OfferingServer } from './offeringServer.ts';
import { templateMatcher } from './templateMatcher.ts';

/** A resource, a template or a prompt of one server. */
export interface Item extends Claim {
  readonly connection: OfferingServer;
  /** The declaration with its exposed name or uri. */
  readonly shown: JsonObject;
  readonly ownName: string;
  readonly offer: Offer;
  readonly matches?: (uri: string) => boolean;
}
export type Section = 'resources' | 'resourceTemplates' | 'prompts';
const KINDS = { resources: 'resource', resourceTemplates: 'resource', prompts: 'prompt' } as const;
const MAX_LOGGED = 10;
/** All names collide if two servers run the same package. */
const MAX_SHOWN = 3;
const SECTIONS: readonly Section[] = ['resources', 'resourceTemplates', 'prompts'];

/** Of all servers. */
export type SourceClaims = Readonly<Record<Section, Claims<Item>>>;

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
      readonly names: ReadonlyMap<Section, ReadonlySet<string>>;
      readonly malformed: readonly string[];
    }
  >();

  constructor(audience: Audience, parts: SourceParts) {
    this.#audience = audience;
    this.#parts = parts;
  }

  /** Exposed names and uris. */
  *names(section: Section): Iterable<string> {
    for (const { names } of this.#byServer.values()) yield* names.get(section) ?? [];
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
    const names = new Map<Section, ReadonlySet<string>>();
    const malformed: string[] = [];
    for (const section of SECTIONS) {
      const found = malformedIn(section, next[section], parts);
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
      this.#tellCollisions(section, fresh, name);
      this.#parts.sources[section].replace(this.#as(name), former, items);
      const isEmpty = former.size + items.size === 0;
      if (!isEmpty) this.#parts.emit({ type: `server.${section}Changed`, server: name, count: items.size });
    }
    this.#byServer.set(name, { seen: next, parts, names, malformed });
  }

  /** Withdraws everything. */
  clear(): void {
    for (const section of SECTIONS)
      for (const [server, { names }] of this.#byServer)
        this.#parts.sources[section].replace(this.#as(server), names.get(section) ?? [], new Map());
    this.#byServer.clear();
  }

  #as(server: string): Claimant {
    return { audience: this.#audience, server };
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
  #tellCollisions(what: Section, fresh: ReadonlyMap<string, Item>, server: string): void {
    const collisions = this.#parts.sources[what].collisions(this.#as(server), fresh);
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
    if (!isObject(one) || typeof ownName !== 'string' || isMalformed(section, ownName, parts)) continue;
    const name = section === 'prompts' ? exposedName(ownName, parts) : exposedUri(ownName, parts);
    if (items.has(name)) continue;
    const matches = section === 'resourceTemplates' ? templateMatcher(ownName) : undefined;
    const shown = name === ownName ? one : { ...one, [key]: name };
    const { name: server } = connection;
    const isOwn = name !== ownName && parts.prefix === server;
    const offer: Offer = { kind: KINDS[section], name, server };
    items.set(name, { server, isOwn, connection, shown, ownName, offer, ...(matches && { matches }) });
  }
  return items;
}

/** Names that are empty, redacted, too long, or hold invisible characters. */
function malformedIn(section: Section, declared: readonly unknown[], parts: NameParts): readonly string[] {
  return declared.flatMap((one) => {
    const name = isObject(one) ? one[LISTS[section].key] : undefined;
    return typeof name === 'string' && isMalformed(section, name, parts) ? [shortened(name)] : [];
  });
}

function isMalformed(section: Section, name: string, { maxUriChars }: NameParts): boolean {
  return nameFault(name, section === 'prompts' ? MAX_OWN_NAME_CHARS : maxUriChars) !== undefined;
}
