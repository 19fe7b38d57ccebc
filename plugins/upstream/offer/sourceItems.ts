import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import type { DeclaredOffer } from '../../contracts/pins.ts';
import { canonicalUri } from '../client/conversation/canonicalUri.ts';
import { LISTS } from '../client/conversation/readList.ts';
import { MAX_OWN_NAME_CHARS, exposedName, exposedUri, nameFault, shownName } from './names.ts';
import type { Claim, Naming } from './names.ts';
import { shapedEntry } from './shapedEntry.ts';
import type { OfferingServer } from './offeringServer.ts';
import { templateMatcher } from './templateMatcher.ts';

/** A resource, a template or a prompt of one server. */
export interface OfferedItem extends Claim {
  readonly connection: OfferingServer;
  readonly ownName: string;
  readonly offer: DeclaredOffer;
  readonly matches?: (uri: string) => boolean;
}
export type Section = 'resources' | 'resourceTemplates' | 'prompts';
const KINDS = { resources: 'resource', resourceTemplates: 'resource', prompts: 'prompt' } as const;
export const NOUNS = {
  resources: 'resource',
  resourceTemplates: 'resource template',
  prompts: 'prompt',
} as const;
export const SECTIONS: readonly Section[] = ['resources', 'resourceTemplates', 'prompts'];

/** What one server lists of a section. */
export interface ReadItems {
  readonly source: readonly unknown[];
  /** Items by exposed name or uri. */
  readonly entries: ReadonlyMap<string, OfferedItem>;
  /** Entries that are left out, each with its fault. */
  readonly leftOut: readonly string[];
  /** Entries of which members are dropped, each with their faults. */
  readonly mended: readonly string[];
}

/** Reads what one server lists of a section. */
export function readItems(
  section: Section,
  source: readonly unknown[],
  connection: OfferingServer,
  parts: Naming,
): ReadItems {
  const entries = new Map<string, OfferedItem>();
  const leftOut: string[] = [];
  const mended: string[] = [];
  const { key } = LISTS[section];
  const maxChars = section === 'prompts' ? MAX_OWN_NAME_CHARS : parts.maxUriChars;
  source.forEach((one, at) => {
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
    if (!entries.has(item.offer.name)) entries.set(item.offer.name, item);
  });
  return { source, entries, leftOut, mended };
}

/** @param entry has the shape of its section */
function itemOf(section: Section, entry: JsonObject, connection: OfferingServer, parts: Naming): OfferedItem {
  const { key } = LISTS[section];
  const ownName = entry[key] as string;
  const name = section === 'prompts' ? exposedName(ownName, parts) : exposedUri(ownName, parts);
  const matches = section === 'resourceTemplates' ? templateMatcher(ownName) : undefined;
  const { name: server } = connection;
  const isOwn = name !== ownName && parts.prefix === server;
  const place = section === 'prompts' ? name : canonicalUri(name);
  const offer: DeclaredOffer = {
    kind: KINDS[section],
    name,
    server,
    section,
    own: ownName,
    place,
    declared: entry,
  };
  return { server, isOwn, connection, ownName, offer, ...(matches && { matches }) };
}
