import { promisify } from 'node:util';
import { deflateRaw, inflateRawSync } from 'node:zlib';
import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import type { PinKind } from './fingerprint.ts';

const deflate = promisify(deflateRaw);
/** Accepted versions of one declaration: callers of one server may see different ones. */
const MAX_VERSIONS = 8;
/** A text that is compressed well must not fill the memory. */
const MAX_INFLATED = 256 * 1024 * 1024;

/** A version that was accepted, and what it may be trusted with. */
export type Accepted = readonly [hash: string, trust: number];
/** What is accepted and refused of one declaration. */
export interface Pin {
  /** The name under which it was offered, in the form that all equal ones have. */
  readonly as: string;
  /** The newest first. */
  readonly accepted: readonly Accepted[];
  readonly refused: readonly string[];
}
/** One step that changes a pin. */
export interface PinStep {
  readonly step: 'see' | 'accept' | 'refuse';
  readonly key: string;
  readonly as: string;
  readonly version: Accepted;
  /** JSON of what is pinned of the declaration. */
  readonly text: string;
}
/** What is kept of one server. */
export interface PinRecord {
  readonly pins: ReadonlyMap<string, Pin>;
  /** Compressed JSON: the newest accepted version of each declaration. */
  readonly packed: string;
}
const NOTHING = { accepted: [], refused: [] };
export const NO_RECORD: PinRecord = { pins: new Map(), packed: '' };

/** A name in a record. */
export function pinKey(kind: PinKind, own: string): string {
  return `${kind} ${own}`;
}

/** The pin after a step; undefined if the step changes nothing. A version that is seen is accepted only if none was before. */
export function stepped(pin: Pin | undefined, { step, as, version }: PinStep): Pin | undefined {
  const [hash] = version;
  const { accepted = [], refused = [] } = pin ?? {};
  const others = accepted.filter(([one]) => one !== hash);
  const isAccepted = others.length < accepted.length;
  if (step === 'see') {
    if (pin === undefined) return { as, accepted: [version], refused };
    return isAccepted && pin.as !== as ? { ...pin, as } : undefined;
  }
  const left = refused.filter((one) => one !== hash);
  if (step === 'refuse')
    return { as: pin?.as ?? as, accepted: others, refused: [hash, ...left].slice(0, MAX_VERSIONS) };
  return { as, accepted: [version, ...others].slice(0, MAX_VERSIONS), refused: left };
}

/** Whether so many versions were refused that some may be forgotten: what is not accepted is refused, then. */
export function isFull({ refused }: Pin): boolean {
  return refused.length >= MAX_VERSIONS;
}

/** What this process knows, and what is kept. What is accepted or refused in one of them stays so unless the other says the contrary: a pin
 *  that was begun anew with the same version must not bring back what was refused. A version that is accepted stays in a pin, so one that has none of what is known was begun
 *  anew after the store had lost its entries: what is known holds, or a first sight would accept what has changed.
 *  @param firsts keys of which nothing was known before this process saw them */
export function mergedPins(
  known: PinRecord,
  kept: PinRecord,
  firsts: ReadonlySet<string> = new Set(),
): ReadonlyMap<string, Pin> {
  const pins = new Map(known.pins);
  for (const [key, pin] of kept.pins) {
    const own = firsts.has(key) ? undefined : known.pins.get(key);
    const accepted = own?.accepted ?? [];
    const isOf = accepted.some(([hash]) => pin.accepted.some(([one]) => one === hash));
    if (own === undefined || isOf || accepted.length === 0) pins.set(key, withMore(pin, own));
    else pins.set(key, withMore(own, { ...pin, accepted: [] }));
  }
  return pins;
}

/** @returns the pin itself if the other one adds nothing */
function withMore(pin: Pin, { accepted, refused }: Pick<Pin, 'accepted' | 'refused'> = NOTHING): Pin {
  const known = new Set([...pin.accepted.map(([hash]) => hash), ...pin.refused]);
  const more = {
    accepted: [...pin.accepted, ...accepted.filter(([hash]) => !known.has(hash))].slice(0, MAX_VERSIONS),
    refused: [...pin.refused, ...refused.filter((hash) => !known.has(hash))].slice(0, MAX_VERSIONS),
  };
  const isSame = more.accepted.length === pin.accepted.length && more.refused.length === pin.refused.length;
  return isSame ? pin : { ...pin, ...more };
}

/** The texts of a record by key. */
export function textsIn({ packed }: PinRecord): ReadonlyMap<string, string> {
  if (packed === '') return new Map();
  const options = { maxOutputLength: MAX_INFLATED };
  const text = inflateRawSync(Buffer.from(packed, 'base64'), options).toString();
  return new Map(JSON.parse(text) as [string, string][]);
}

/** How often fewer texts are tried, of which each time at most half of the room is left unused. */
const MAX_FITS = 6;

/** The record with texts of accepted versions; as many as have room, the short ones first: one that is too long must not keep out others. */
export async function withTexts(
  record: PinRecord,
  fresh: ReadonlyMap<string, string>,
  maxBytes: number,
): Promise<PinRecord> {
  if (fresh.size === 0) return record;
  const kept = textsIn(record);
  let some: readonly (readonly [string, string])[] = [...fresh].sort(([, a], [, b]) => a.length - b.length);
  let room = MAX_INFLATED / 4 - lengthOf(kept.values());
  for (let fits = 0; fits < MAX_FITS; fits += 1) {
    some = firstWithin(some, room);
    if (some.length === 0) break;
    const packed = await deflate(JSON.stringify([...new Map([...kept, ...some])]));
    if (packed.length <= maxBytes) return { ...record, packed: packed.toString('base64') };
    // As much less as it is too much, at least the longest one.
    const bytes = lengthOf(some.map(([, text]) => text));
    room = Math.min(bytes - 1, Math.floor((bytes * maxBytes) / packed.length));
  }
  return record;
}
function firstWithin(
  texts: readonly (readonly [string, string])[],
  room: number,
): readonly (readonly [string, string])[] {
  let bytes = 0;
  const end = texts.findIndex(([, text]) => (bytes += text.length) > room);
  return end < 0 ? texts : texts.slice(0, end);
}
function lengthOf(texts: Iterable<string>): number {
  let bytes = 0;
  for (const text of texts) bytes += text.length;
  return bytes;
}

/** How a record is kept in the vault. */
export function recordValue({ pins, packed }: PinRecord): JsonObject {
  const all = [...pins].map(([key, { as, accepted, refused }]) => [key, as, accepted, refused]);
  return { pins: all, packed };
}
/** @returns undefined if the value is not a record */
export function readRecord(value: unknown): PinRecord | undefined {
  if (!isObject(value) || !Array.isArray(value['pins'])) return undefined;
  const pins = new Map<string, Pin>();
  for (const one of value['pins'] as readonly [string, string, Accepted[], string[]][])
    pins.set(one[0], { as: one[1], accepted: one[2], refused: one[3] });
  const { packed } = value;
  return { pins, packed: typeof packed === 'string' ? packed : '' };
}
