import type { Env } from '../env.ts';
import { func } from '../signature.ts';
import type { FuncTable, GoFunc } from '../signature.ts';
import { strings, TypedList } from '../values.ts';
import { compileOrPanic, compileRegex, mustCompile } from './regexSearch.ts';
import type { Compile, Match, Search } from './regexSearch.ts';

type Run = (search: Search, arg: { readonly pattern: string; readonly env: Env }) => unknown;

const find: Run = (search) => search.first()?.text ?? '';
const two = (compile: Compile, run: Run): GoFunc =>
  func(['string', 'string'], (env, pattern, text) => run(compile(pattern, text, env), { pattern, env }));
const counted = (compile: Compile, run: (n: number) => Run): GoFunc =>
  func(['string', 'string', 'int'], (env, pattern, text, n) =>
    run(n)(compile(pattern, text, env), { pattern, env }),
  );
const replacing = (compile: Compile, isLiteral: boolean): GoFunc =>
  func(['string', 'string', 'string'], (env, pattern, text, replacement) =>
    replaceAll(compile(pattern, text, env), env, (match) =>
      isLiteral ? replacement : expand(replacement, match),
    ),
  );

export const REGEX: FuncTable = {
  regexMatch: func(['string', 'string'], (env, pattern, text) => {
    const search = compileRegex(pattern, text, env);
    return typeof search !== 'string' && search.first() !== undefined;
  }),
  mustRegexMatch: two(mustCompile, (search) => search.first() !== undefined),
  regexFind: two(compileOrPanic, find),
  mustRegexFind: two(mustCompile, find),
  regexFindAll: counted(compileOrPanic, findAll),
  mustRegexFindAll: counted(mustCompile, findAll),
  regexSplit: counted(compileOrPanic, split),
  mustRegexSplit: counted(mustCompile, split),
  regexReplaceAll: replacing(compileOrPanic, false),
  mustRegexReplaceAll: replacing(mustCompile, false),
  regexReplaceAllLiteral: replacing(compileOrPanic, true),
  mustRegexReplaceAllLiteral: replacing(mustCompile, true),
  regexQuoteMeta: func(['string'], (env, text) => {
    env.checkString(text.length * 2);
    return text.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&');
  }),
};

function nilTexts(): TypedList {
  return new TypedList('string', [], true);
}

function findAll(n: number): Run {
  return (search, { env }) => {
    const texts: string[] = [];
    for (const match of search.all(n)) {
      env.checkList(texts.length + 1);
      texts.push(match.text);
    }
    return texts.length === 0 ? nilTexts() : strings(texts);
  };
}

function split(n: number): Run {
  return (search, { pattern, env }) => {
    const { text } = search;
    if (n === 0) return nilTexts();
    if (pattern !== '' && text === '') return strings(['']);
    const parts: string[] = [];
    let begin = 0;
    let end = 0;
    for (const match of search.all(n)) {
      env.checkList(parts.length + 1);
      if (n > 0 && parts.length === n - 1) break;
      end = match.start;
      if (match.end !== 0) parts.push(text.slice(begin, end));
      begin = match.end;
    }
    if (end !== text.length) parts.push(text.slice(begin));
    return strings(parts);
  };
}

function replaceAll(search: Search, env: Env, replace: (match: Match) => string): string {
  let out = '';
  let from = 0;
  for (const match of search.all(-1)) {
    out += search.text.slice(from, match.start) + replace(match);
    env.checkString(out.length);
    from = match.end;
  }
  return out + search.text.slice(from);
}

const REFERENCE = /\$(?:\$|([\p{L}\p{Nd}_]+)|\{([\p{L}\p{Nd}_]+)\})/gu;

// The longest name is used: $1W is the group `1W`. A group that does not exist or did not match is empty.
function expand(template: string, match: Match): string {
  return template.replace(REFERENCE, (whole, bare?: string, braced?: string) => {
    const name = bare ?? braced;
    return name === undefined ? (whole === '$$' ? '$' : '') : match.group(name);
  });
}
