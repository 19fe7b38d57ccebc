import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { Failure } from '../text/failure.ts';
import { scalarText } from './scalarText.ts';

/** Values that were typed, by the names that a description gives them. */
export type Values = Readonly<Record<string, readonly string[]>>;

/** A value that has to be typed: the flag for it, and what it is. */
export interface Missing {
  readonly flag: string;
  readonly about: string;
}

/** What an input of a server.json comes to. */
export type Filled =
  | { readonly texts: readonly string[] }
  | { readonly missing: readonly Missing[] }
  /** It is optional, and has no value. */
  | undefined;

const VARIABLE = /\{([\w.-]+)\}/g;

/** The texts of an input: typed, fixed or preset, its variables filled in. Several if it may be repeated.
 *  @param names under which it may be typed @param flag to type it with, for the message @throws Failure if it is not one of the choices */
export function fillInput(
  input: JsonObject,
  {
    typed,
    names,
    flag,
  }: { readonly typed: Values; readonly names: readonly string[]; readonly flag: string },
): Filled {
  const own = names.map((name) => ownAt(typed, name)).find((list) => list !== undefined && list.length > 0);
  if (own !== undefined) {
    const [name = ''] = names;
    for (const text of own) checkChoice(text, input, name);
    return { texts: input['isRepeated'] === true ? own : own.slice(-1) };
  }
  const template = scalarText(input['value']) ?? scalarText(input['default']);
  if (template === undefined) return absent(input, flag);
  return fillTemplate(template, input, { typed, flag });
}

/** A text with its variables filled in; one without a description counts as one that has to be typed. */
export function fillTemplate(
  template: string,
  input: JsonObject,
  { typed, flag }: { readonly typed: Values; readonly flag: string },
): Filled {
  const variables = isObject(input['variables']) ? input['variables'] : {};
  const open: Filled[] = [];
  const text = template.replace(VARIABLE, (whole, name: string) => {
    const variable = variables[name];
    if (!isObject(variable)) {
      open.push(absent(input, flag));
      return whole;
    }
    const filled = fillInput(variable, { typed, names: [name], flag: `--set ${name}=…` });
    if (filled !== undefined && 'texts' in filled) return filled.texts[0] ?? '';
    open.push(filled ?? (input['isRequired'] === true ? wanted(variable, `--set ${name}=…`) : undefined));
    return whole;
  });
  if (open.length === 0) return { texts: [text] };
  const missing = open.flatMap((one) => (one !== undefined && 'missing' in one ? one.missing : []));
  return missing.length === 0 ? undefined : { missing };
}

function absent(input: JsonObject, flag: string): Filled {
  return input['isRequired'] === true ? wanted(input, flag) : undefined;
}

function wanted(input: JsonObject, flag: string): { readonly missing: readonly Missing[] } {
  return { missing: [{ flag, about: aboutInput(input) }] };
}

/** The description of an input, with its choices. */
export function aboutInput({ description, choices, placeholder }: JsonObject): string {
  const listed = Array.isArray(choices) ? `one of ${(choices as unknown[]).join(', ')}` : undefined;
  const example = typeof placeholder === 'string' ? `such as ${placeholder}` : undefined;
  return [description, listed, example].filter((one) => typeof one === 'string').join('; ');
}

function checkChoice(text: string, { choices }: JsonObject, name: string): void {
  if (!Array.isArray(choices) || choices.length === 0 || choices.includes(text)) return;
  throw new Failure(`${name} is one of ${(choices as unknown[]).join(', ')}`);
}

/** Lists what has to be typed. @param more ends the message @throws Failure if there is anything */
export function refuseMissing(missing: readonly Missing[], more = ''): void {
  if (missing.length === 0) return;
  const lines = missing.map(({ flag, about }) => `  ${flag}  ${about}`.trimEnd());
  throw new Failure(
    `the server needs values (\${env:NAME} reads the gateway's environment, if references.allow there has env:NAME):\n${[...new Set(lines)].join('\n')}${more}`,
  );
}

/** Objects of a list. */
export function objects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter((one) => isObject(one)) : [];
}

/** The value that a record has itself: names of others may be those of every object. */
export function ownAt<T>(values: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}
