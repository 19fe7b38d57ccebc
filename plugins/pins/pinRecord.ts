import { createHash, randomUUID } from 'node:crypto';
import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import type { Turns } from '../kit/limits/turns.ts';
import type { PinKind } from './fingerprint.ts';
import { NO_TEXTS, deflated, inflated, textsOf, withTexts } from './pinTexts.ts';
import type { Pack, PinTexts } from './pinTexts.ts';

/** Accepted versions of one declaration: callers of one server may see different ones. */
const MAX_VERSIONS = 8;
const MAX_NAME_CHARS = 64;
/** No name that is kept as it is begins so. */
const HASHED = 'sha256:';
/** Characters of a record that are compressed at once. */
const PART_CHARS = 128 * 1024;

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
  /** The newest accepted version of each declaration. */
  readonly texts: PinTexts;
}
const NOTHING = { accepted: [], refused: [] };
export const NO_RECORD: PinRecord = { pins: new Map(), texts: NO_TEXTS };

/** A name in a record. */
export function pinKey(kind: PinKind, own: string): string {
  return `${kind} ${shortName(own)}`;
}
/** A name, or its hash: a server with long names must not make a record that has no room in the vault. */
export function shortName(name: string): string {
  if (name.length <= MAX_NAME_CHARS && !name.startsWith(HASHED)) return name;
  return `${HASHED}${createHash('sha256').update(name).digest('base64url')}`;
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
 *  @param isFirst whether this process has seen a key first, and has not written it */
export async function mergedPins(
  known: PinRecord,
  kept: PinRecord,
  isFirst: (key: string) => boolean,
  turns: Turns,
): Promise<ReadonlyMap<string, Pin>> {
  const pins = new Map(known.pins);
  for (const [key, pin] of kept.pins) {
    if (turns.isDue) await turns.next();
    const own = isFirst(key) ? undefined : known.pins.get(key);
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

/** How a record is kept in the vault: `id` is another one for each. */
export interface RecordValue extends JsonObject {
  readonly id: string;
  /** Compressed lines, each the JSON of a pin. */
  readonly lines: readonly string[];
  readonly packs: readonly Pack[];
}
export async function recordValue({ pins, texts }: PinRecord, turns: Turns): Promise<RecordValue> {
  const lines: string[] = [];
  let part = '';
  for (const [key, { as, accepted, refused }] of pins) {
    if (turns.isDue) await turns.next();
    part += `${JSON.stringify([key, as, accepted, refused, texts.places.get(key) ?? -1])}\n`;
    if (part.length < PART_CHARS) continue;
    lines.push(await deflated(part));
    part = '';
  }
  if (part !== '') lines.push(await deflated(part));
  return { id: randomUUID(), lines, packs: texts.packs };
}
/** @returns undefined if the value has none */
export function idOf(value: unknown): string | undefined {
  const id = isObject(value) ? value['id'] : undefined;
  return typeof id === 'string' ? id : undefined;
}

type Line = readonly [key: string, as: string, accepted: Accepted[], refused: string[], place?: number];
/** @returns undefined if there is none. @throws Error if it is one of another version: read as none, each change would be a first sight */
export async function readRecord(value: unknown, turns: Turns): Promise<PinRecord | undefined> {
  if (value === undefined) return undefined;
  const parts = isObject(value) ? value : {};
  if (Array.isArray(parts['pins'])) return readFirstForm(parts, turns);
  if (!Array.isArray(parts['lines']) || !Array.isArray(parts['packs']))
    throw new Error('a record of pins has a form that this version of Pegboard does not know');
  const { lines, packs } = parts as unknown as RecordValue;
  const pins = new Map<string, Pin>();
  const places = new Map<string, number>();
  for (const part of lines)
    for (const text of (await inflated(part)).split('\n')) {
      if (turns.isDue) await turns.next();
      if (text === '') continue;
      const [key, as, accepted, refused, place = -1] = JSON.parse(text) as Line;
      pins.set(key, { as, accepted, refused });
      if (place >= 0) places.set(key, place);
    }
  return { pins, texts: { packs, places } };
}
/** The form before there were parts: all pins as they are, and one text of all texts. */
async function readFirstForm({ pins: all, packed }: JsonObject, turns: Turns): Promise<PinRecord> {
  const pins = new Map<string, Pin>();
  for (const [key, as, accepted, refused] of all as readonly Line[]) {
    if (turns.isDue) await turns.next();
    pins.set(keyOf(key), { as: shortName(as), accepted, refused });
  }
  const found = typeof packed === 'string' && packed !== '' ? textsOf(await inflated(packed)) : [];
  const fresh = new Map([...found].map(([key, text]) => [keyOf(key), text]));
  return { pins, texts: await withTexts(NO_TEXTS, fresh, Infinity, turns) };
}
function keyOf(key: string): string {
  const at = key.indexOf(' ');
  return pinKey(key.slice(0, at) as PinKind, key.slice(at + 1));
}
