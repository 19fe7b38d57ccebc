import { randomBytes } from 'node:crypto';
import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';

/** A number that JavaScript may write otherwise: of 16 characters or more, with zeros at its end, an exponent, a negative zero. It
 *  begins behind what precedes a value, because each message has the text "2.0". */
const SUSPECT = /[:,[\s](?:-?[\d.]{16}|-?\d+\.\d*0(?!\d)|-?\d[\d.]*[eE]|-0(?![.\d]))/;
/** The same for an integer of the text of a result, which has no such text. */
const SUSPECT_INTEGER = /(?:^|[:,[\s])-?\d{16}/;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;
/** BigInt takes quadratic time for long numbers; this is more than 256 bits have. */
const MAX_DIGITS = 80;
/** Begins a text that replaces a number. Clients cannot know it. */
const MARK = `${randomBytes(16).toString('hex')}:`;

/** Member of arguments, which is not listed nor copied: the same with a marked text in place of each number that JavaScript would
 *  write otherwise. */
const EXACT = Symbol('exact');

/** Remembers the arguments of calls in a message whose numbers are not exact once parsed: integers beyond 2^53, `1.0`.
 *  @param text of a message or batch @param value what JSON.parse made of it */
export function keepExactNumbers(text: string, value: unknown): void {
  if (!SUSPECT.test(text)) return;
  keepBoth(value, JSON.parse(withNumbers(text, marked)) as unknown);
}

/** The JSON text of arguments as their client has sent them; undefined if JSON.stringify writes the same, or if they are not those of a
 *  client's message. Of a key that is there twice it has the last, as JSON.parse does. */
export function exactText(args: JsonObject): string | undefined {
  const kept = exactForm(args);
  if (kept === undefined) return undefined;
  return unmarked(JSON.stringify(kept));
}

/** How a program keeps the integers that JavaScript would round: `of` makes one of its digits, `digitsOf` says those of one that it made
 *  and undefined of any other value. */
export interface Integers {
  readonly of: (digits: string) => unknown;
  readonly digitsOf: (value: unknown) => string | undefined;
}

/** The JSON value of a text. @param value the same from JSON.parse @throws SyntaxError */
export function exactValue(text: string, integers: Integers, value: unknown = JSON.parse(text)): unknown {
  if (!SUSPECT_INTEGER.test(text)) return value;
  try {
    return revived(JSON.parse(withNumbers(text, markedInteger)), integers);
  } catch {
    // It is nested too deeply to be walked through.
    return value;
  }
}

/** The JSON text of a value that holds such integers, as numbers. */
export function exactJson(value: unknown, { digitsOf }: Integers): string {
  const json = JSON.stringify(value, function (this: JsonObject, key, part: unknown) {
    const digits = digitsOf(this[key]);
    return digits === undefined ? part : MARK + digits;
  });
  return unmarked(json);
}

/** The arguments of a call with such integers. */
export function exactArguments(args: JsonObject, integers: Integers): JsonObject {
  const kept = exactForm(args);
  return kept === undefined ? args : (revived(kept, integers) as JsonObject);
}

/** Arguments for a call, of which `exactText` writes such integers as they are: in their place they have the numbers of JavaScript. */
export function sentArguments(args: JsonObject, integers: Integers): JsonObject {
  try {
    if (!holdsOne(args, integers)) return args;
  } catch {
    // They are nested too deeply to be walked through.
    return args;
  }
  const by = (make: (digits: string) => unknown) => (part: unknown) => {
    const digits = integers.digitsOf(part);
    return digits === undefined ? undefined : make(digits);
  };
  const exact = replaced(
    exactForm(args) ?? args,
    by((digits) => MARK + digits),
  ) as JsonObject;
  return withExactForm(replaced(args, by(Number)) as JsonObject, exact);
}

/** A copy of a JSON value. @param by makes what replaces a part; undefined to look into it */
export function replaced(value: unknown, by: (part: unknown) => unknown): unknown {
  const made = by(value);
  if (made !== undefined) return made;
  if (Array.isArray(value)) return value.map((part) => replaced(part, by));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, replaced(part, by)]));
}

/** Looks through arguments of any size at each call, so it makes no lists of their members. */
function holdsOne(value: unknown, integers: Integers): boolean {
  if (integers.digitsOf(value) !== undefined) return true;
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some((part) => holdsOne(part, integers));
  const members = value as JsonObject;
  for (const key in members) if (holdsOne(members[key], integers)) return true;
  return false;
}

function revived(marked: unknown, { of }: Integers): unknown {
  return replaced(marked, (part) => {
    if (typeof part !== 'string' || !part.startsWith(MARK)) return undefined;
    const token = part.slice(MARK.length);
    return isInteger(token) ? of(token) : Number(token);
  });
}

function unmarked(json: string): string {
  const [head = '', ...rest] = json.split(`"${MARK}`);
  // Each of the others begins with a number and its closing quote.
  return head + rest.map((part) => part.replace('"', '')).join('');
}

/** Arguments with a text in place of each number that is not exact, for who passes some of their values on by `withExactForm`. */
export function exactForm(args: JsonObject): JsonObject | undefined {
  return (args as { readonly [EXACT]?: JsonObject })[EXACT];
}

/** Arguments made of those of a client. @param exact the same, made of their exact form @returns `args` */
export function withExactForm(args: JsonObject, exact: JsonObject): JsonObject {
  return Object.defineProperty(args, EXACT, { value: exact });
}

function marked(token: string): string {
  return String(Number(token)) === token ? token : `"${MARK}${token}"`;
}

function markedInteger(token: string): string {
  return isInteger(token) ? marked(token) : token;
}

function isInteger(token: string): boolean {
  return /^-?\d+$/.test(token) && token.length <= MAX_DIGITS && !Number.isSafeInteger(Number(token));
}

/** A JSON text with its numbers replaced, those inside of strings aside. */
function withNumbers(text: string, replace: (token: string) => string): string {
  let made = '';
  for (let at = 0; ;) {
    const quote = text.indexOf('"', at);
    made += text.slice(at, quote === -1 ? text.length : quote).replace(NUMBER, replace);
    if (quote === -1) return made;
    at = endOfString(text, quote) + 1;
    made += text.slice(quote, at);
  }
}

function endOfString(text: string, start: number): number {
  for (let at = start; ;) {
    at = text.indexOf('"', at + 1);
    if (at === -1) return text.length;
    let before = at;
    while (text[before - 1] === '\\') before -= 1;
    if ((at - before) % 2 === 0) return at;
  }
}

/** `arguments` of a call, and those that call_tool passes on. */
function keepBoth(value: unknown, exact: unknown): void {
  if (Array.isArray(value) && Array.isArray(exact)) value.forEach((one, at) => keepBoth(one, exact[at]));
  if (!isObject(value) || !isObject(exact)) return;
  for (const key of ['params', 'arguments']) {
    const [inner, kept] = [value[key], exact[key]];
    if (!isObject(inner) || !isObject(kept)) continue;
    if (key === 'arguments') withExactForm(inner, kept);
    keepBoth(inner, kept);
  }
}
