import { randomBytes } from 'node:crypto';
import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';

/** A number that JavaScript may write otherwise: of 16 characters or more, with zeros at its end, an exponent, a negative zero. It
 *  begins behind what precedes a value, because each message has the text "2.0". */
const SUSPECT = /[:,[\s](?:-?[\d.]{16}|-?\d+\.\d*0(?!\d)|-?\d[\d.]*[eE]|-0(?![.\d]))/;
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;
/** Begins a text that replaces a number. Clients cannot know it. */
const MARK = `${randomBytes(16).toString('hex')}:`;

/** Member of arguments, which is not listed nor copied: the same with a marked text in place of each number that JavaScript would
 *  write otherwise. */
const EXACT = Symbol('exact');

/** Remembers the arguments of calls in a message whose numbers are not exact once parsed: integers beyond 2^53, `1.0`.
 *  @param text of a message or batch @param value what JSON.parse made of it */
export function keepExactNumbers(text: string, value: unknown): void {
  if (!SUSPECT.test(text)) return;
  keepBoth(value, JSON.parse(text.replace(TOKEN, marked)) as unknown);
}

/** The JSON text of arguments as their client has sent them; undefined if JSON.stringify writes the same, or if they are not those of a
 *  client's message. Of a key that is there twice it has the last, as JSON.parse does. */
export function exactText(args: JsonObject): string | undefined {
  const kept = exactForm(args);
  if (kept === undefined) return undefined;
  const [head = '', ...rest] = JSON.stringify(kept).split(`"${MARK}`);
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
  return token.startsWith('"') || String(Number(token)) === token ? token : `"${MARK}${token}"`;
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
