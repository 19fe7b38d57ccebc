import { RE2JS, RE2JSSyntaxException } from 're2js';
import { byteLength, isWellFormed } from '../bytes.ts';
import type { Env } from '../env.ts';
import { CallError } from '../errors.ts';
import { canBackquote, quote } from '../quote.ts';

export interface Match {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Text of a group by number or name; empty if it does not exist or did not match. */
  group(name: string): string;
}

/** Prepares a search. @throws CallError if the pattern is bad */
export type Compile = (pattern: string, text: string, env: Env) => Search;

/** Like regexp.MustCompile: throws, and the message quotes the pattern. */
export function compileOrPanic(pattern: string, text: string, env: Env): Search {
  const search = compileRegex(pattern, text, env);
  if (typeof search !== 'string') return search;
  throw new CallError(
    `regexp: Compile(${canBackquote(pattern) ? `\`${pattern}\`` : quote(pattern)}): ${search}`,
  );
}

export function mustCompile(pattern: string, text: string, env: Env): Search {
  const search = compileRegex(pattern, text, env);
  if (typeof search === 'string') throw new CallError(search);
  return search;
}

/** A search in a text, or the error message of Go's regexp if the pattern is bad. */
export function compileRegex(pattern: string, text: string, env: Env): Search | string {
  const { maxRegexInstructions, maxRegexInputBytes, maxRegexSteps } = env.limits;
  if (pattern.length > maxRegexInstructions) throw tooLarge();
  if (text.length > maxRegexInputBytes || byteLength(text) > maxRegexInputBytes) {
    throw new CallError('regular expression input too large', 'limit');
  }
  if (!isWellFormed(pattern)) return `error parsing regexp: invalid UTF-8: \`${fromFirstBadByte(pattern)}\``;
  const names = uniqueNames(pattern);
  const regex = tryCompile(names.pattern);
  if (typeof regex === 'string') return names.inGo(regex);
  const size = regex.programSize();
  if (size > maxRegexInstructions) throw tooLarge();
  if (size * (1 + regex.groupCount() / 8) * text.length > maxRegexSteps) {
    throw new CallError('regular expression too expensive for its input', 'limit');
  }
  return new Search(regex, text, names.aliases, env);
}

function fromFirstBadByte(pattern: string): string {
  return pattern.slice(pattern.search(/\p{Surrogate}/u));
}

function tooLarge(): CallError {
  return new CallError('regular expression too large', 'limit');
}

function tryCompile(pattern: string): RE2JS | string {
  try {
    return RE2JS.compile(pattern);
  } catch (cause) {
    if (!(cause instanceof RE2JSSyntaxException)) throw cause;
    const { message } = cause;
    return message.endsWith('trailing backslash at end of expression') ? `${message}: \`\`` : message;
  }
}

interface UniqueNames {
  readonly pattern: string;
  readonly aliases: ReadonlyMap<string, readonly string[]>;
  /** A text with the names that the pattern has. */
  readonly inGo: (text: string) => string;
}

// Go allows two groups with one name; the engine here does not, so later groups get an alias.
function uniqueNames(pattern: string): UniqueNames {
  const aliases = new Map<string, string[]>();
  const [longest] = (pattern.match(/_g+/g) ?? []).sort((a, b) => b.length - a.length);
  // It is nowhere in the pattern, and no part of it is both its beginning and its end.
  const mark = `${longest ?? '_'}g`;
  const renamed = pattern.replace(
    /(\\.)|(\(\?P?<)(\w+)>/gs,
    (whole: string, escaped: string | undefined, open: string, name: string) => {
      if (escaped !== undefined) return whole;
      const known = aliases.get(name);
      const alias = known === undefined ? name : `${name}${mark}${known.length}`;
      if (known === undefined) aliases.set(name, [alias]);
      else known.push(alias);
      return `${open}${alias}>`;
    },
  );
  const inGo = (text: string): string => {
    const [first = '', ...rest] = text.split(mark);
    return first + rest.map((part) => part.replace(/^\d+/, '')).join('');
  };
  return { pattern: renamed, aliases, inGo };
}

/** The matches of one pattern in one text, as Go finds them. */
export class Search {
  readonly text: string;
  private readonly regex: RE2JS;
  private readonly aliases: ReadonlyMap<string, readonly string[]>;
  private readonly env: Env;

  constructor(regex: RE2JS, text: string, aliases: ReadonlyMap<string, readonly string[]>, env: Env) {
    this.regex = regex;
    this.text = text;
    this.aliases = aliases;
    this.env = env;
  }

  first(): Match | undefined {
    for (const match of this.all(1)) return match;
    return undefined;
  }

  /** Up to `limit` matches, all of them if it is negative; never an empty match directly after another. */
  *all(limit: number): Generator<Match> {
    const matcher = this.regex.matcher(this.text);
    let count = 0;
    let previousEnd = -1;
    for (let at = 0; at <= this.text.length && count !== limit;) {
      this.env.charge(1);
      this.env.checkTime();
      if (!matcher.find(at)) return;
      const start = matcher.start();
      const end = matcher.end();
      if (end > start || start !== previousEnd) {
        yield this.match(matcher, start, end);
        count++;
      }
      previousEnd = end;
      at = end > start ? end : end + ((this.text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1);
    }
  }

  private match(matcher: ReturnType<RE2JS['matcher']>, start: number, end: number): Match {
    const groups: (string | null)[] = [];
    for (let i = 0; i <= matcher.groupCount(); i++) groups.push(matcher.group(i));
    const numbers = this.regex.namedGroups() as Readonly<Record<string, number>>;
    return {
      start,
      end,
      text: this.text.slice(start, end),
      group: (name) => {
        if (/^\d+$/.test(name) && !/^0\d/.test(name)) return groups[Number(name)] ?? '';
        for (const alias of this.aliases.get(name) ?? []) {
          const text = groups[numbers[alias] ?? -1];
          if (typeof text === 'string') return text;
        }
        return '';
      },
    };
  }
}
