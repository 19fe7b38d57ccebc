import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import type { ArgumentField } from './argumentFields.ts';

/** Names of form fields: `arg.<name>` is one argument as text, `arguments` a JSON object with more of them. */
export const ARGUMENT = 'arg.';
export const MORE = 'arguments';

export interface ReadArguments {
  readonly args: JsonObject;
  /** What is wrong, by the name of the argument; that of the JSON object is MORE. */
  readonly faults: ReadonlyMap<string, string>;
}

/** The arguments that a form has sent; those left empty are absent. */
export function readFormArguments(fields: readonly ArgumentField[], form: URLSearchParams): ReadArguments {
  const faults = new Map<string, string>();
  const more = readMore(form.get(MORE) ?? '', faults);
  const entries = fields.flatMap((field): [string, unknown][] => {
    const { name, kind, isRequired } = field;
    // Browsers send line breaks of a text area as CRLF.
    const text = (form.get(ARGUMENT + name) ?? '').replaceAll('\r\n', '\n');
    if (text === '' || (kind !== 'text' && kind !== 'secret' && text.trim() === '')) {
      if (isRequired && !Object.hasOwn(more, name)) faults.set(name, 'this is required');
      return [];
    }
    const value = valueOf(field, text);
    if (value instanceof Fault) faults.set(name, value.words);
    return [[name, value]];
  });
  return { args: Object.fromEntries([...Object.entries(more), ...entries]), faults };
}

class Fault {
  readonly words: string;
  constructor(words: string) {
    this.words = words;
  }
}

function valueOf({ kind, choices }: ArgumentField, text: string): unknown {
  if (kind === 'text' || kind === 'secret') return text;
  if (kind === 'choice') return choices.has(text) ? choices.get(text) : new Fault('choose one of the values');
  if (kind === 'boolean')
    return text === 'true' || text === 'false' ? text === 'true' : new Fault('choose true or false');
  if (kind === 'json') return jsonIn(text);
  const value = Number(text);
  if (Number.isNaN(value)) return new Fault('enter a number, such as 5');
  return kind === 'integer' && !Number.isInteger(value)
    ? new Fault('enter a whole number, such as 5')
    : value;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return new Fault(
      'this is not JSON; a text needs double quotes: "text", a list brackets: [1, 2], an object braces: {"a": 1}',
    );
  }
}

function readMore(text: string, faults: Map<string, string>): JsonObject {
  if (text.trim() === '') return {};
  const value = jsonIn(text);
  if (isObject(value) && !(value instanceof Fault)) return value;
  faults.set(MORE, 'this is not a JSON object, such as {"name": "value"}');
  return {};
}
