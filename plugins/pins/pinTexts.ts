import { promisify } from 'node:util';
import { deflateRaw, inflateRaw, inflateRawSync } from 'node:zlib';
import type { Turns } from '../kit/limits/turns.ts';

/** Texts that were compressed together: how many, and their JSON as base64. */
export type Pack = readonly [count: number, packed: string];
/** Texts of accepted versions by key. One that is looked up costs one pack, however many there are. */
export interface PinTexts {
  readonly packs: readonly Pack[];
  /** Key → the pack that has its text. */
  readonly places: ReadonlyMap<string, number>;
}
export const NO_TEXTS: PinTexts = { packs: [], places: new Map() };

type Texts = readonly (readonly [key: string, text: string])[];

/** Characters that are compressed at once: less than a millisecond to read. */
const PACK_CHARS = 128 * 1024;
/** A last pack below this is packed anew with what comes: a server that changes tool by tool must not fill the record with packs. */
const SMALL_CHARS = 8 * 1024;
/** A text that is compressed well must not fill the memory. */
const MAX_INFLATED = 256 * 1024 * 1024;
/** Replaced texts that may stay in packs, besides as many as there are texts. */
const MAX_DEAD = 64;

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);
const BOUND = { maxOutputLength: MAX_INFLATED };

export async function deflated(text: string): Promise<string> {
  return (await deflate(text)).toString('base64');
}
export async function inflated(packed: string): Promise<string> {
  return (await inflate(Buffer.from(packed, 'base64'), BOUND)).toString();
}
export function textsOf(json: string): Texts {
  return JSON.parse(json) as Texts;
}
/** The texts of one pack. */
export function unpacked([, packed]: Pack): ReadonlyMap<string, string> {
  return new Map(textsOf(inflateRawSync(Buffer.from(packed, 'base64'), BOUND).toString()));
}

/** The texts with those of versions that were accepted; as many as have room, the short ones first: one that is too long must not keep out others.
 *  @param maxBytes compressed bytes of all */
export async function withTexts(
  { packs: before, places: former }: PinTexts,
  fresh: ReadonlyMap<string, string>,
  maxBytes: number,
  turns: Turns,
): Promise<PinTexts> {
  if (fresh.size === 0) return { packs: before, places: former };
  const packs = [...before];
  const all = new Map(fresh);
  const count = packs.reduce((sum, [one]) => sum + one, 0);
  const isAnew = count > 2 * former.size + MAX_DEAD;
  for (let last = packs.at(-1); last !== undefined; last = packs.at(-1)) {
    if (!isAnew && last[1].length >= SMALL_CHARS) break;
    packs.pop();
    for (const [key, text] of textsOf(await inflated(last[1])))
      if (former.get(key) === packs.length && !all.has(key)) all.set(key, text);
    if (turns.isDue) await turns.next();
  }
  const places = new Map(former);
  for (const key of all.keys()) places.delete(key);
  let left = maxBytes - packs.reduce((sum, [, packed]) => sum + bytesOf(packed), 0);
  const waiting = await groupsOf(all, turns);
  for (let some = waiting.shift(); some !== undefined; some = waiting.shift()) {
    if (turns.isDue) await turns.next();
    const packed = await deflated(JSON.stringify(some));
    if (bytesOf(packed) > left) {
      // The rest is longer.
      if (some.length === 1) break;
      const half = some.length >> 1;
      waiting.unshift(some.slice(0, half), some.slice(half));
      continue;
    }
    left -= bytesOf(packed);
    for (const [key] of some) places.set(key, packs.length);
    packs.push([some.length, packed]);
  }
  return { packs, places };
}

function bytesOf(base64: string): number {
  return (base64.length / 4) * 3;
}

/** What is compressed together, the short ones first, as far as powers of two tell: to sort a hundred thousand takes too long. */
async function groupsOf(texts: ReadonlyMap<string, string>, turns: Turns): Promise<Texts[]> {
  const byLength: [string, string][][] = Array.from({ length: 33 }, () => []);
  for (const [key, text] of texts) {
    if (turns.isDue) await turns.next();
    if (text.length <= MAX_INFLATED / 4) byLength[32 - Math.clz32(text.length)]?.push([key, text]);
  }
  const groups: [string, string][][] = [];
  let group: [string, string][] = [];
  let chars = 0;
  for (const one of byLength.flat()) {
    if (group.length > 0 && chars + one[1].length > PACK_CHARS) {
      groups.push(group);
      [group, chars] = [[], 0];
    }
    group.push(one);
    chars += one[1].length;
  }
  return group.length > 0 ? [...groups, group] : groups;
}
