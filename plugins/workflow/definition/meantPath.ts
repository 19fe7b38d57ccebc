import { nearest } from 'pegboard';

export const ROOTS = ['input', 'results', 'context', 'vars', 'workflow', 'steps', 'error', 'result'];

/** The names that a template of a definition can read. */
export interface Names {
  readonly inputs: readonly string[];
  readonly steps: readonly string[];
  readonly vars: readonly string[];
  /** Name of the item of the loop around; undefined outside of one. */
  readonly item?: string | undefined;
}
type Segment = string | number;

const INPUT = wordsOf(
  'input inputs args arg arguments parameters parameter params param trigger event payload request json body values',
);
const RESULTS = wordsOf('results steps step outputs output result nodes node tasks task jobs context state');
const VARS = wordsOf('vars var variables variable');
const ITEM = wordsOf('item items each element loop this it current entry');
const INDEX = wordsOf('index idx index0');
/** What other languages have between a step and its value. */
const OUTPUT = wordsOf('output outputs result results json');

/** What a path in the form of any language means here, as an expression: `inputs.path`, `$.steps.read.output.text`.
 *  @returns undefined if it begins with nothing that is known */
export function meantPath(path: string, names: Names, { isStrict = false } = {}): string | undefined {
  const [root, ...rest] = segmentsOf(path);
  if (typeof root !== 'string') return undefined;
  const segments = meant(root, rest, names) ?? (isStrict ? undefined : nearRoot(root, rest, names));
  return segments && expressionOf(segments);
}

function meant(root: string, rest: readonly Segment[], names: Names): readonly Segment[] | undefined {
  const { inputs, steps, vars, item } = names;
  const word = root.toLowerCase();
  const [first, ...more] = rest;
  const loop = item ?? 'item';
  if (INPUT.has(word) && first !== undefined) {
    // Argo has `inputs.parameters.name`.
    const isGroup = more.length > 0 && INPUT.has(String(first)) && !inputs.includes(String(first));
    return isGroup ? meant(String(first), more, names) : ['input', nearOr(first, inputs), ...more];
  }
  if (RESULTS.has(word) && first !== undefined) {
    if (word === 'steps' && more[0] === 'status') return ['steps', nearOr(first, steps), 'status'];
    return ['results', nearOr(first, steps), ...(word === 'results' ? more : unwrapped(more))];
  }
  if (VARS.has(word) && first !== undefined) return ['vars', nearOr(first, vars), ...more];
  if (inputs.includes(root)) return ['input', root, ...rest];
  if (steps.includes(root)) return ['results', root, ...unwrapped(rest)];
  if (vars.includes(root)) return ['vars', root, ...rest];
  if (INDEX.has(word) || (word === 'loop' && INDEX.has(String(first)))) return ['vars', `${loop}_index`];
  if (ITEM.has(word)) return ['vars', loop, ...rest];
  return word === 'workflow' || word === 'error' ? [word, ...rest] : undefined;
}

function unwrapped(rest: readonly Segment[]): readonly Segment[] {
  const begin = rest.findIndex((one) => !OUTPUT.has(String(one).toLowerCase()));
  return begin === -1 ? [] : rest.slice(begin);
}

function nearRoot(root: string, rest: readonly Segment[], names: Names): readonly Segment[] | undefined {
  const { inputs, steps, vars } = names;
  const [close] = nearest(root, rest.length > 0 ? ROOTS : [], 1);
  if (close !== undefined) return meant(close, rest, names) ?? [close, ...rest];
  const [own] = nearest(root, [...inputs, ...steps, ...vars], 1);
  return own === undefined ? undefined : meant(own, rest, names);
}

function nearOr(name: Segment, known: readonly string[]): Segment {
  const text = String(name);
  return known.includes(text) ? text : (nearest(text, known, 1)[0] ?? name);
}

/** The names and indexes in a path, whatever stands between them. */
export function segmentsOf(path: string): readonly Segment[] {
  const found = path.slice(0, 500).match(/[A-Za-z_][\w-]*|\d+/g) ?? [];
  return found.map((one) => (/^\d/.test(one) ? Number(one) : one));
}

/** `.results.a.b`, or with index where a name is not one of Go. */
export function expressionOf(segments: readonly Segment[]): string {
  const isPlain = (one: Segment): boolean => /^[A-Za-z_]\w*$/.test(String(one));
  const end = segments.findIndex((one) => !isPlain(one));
  if (end === -1) return `.${segments.join('.')}`;
  const keys = segments.slice(end).map((one) => JSON.stringify(one));
  return `index .${segments.slice(0, end).join('.')} ${keys.join(' ')}`;
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}
