import { GatewayError, isObject } from 'pegboard';

type Step =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'all' };

const STEP = /\.?([^.[\]"'\s]+)|\[(-?\d+)\]|\[(\*)\]|\["([^"]*)"\]|\['([^']*)'\]/y;

/** Takes a part out of a value: `key.key`, `[n]` (negative from the end), `[*]` and `*` for every element or value,
 *  `["any key"]`; a leading `$` is allowed. With a `*` the answer is an array of what there is.
 *  @throws GatewayError TOOL_ARGUMENTS naming the place that is wrong or not there */
export function selectFrom(root: unknown, path: string): unknown {
  let found: readonly unknown[] = [root];
  let many = false;
  let passed = '$';
  for (const step of parsePath(path)) {
    passed += words(step);
    many ||= step.kind === 'all';
    const next = found.flatMap((value) => take(value, step));
    if (next.length === 0 && !many) throw nothingAt(passed, found[0]);
    found = next;
  }
  return many ? found : found[0];
}

function parsePath(path: string): Step[] {
  const text = path.trim();
  const steps: Step[] = [];
  STEP.lastIndex = text.startsWith('$') ? 1 : 0;
  while (STEP.lastIndex < text.length) {
    const at = STEP.lastIndex;
    const match = STEP.exec(text);
    if (match === null) {
      const fix = 'use keys with dots, [n] and [*], for example items[0].name';
      throw new GatewayError('TOOL_ARGUMENTS', `select is not readable at character ${at + 1}; ${fix}`);
    }
    const [, plain, index, star, double, single] = match;
    if (star !== undefined || plain === '*') steps.push({ kind: 'all' });
    else if (index !== undefined) steps.push({ kind: 'index', index: Number(index) });
    else steps.push({ kind: 'key', key: plain ?? double ?? single ?? '' });
  }
  return steps;
}

function take(value: unknown, step: Step): readonly unknown[] {
  if (step.kind === 'all') {
    if (Array.isArray(value)) return value as unknown[];
    return isObject(value) ? Object.values(value) : [];
  }
  if (step.kind === 'index') {
    if (!Array.isArray(value)) return [];
    const at = step.index < 0 ? value.length + step.index : step.index;
    return at in value ? [value[at]] : [];
  }
  return isObject(value) && Object.hasOwn(value, step.key) ? [value[step.key]] : [];
}

function nothingAt(place: string, value: unknown): GatewayError {
  const there = Array.isArray(value)
    ? `it is an array of ${value.length}`
    : isObject(value)
      ? `its keys: ${Object.keys(value).slice(0, 20).join(', ')}`
      : `it is a ${value === null ? 'null' : typeof value}`;
  return new GatewayError('TOOL_ARGUMENTS', `select finds nothing at ${place}; of what is there, ${there}`);
}

function words(step: Step): string {
  if (step.kind === 'all') return '[*]';
  return step.kind === 'index' ? `[${step.index}]` : `.${step.key}`;
}
