import { GatewayError, isObject } from 'pegboard';
import type { Selector, Step } from './parseJsonPath.ts';

/** Counts what is looked at: each `..` and each list of selectors may multiply what the one before has found. */
interface Work {
  left: number;
}

/** Takes a part out of a value by JSONPath. A path that can only lead to one place answers what is there, any other an
 *  array of what there is. @param max values that may be looked at
 *  @throws GatewayError TOOL_ARGUMENTS naming the place that is wrong or not there, and over `max` */
export function selectFrom(root: unknown, path: readonly Step[], max: number): unknown {
  const work = { left: max };
  let found: readonly unknown[] = [root];
  let many = false;
  let passed = '$';
  for (const step of path) {
    passed += step.text.startsWith('[') || step.text.startsWith('.') ? step.text : `.${step.text}`;
    many ||= !leadsToOne(step);
    const next = apply(step, found, work);
    if (next.length === 0 && !many) throw nothingAt(passed, found[0]);
    found = next;
  }
  return many ? found : found[0];
}

function leadsToOne({ deep, selectors }: Step): boolean {
  const [only] = selectors;
  return !deep && selectors.length === 1 && (only?.kind === 'key' || only?.kind === 'index');
}

function apply({ selectors, deep }: Step, values: readonly unknown[], work: Work): readonly unknown[] {
  const from = deep ? values.flatMap((value) => withAllBelow(value, work)) : values;
  return from.flatMap((value) => selectors.flatMap((selector) => take(value, selector, work)));
}

/** @throws GatewayError TOOL_ARGUMENTS */
function spend(work: Work, count: number): void {
  work.left -= count;
  if (work.left >= 0) return;
  const text =
    'select looks at more than plugins.metatools.config.maxSelected values; name the place with fewer .. and *';
  throw new GatewayError('TOOL_ARGUMENTS', text);
}

/** A value and everything in it, in the order of the document; without recursion, as a document may be deep. */
function withAllBelow(root: unknown, work: Work): readonly unknown[] {
  const found: unknown[] = [];
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const value = waiting.pop();
    found.push(value);
    spend(work, 1);
    const children = childrenOf(value);
    for (let at = children.length - 1; at >= 0; at -= 1) waiting.push(children[at]);
  }
  return found;
}

function childrenOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value as unknown[];
  return isObject(value) ? Object.values(value) : [];
}

function take(value: unknown, selector: Selector, work: Work): readonly unknown[] {
  const isOfAll = selector.kind === 'all' || selector.kind === 'filter';
  spend(work, isOfAll ? childrenOf(value).length : 1);
  switch (selector.kind) {
    case 'all':
      return childrenOf(value);
    case 'filter':
      return childrenOf(value).filter((child) => passes(child, selector, work));
    case 'key':
      return isObject(value) && Object.hasOwn(value, selector.key) ? [value[selector.key]] : [];
    case 'slice':
      return Array.isArray(value) ? slice(value, selector, work) : [];
    case 'index': {
      if (!Array.isArray(value)) return [];
      const at = selector.index < 0 ? value.length + selector.index : selector.index;
      return at in value ? [value[at]] : [];
    }
  }
}

/** RFC 9535, 2.3.4. */
function slice(
  values: readonly unknown[],
  { from, to, by }: Selector & { kind: 'slice' },
  work: Work,
): readonly unknown[] {
  const found: unknown[] = [];
  const place = (at: number): number => (at < 0 ? values.length + at : at);
  if (by > 0) {
    const end = Math.min(place(to ?? values.length), values.length);
    for (let at = Math.max(place(from ?? 0), 0); at < end; at += by) found.push(values[at]);
  }
  if (by < 0) {
    const end = to === undefined ? -1 : Math.max(place(to), -1);
    const begin = Math.min(place(from ?? values.length - 1), values.length - 1);
    for (let at = begin; at > end; at += by) found.push(values[at]);
  }
  spend(work, found.length);
  return found;
}

function passes(
  value: unknown,
  { path, operator, value: wanted }: Selector & { kind: 'filter' },
  work: Work,
): boolean {
  const found = path.reduce<readonly unknown[]>((values, step) => apply(step, values, work), [value]);
  if (operator === undefined) return found.length > 0;
  if (operator === '!=') return !found.some((one) => one === wanted);
  return found.some((one) => compare(one, operator, wanted));
}

/** Numbers with numbers, texts with texts; anything else is only equal or not. */
function compare(left: unknown, operator: string, right: unknown): boolean {
  if (operator === '==') return left === right;
  const isOrdered =
    (typeof left === 'number' && typeof right === 'number') ||
    (typeof left === 'string' && typeof right === 'string');
  if (!isOrdered) return false;
  if (operator === '<') return left < right;
  if (operator === '>') return left > right;
  return operator === '<=' ? left <= right : left >= right;
}

function nothingAt(place: string, value: unknown): GatewayError {
  const there = Array.isArray(value)
    ? `it is an array of ${value.length}`
    : isObject(value)
      ? `its keys: ${Object.keys(value).slice(0, 20).join(', ')}`
      : `it is a ${value === null ? 'null' : typeof value}`;
  return new GatewayError('TOOL_ARGUMENTS', `select finds nothing at ${place}; of what is there, ${there}`);
}
