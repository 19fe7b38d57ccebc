import { textOfBytes } from '../byteList.ts';
import { isEscape, toBytes } from '../bytes.ts';
import type { Env } from '../env.ts';
import { CallError } from '../errors.ts';
import { GoTime, Location } from '../goTime.ts';
import { getKey, isMap, sortedKeys } from '../maps.ts';
import { Complex, floatOf, Int, isNil, itemsOf, NamedInt, TypedList } from '../values.ts';
import { Version } from '../version.ts';

/** Thrown for a value that JSON cannot represent. */
export class JsonError extends CallError {}

interface WriteSetup {
  readonly env: Env;
  readonly escapesHtml: boolean;
}

/** Go's json.Marshal. @throws JsonError for values that JSON cannot represent */
export function writeJson(value: unknown, setup: WriteSetup): string {
  return new JsonWriter(setup).write(value, 0).text;
}

class JsonWriter {
  text = '';
  private readonly env: Env;
  private readonly escapesHtml: boolean;

  constructor({ env, escapesHtml }: WriteSetup) {
    this.env = env;
    this.escapesHtml = escapesHtml;
  }

  write(value: unknown, depth: number): this {
    this.env.checkDepth(depth);
    this.env.charge(1);
    const bytes = textOfBytes(value);
    const items = itemsOf(value);
    if (bytes !== undefined) this.put(quoteJson(toBytes(bytes).toString('base64'), false));
    else if (items && !(value instanceof TypedList && value.isNil)) this.list(items, depth);
    else if (isMap(value)) this.map(value, depth);
    else this.put(this.scalar(value));
    return this;
  }

  private put(text: string): void {
    this.text += text;
    this.env.checkString(this.text.length);
  }

  private list(items: readonly unknown[], depth: number): void {
    this.put('[');
    items.forEach((item, i) => {
      if (i > 0) this.put(',');
      this.write(item, depth + 1);
    });
    this.put(']');
  }

  private map(value: Parameters<typeof sortedKeys>[0], depth: number): void {
    this.put('{');
    sortedKeys(value).forEach((key, i) => {
      if (i > 0) this.put(',');
      this.put(`${quoteJson(key, this.escapesHtml)}:`);
      this.write(getKey(value, key), depth + 1);
    });
    this.put('}');
  }

  private scalar(value: unknown): string {
    if (isNil(value) || value instanceof TypedList) return 'null';
    if (typeof value === 'string') return quoteJson(value, this.escapesHtml);
    if (typeof value === 'boolean') return String(value);
    const number = floatOf(value);
    if (number !== undefined) return numberText(number);
    if (value instanceof Int || value instanceof NamedInt) return String(value.value);
    if (value instanceof GoTime) return timeText(value);
    if (value instanceof Location) return '{}';
    if (value instanceof Version) return quoteJson(value.text(), this.escapesHtml);
    if (value instanceof Complex) throw new JsonError('json: unsupported type: complex128');
    return 'null';
  }
}

// JavaScript uses exponents for the same numbers as Go's encoder, in the same form.
function numberText(number: number): string {
  if (Number.isNaN(number)) throw new JsonError('json: unsupported value: NaN');
  if (!Number.isFinite(number)) throw new JsonError(`json: unsupported value: ${number > 0 ? '+' : '-'}Inf`);
  return Object.is(number, -0) ? '-0' : String(number);
}

function timeText(time: GoTime): string {
  const { year } = time.civil();
  if (year >= 0 && year <= 9999) return `"${time.rfc3339()}"`;
  throw new JsonError(
    'json: error calling MarshalJSON for type time.Time: Time.MarshalJSON: year outside of range [0,9999]',
  );
}

const SHORT = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);
const PLAIN = /^[^"\\<>&\p{Cc}\u2028\u2029\p{Surrogate}]*$/u;

/** A string as Go's encoder writes it. */
export function quoteJson(text: string, escapesHtml: boolean): string {
  if (PLAIN.test(text)) return `"${text}"`;
  let out = '"';
  for (const char of text) out += SHORT.get(char) ?? escapeChar(char, escapesHtml);
  return `${out}"`;
}

function escapeChar(char: string, escapesHtml: boolean): string {
  const code = char.codePointAt(0) ?? 0;
  if (isEscape(char) || (code >= 0xd800 && code < 0xe000)) return '\\ufffd';
  const isSpecial =
    code < 0x20 || code === 0x2028 || code === 0x2029 || (escapesHtml && '<>&'.includes(char));
  return isSpecial ? `\\u${code.toString(16).padStart(4, '0')}` : char;
}

/** Lays out compact JSON with two spaces, as Go's json.Indent. */
export function indentJson(json: string, env: Env): string {
  let out = '';
  let depth = 0;
  const newline = (): string => `\n${'  '.repeat(depth)}`;
  const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^"{}[\],:]+/gsy;
  for (let match = token.exec(json); match; match = token.exec(json)) {
    const [text] = match;
    const isEmptyPair = out.at(-1) === (text === '}' ? '{' : text === ']' ? '[' : '');
    if (text === '}' || text === ']') {
      depth--;
      out += isEmptyPair ? text : newline() + text;
    } else {
      const opens = out.at(-1) === '{' || out.at(-1) === '[';
      out += (opens && isStructural(json, match.index - 1) ? newline() : '') + text;
      if (text === '{' || text === '[') depth++;
      else if (text === ',') out += newline();
      else if (text === ':') out += ' ';
    }
    env.checkString(out.length);
  }
  return out;
}

function isStructural(json: string, at: number): boolean {
  return json[at] === '{' || json[at] === '[';
}
