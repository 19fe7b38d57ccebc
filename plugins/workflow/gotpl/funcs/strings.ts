import { byteLength, byteSlice } from '../bytes.ts';
import type { Env } from '../env.ts';
import { CallError } from '../errors.ts';
import { formatValue } from '../format.ts';
import { quote } from '../quote.ts';
import { func, variadic } from '../signature.ts';
import type { FuncTable } from '../signature.ts';
import { isSpace, toLower, toUpper } from '../unicode.ts';
import { isNil, StringMap, strings } from '../values.ts';
import { abbreviate, abbreviateBoth, wrapText } from './wrap.ts';
import { textOf, textsOf } from './text.ts';

const trimAll = func(['string', 'string'], (_env, cutset, text) =>
  trimRunes(text, (char) => cutset.includes(char)),
);

export const STRINGS: FuncTable = {
  trim: func(['string'], (_env, text) => trimRunes(text, isSpace)),
  trimAll,
  trimall: trimAll,
  trimPrefix: func(['string', 'string'], (_env, prefix, text) =>
    text.startsWith(prefix) ? text.slice(prefix.length) : text,
  ),
  trimSuffix: func(['string', 'string'], (_env, suffix, text) =>
    text.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : text,
  ),
  upper: func(['string'], (_env, text) => toUpper(text)),
  lower: func(['string'], (_env, text) => toLower(text)),
  contains: func(['string', 'string'], (_env, part, text) => text.includes(part)),
  hasPrefix: func(['string', 'string'], (_env, prefix, text) => text.startsWith(prefix)),
  hasSuffix: func(['string', 'string'], (_env, suffix, text) => text.endsWith(suffix)),
  repeat: func(['int', 'string'], (env, count, text) => repeat(text, count, env)),
  substr: func(['int', 'int', 'string'], (_env, start, end, text) => substring(text, start, end)),
  trunc: func(['int', 'string'], (_env, count, text) => truncate(text, count)),
  replace: func(['string', 'string', 'string'], (env, old, next, text) => replaceAll(text, [old, next], env)),
  plural: func(['string', 'string', 'int'], (_env, one, many, count) => (count === 1 ? one : many)),
  indent: func(['int', 'string'], (env, spaces, text) => indent(text, spaces, env)),
  nindent: func(['int', 'string'], (env, spaces, text) => `\n${indent(text, spaces, env)}`),
  quote: variadic([], 'any', (env, values) => joined(values, (value) => quote(textOf(value, env)), env)),
  squote: variadic([], 'any', (env, values) =>
    joined(values, (value) => `'${formatValue(value, env)}'`, env),
  ),
  cat: variadic([], 'any', (env, values) => joined(values, (value) => formatValue(value, env), env)),
  toString: func(['any'], (env, value) => textOf(value, env)),
  join: func(['string', 'any'], (env, separator, value) =>
    join(textsOf(value, env).items as string[], separator, env),
  ),
  split: func(['string', 'string'], (env, separator, text) => numbered(splitText(text, separator, -1, env))),
  splitn: func(['string', 'int', 'string'], (env, separator, n, text) =>
    numbered(splitText(text, separator, n, env)),
  ),
  splitList: func(['string', 'string'], (env, separator, text) =>
    strings(splitText(text, separator, -1, env)),
  ),
  abbrev: func(['int', 'string'], (_env, width, text) => abbreviate(text, width)),
  abbrevboth: func(['int', 'int', 'string'], (_env, left, right, text) => abbreviateBoth(text, left, right)),
  wrap: func(['int', 'string'], (env, width, text) =>
    wrapText(text, { width, newline: '\n', breaksWords: false }, env),
  ),
  wrapWith: func(['int', 'string', 'string'], (env, width, newline, text) =>
    wrapText(text, { width, newline: newline === '' ? '\n' : newline, breaksWords: true }, env),
  ),
};

function trimRunes(text: string, isCut: (char: string) => boolean): string {
  let start = 0;
  let end = text.length;
  while (start < end) {
    const char = String.fromCodePoint(text.codePointAt(start) ?? 0);
    if (!isCut(char)) break;
    start += char.length;
  }
  while (end > start) {
    const isPair = end - 2 >= start && (text.codePointAt(end - 2) ?? 0) > 0xffff;
    const char = text.slice(isPair ? end - 2 : end - 1, end);
    if (!isCut(char)) break;
    end -= char.length;
  }
  return text.slice(start, end);
}

function repeat(text: string, count: number, env: Env): string {
  if (count < 0) throw new CallError('strings: negative Repeat count');
  env.checkString(byteLength(text) * count);
  return text.repeat(text === '' ? 0 : count);
}

function substring(text: string, start: number, end: number): string {
  const length = byteLength(text);
  if (start < 0) return sliceBytes(text, undefined, end, length);
  if (end < 0 || end > length) return sliceBytes(text, start, undefined, length);
  return sliceBytes(text, start, end, length);
}

function sliceBytes(
  text: string,
  start: number | undefined,
  end: number | undefined,
  length: number,
): string {
  const to = end ?? length;
  const outOfRange = 'runtime error: slice bounds out of range';
  if (to < 0) throw new CallError(`${outOfRange} [:${to}]`);
  if (to > length) throw new CallError(`${outOfRange} [:${to}] with length ${length}`);
  if ((start ?? 0) > to) throw new CallError(`${outOfRange} [${start}:${to}]`);
  return byteSlice(text, start ?? 0, to);
}

function truncate(text: string, count: number): string {
  const length = byteLength(text);
  if (count < 0 && length + count > 0) return byteSlice(text, length + count, length);
  return count >= 0 && length > count ? byteSlice(text, 0, count) : text;
}

function replaceAll(text: string, [old, next]: readonly [string, string], env: Env): string {
  if (old === '') {
    const chars = Array.from(text);
    env.checkString(text.length + next.length * (chars.length + 1));
    return next + chars.map((char) => char + next).join('');
  }
  if (next.length <= old.length) return text.replaceAll(old, () => next);
  const parts = text.split(old);
  env.checkString(text.length + (next.length - old.length) * (parts.length - 1));
  return parts.join(next);
}

function indent(text: string, spaces: number, env: Env): string {
  if (spaces < 0) throw new CallError('strings: negative Repeat count');
  const lines = text.split('\n');
  env.checkString(text.length + spaces * lines.length);
  const pad = ' '.repeat(spaces);
  return pad + lines.join(`\n${pad}`);
}

function joined(values: readonly unknown[], print: (value: unknown) => string, env: Env): string {
  const texts = values.filter((value) => !isNil(value)).map(print);
  return join(texts, ' ', env);
}

function join(texts: readonly string[], separator: string, env: Env): string {
  let length = separator.length * texts.length;
  for (const text of texts) length += text.length;
  env.checkString(length);
  return texts.join(separator);
}

function splitText(text: string, separator: string, limit: number, env: Env): string[] {
  if (limit === 0) return [];
  const all = separator === '' ? Array.from(text) : text.split(separator);
  const parts =
    limit < 0 || all.length <= limit
      ? all
      : [...all.slice(0, limit - 1), all.slice(limit - 1).join(separator)];
  env.checkList(parts.length);
  return parts;
}

function numbered(parts: readonly string[]): StringMap {
  return new StringMap(new Map(parts.map((part, i) => [`_${i}`, part])));
}
