import { GatewayError } from 'pegboard';
import { PAUSE } from './jsonReader.ts';
import type { JsonReader, Pausing, Offsets } from './jsonReader.ts';
import type { Selector, PathStep } from './parseJsonPath.ts';

const MAX_KEYS = 20;

/** Places of the selected values: exactly one, or any number in the order of RFC 9535; a value selected twice is
 *  included twice. */
export type Selection = { readonly at: number } | { readonly places: Offsets };

/** Evaluates a JSONPath: one of keys and indexes only returns its single place, any other path all places, lazily.
 *  @throws GatewayError TOOL_ARGUMENTS naming the place that does not exist, or when maxSelectChars is exceeded */
export function* selectFrom(json: JsonReader, path: readonly PathStep[]): Pausing<Selection> {
  let at = json.root;
  let passed = '$';
  for (const [index, step] of path.entries()) {
    if (!leadsToOne(step)) return { places: walk(json, at, path.slice(index)) };
    passed += step.text.startsWith('[') || step.text.startsWith('.') ? step.text : `.${step.text}`;
    const next = yield* firstOf(taken(json, at, step));
    if (next === undefined) throw nothingAt(passed, yield* describe(json, at));
    at = next;
  }
  return { at };
}

function leadsToOne({ deep, selectors }: PathStep): boolean {
  const [only] = selectors;
  return !deep && selectors.length === 1 && (only?.kind === 'key' || only?.kind === 'index');
}

function* firstOf(places: Offsets): Pausing<number | undefined> {
  for (const place of places) {
    if (place !== PAUSE) return place;
    yield PAUSE;
  }
  return undefined;
}

/** Yields the places that all steps lead to; depth first, so that intermediate places are not collected. */
function* walk(json: JsonReader, from: number, [first, ...others]: readonly PathStep[]): Offsets {
  const open = first === undefined ? [] : [taken(json, from, first)];
  for (let inner = open.at(-1); inner !== undefined; inner = open.at(-1)) {
    const { done, value: place } = inner.next();
    const step = others[open.length - 1];
    if (done === true) open.pop();
    else if (place === PAUSE || step === undefined) yield place;
    else open.push(taken(json, place, step));
  }
}

function taken(json: JsonReader, at: number, { deep, selectors }: PathStep): Offsets {
  const [first, ...others] = selectors;
  if (!deep && first !== undefined && others.length === 0) return take(json, at, first);
  return deep ? takenBelow(json, at, selectors) : takenByEach(json, at, selectors);
}

function* takenByEach(json: JsonReader, at: number, selectors: readonly Selector[]): Offsets {
  for (const selector of selectors) {
    if (json.look()) yield PAUSE;
    yield* take(json, at, selector);
  }
}

function* takenBelow(json: JsonReader, at: number, selectors: readonly Selector[]): Offsets {
  for (const below of json.below(at)) {
    if (below === PAUSE) yield PAUSE;
    else if (json.isContainer(below)) yield* takenByEach(json, below, selectors);
  }
}

function take(json: JsonReader, at: number, selector: Selector): Offsets {
  switch (selector.kind) {
    case 'all':
      return json.children(at);
    case 'filter':
      return passing(json, at, selector);
    case 'key':
      return byKey(json, at, selector.key);
    case 'index':
    case 'slice':
      return byIndex(json, at, selector);
  }
}

function* byKey(json: JsonReader, at: number, key: string): Offsets {
  const found = yield* json.member(at, key);
  if (found !== undefined) yield found;
}

function* byIndex(json: JsonReader, at: number, selector: ByIndex): Offsets {
  if (!json.isArray(at)) return;
  const items = yield* listed(json.parts(at), lastAsked(selector));
  for (const index of indexesOf(selector, items.length)) {
    const item = items[index];
    if (item !== undefined) yield item;
    if (json.look()) yield PAUSE;
  }
}

type ByIndex = Extract<Selector, { kind: 'index' | 'slice' }>;

/** The last index that can be selected; Infinity if it depends on the length. */
function lastAsked(selector: ByIndex): number {
  if (selector.kind === 'index') return selector.index < 0 ? Infinity : selector.index;
  const { from = 0, to = Infinity, by } = selector;
  return by > 0 && from >= 0 && to >= 0 ? to - 1 : Infinity;
}

function* listed(places: Offsets, last: number): Pausing<readonly number[]> {
  const list: number[] = [];
  for (const place of places) {
    if (place === PAUSE) yield PAUSE;
    else if (list.push(place) > last) break;
  }
  return list;
}

/** RFC 9535, 2.3.4. */
function* indexesOf(selector: ByIndex, count: number): Generator<number, void> {
  const place = (at: number): number => (at < 0 ? count + at : at);
  if (selector.kind === 'index') {
    yield place(selector.index);
    return;
  }
  const { from, to, by } = selector;
  if (by > 0) {
    const end = Math.min(place(to ?? count), count);
    for (let at = Math.max(place(from ?? 0), 0); at < end; at += by) yield at;
  }
  if (by < 0) {
    const end = to === undefined ? -1 : Math.max(place(to), -1);
    for (let at = Math.min(place(from ?? count - 1), count - 1); at > end; at += by) yield at;
  }
}

type Filter = Extract<Selector, { kind: 'filter' }>;

function* passing(json: JsonReader, at: number, filter: Filter): Offsets {
  for (const child of json.children(at)) {
    if (json.look()) yield PAUSE;
    if (child === PAUSE || (yield* passes(json, child, filter))) yield child;
  }
}

function* passes(json: JsonReader, at: number, { path, operator, value: wanted }: Filter): Pausing<boolean> {
  for (const place of path.length === 0 ? [at] : walk(json, at, path)) {
    if (place === PAUSE) yield PAUSE;
    else if (operator === undefined) return true;
    else if (operator === '!=') {
      if (json.scalar(place) === wanted) return false;
    } else if (compare(json.scalar(place), operator, wanted)) return true;
  }
  return operator === '!=';
}

/** Orders numbers with numbers and texts with texts; other values can only be equal. */
function compare(left: unknown, operator: string, right: unknown): boolean {
  if (left === right && operator.includes('=')) return true;
  const isOrdered =
    (typeof left === 'number' && typeof right === 'number') ||
    (typeof left === 'string' && typeof right === 'string');
  if (!isOrdered) return false;
  if (operator.startsWith('<')) return left < right;
  return operator.startsWith('>') && left > right;
}

function nothingAt(place: string, there: string): GatewayError {
  return new GatewayError('TOOL_ARGUMENTS', `select finds nothing at ${place}; the value above ${there}`);
}

function* describe(json: JsonReader, at: number): Pausing<string> {
  if (json.isArray(at)) return `is an array of ${(yield* listed(json.children(at), Infinity)).length}`;
  if (!json.isObject(at)) {
    const value = json.scalar(at);
    return `is ${value === null ? 'null' : `a ${typeof value}`}`;
  }
  const keys = yield* listed(json.parts(at), MAX_KEYS - 1);
  return `has the keys: ${keys.map((key) => String(json.scalar(key))).join(', ')}`;
}
