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

/** What this process knows, and what is kept. A version that is accepted stays in a pin, so one that has none of what is known was begun
 *  anew after the store had lost its entries: what is known holds, or a first sight would accept what has changed. */
export function mergedPins(known: PinRecord, kept: PinRecord): ReadonlyMap<string, Pin> {
  const pins = new Map(known.pins);
  for (const [key, pin] of kept.pins) {
    const accepted = known.pins.get(key)?.accepted ?? [];
    const isOf = accepted.some(([hash]) => pin.accepted.some(([one]) => one === hash));
    if (isOf || accepted.length === 0) pins.set(key, pin);
  }
  return pins;
}

/** The texts of a record by key. */
export function textsIn({ packed }: PinRecord): ReadonlyMap<string, string> {
  if (packed === '') return new Map();
  const options = { maxOutputLength: MAX_INFLATED };
  const text = inflateRawSync(Buffer.from(packed, 'base64'), options).toString();
  return new Map(JSON.parse(text) as [string, string][]);
}

/** The record with texts of accepted versions; as many as have room. */
export async function withTexts(
  record: PinRecord,
  fresh: ReadonlyMap<string, string>,
  maxBytes: number,
): Promise<PinRecord> {
  if (fresh.size === 0) return record;
  const texts = new Map([...textsIn(record), ...fresh]);
  let bytes = 0;
  for (const text of texts.values()) bytes += text.length;
  if (bytes > MAX_INFLATED / 4) return record;
  const packed = await deflate(JSON.stringify([...texts]));
  return packed.length > maxBytes ? record : { ...record, packed: packed.toString('base64') };
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
