import { readFileSync } from 'node:fs';
import { Composer, LineCounter, Parser, isAlias, isMap, isNode, isPair, isScalar, isSeq, visit } from 'yaml';
import type { Document } from 'yaml';
import type { Issue } from '../contracts/config.ts';
import type { JsonObject } from '../contracts/json.ts';
import type { Origin, Position } from '../contracts/resource.ts';
import { pathBelow } from './json.ts';
import { once } from './once.ts';
import { packageFile } from './packageFile.ts';

type Path = readonly (string | number)[];
type Fault = (message: string, offset: number | undefined) => void;
/** Far above the depth of any sensible definition, far below the depth at which the parser overflows the stack. */
const MAX_LEVELS = 256;
const TOO_DEEP = `it is nested deeper than ${MAX_LEVELS} levels; write it flatter`;
/** A value that seems to go on in the next line. */
const RUNS_ON = 'MULTILINE_IMPLICIT_KEY';
/** Bound on the faults reported for one file; more do not help. */
const MAX_FAULTS = 100;
/** Bound on anchors and aliases: the parser searches all of them for each alias. */
const MAX_NAMES = 1_000;

/** A value read from YAML that can locate each of its parts in the file. */
export interface YamlSource extends Origin {
  readonly file: string;
  readonly value: unknown;
  /** Syntax errors; `value` is undefined when there are any. */
  readonly issues: readonly Issue[];
}

/** Parses one YAML 1.2 document, with merge keys. Duplicate keys, alias bombs, a second document, and values that JSON has not
 *  are issues. Never throws. */
export function readYaml(text: string, file: string): YamlSource {
  const lines = new LineCounter();
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { file, line, column: col };
  };
  const issues: Issue[] = [];
  const fault: Fault = (message, offset = 0) => {
    issues.push({ severity: 'error', code: 'CONFIG_UNREADABLE', message, ...at(offset) });
  };
  const composer = new Composer({ uniqueKeys: false, merge: true });
  const [document, second] = composer.compose(new Parser(lines.addNewLine).parse(text));
  if (document === undefined) return { file, text, value: undefined, issues, locate: () => ({ file }) };
  tellSyntax(document.errors, text, fault);
  const tooDeep = issues.find(({ message }) => message === TOO_DEEP);
  if (tooDeep !== undefined) issues.splice(0, issues.length, tooDeep);
  if (second !== undefined)
    fault('a second document begins here; use one file per definition', second.range[0]);
  let value: unknown;
  try {
    if (issues.length === 0) lookThrough(document, fault);
    if (issues.length === 0) value = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    fault(textOf((error as Error).message), document.range[0]);
  }
  const below = pathBelow(value, MAX_LEVELS);
  if (below !== undefined) fault(TOO_DEEP, offsetOf(document, below));
  return {
    file,
    text,
    value: below === undefined ? value : undefined,
    issues: issues.slice(0, MAX_FAULTS),
    locate: (path) => at(offsetOf(document, path)),
  };
}

/** Tags of what JSON has. */
const TAGS = /^(!|tag:yaml\.org,2002:(str|int|float|bool|null|map|seq))$/;

/** Why a number is not kept as it is written, with the fix, and without the number: it may be a secret.
 *  @param source its text @returns undefined if it is kept */
function numberFault(source: string, value: number): string | undefined {
  if (/^[-+]?0\d/.test(source) && !/[.eE]/.test(source)) return textOf('octal');
  if (!Number.isFinite(value)) return 'this is not a number in JSON; put it in quotes if it is a text';
  const isWhole = /^[-+]?0[xo]/.test(source) && Number.isSafeInteger(value);
  const isKept = isWhole || digitsOf(source) === digitsOf(String(value));
  return isKept ? undefined : 'this number has more digits than are kept; put it in quotes, or round it';
}

/** The significant digits of a decimal number and their place, without its sign, in one form for equal numbers. */
function digitsOf(source: string): string {
  const [mantissa = '', exponent = '0'] = source.toLowerCase().split('e');
  const [whole = '', part = ''] = mantissa.replace(/^[-+]/, '').split('.');
  const digits = (whole + part).replace(/^0+/, '');
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  const place = Number(exponent) - part.length + digits.length - end;
  return end === 0 ? '0' : `${digits.slice(0, end)}e${place}`;
}

/** Finds what the parser takes quadratic time for, duplicate keys in a map and many aliases, and what it would change in silence. */
function lookThrough(document: Document.Parsed, fault: Fault): void {
  const keysByMap = new Map<unknown, Set<unknown>>();
  const anchors = new Set<unknown>();
  let names = 0;
  visit(document, {
    Node: (_, node) => {
      const { tag } = node as { readonly tag?: string };
      if (tag !== undefined && !TAGS.test(tag))
        fault('its tag is not known here; write the value as JSON has it, a text in quotes', node.range?.[0]);
      if (isScalar(node) && typeof node.value === 'number' && node.source !== undefined) {
        const text = numberFault(node.source, node.value);
        if (text !== undefined) fault(text, node.range?.[0]);
      }
      if (!isAlias(node) && node.anchor === undefined) return undefined;
      if (!isAlias(node)) anchors.add(node.anchor);
      else if (!anchors.has(node.source)) fault(textOf('no anchor'), node.range?.[0]);
      if (++names <= MAX_NAMES) return undefined;
      fault(`it has more than ${MAX_NAMES} anchors and aliases; write the values out`, node.range?.[0]);
      return visit.BREAK;
    },
    Pair: (_, { key }, path) => {
      if (isNode(key) && !isScalar(key) && !isAlias(key)) fault(textOf('no key'), key.range?.[0]);
      const keys = keysByMap.get(path.at(-1)) ?? new Set();
      const name = isScalar(key) ? key.value : key;
      if (keys.has(name) && isNode(key)) fault(textOf('Map keys must be unique'), key.range?.[0]);
      keysByMap.set(path.at(-1), keys.add(name));
    },
  });
}

/** Tells the first fault of each line: the others there mostly follow from it. */
function tellSyntax(errors: Document['errors'], text: string, fault: Fault): void {
  const conflict = errors.length === 0 ? -1 : text.search(/^(<{7}|>{7}) /m);
  if (conflict >= 0) fault(textOf('git conflict'), conflict);
  const rank = ({ code, pos }: (typeof errors)[0]): number => pos[0] * 2 - Number(code === RUNS_ON);
  const told = new Set<number>();
  for (const error of errors.sort((a, b) => rank(a) - rank(b)).slice(0, conflict < 0 ? MAX_FAULTS : 0)) {
    const [at] = error.pos;
    const line = text.lastIndexOf('\n', at - 1) + 1;
    if (told.size === told.add(line).size) continue;
    const [, quote] = /^Missing closing (.)quote/.exec(error.message) ?? [];
    // The parser takes an over-indented line for a continuation of the value above it, and reports that value.
    if (error.code === RUNS_ON && text.slice(line, at).trim() !== '')
      fault(textOf('line too far'), text.indexOf('\n', at) + 1);
    else fault(textOf(error.message), quote === undefined ? at : text.lastIndexOf(quote, at - 1));
  }
}

/** What people understand in place of the parser's words, by their beginnings. */
const words = once((): JsonObject => {
  return JSON.parse(readFileSync(packageFile('kernel/lib/yamlFaults.json'), 'utf8')) as JsonObject;
});

/** The parser quotes the text, which may be a secret. */
function textOf(message: string): string {
  const [, known] = Object.entries(words()).find(([start]) => message.startsWith(start)) ?? [];
  return typeof known === 'string' ? known : message.replace(/(?<=\w): .*$/s, '').replace(/![^ ]+/g, 'this');
}

/** Offset of the key or item at `path`, or of its nearest parent that exists. */
function offsetOf(document: Document.Parsed, path: Path): number {
  let node: unknown = document.contents;
  let offset = document.contents?.range[0] ?? 0;
  for (const step of path) {
    const part: unknown = isMap(node)
      ? node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step))
      : isSeq(node) && node.items[Number(step)];
    const place = isPair(part) ? part.key : part;
    if (!isNode(place) || !place.range) return offset;
    offset = place.range[0];
    node = isPair(part) ? part.value : part;
  }
  return offset;
}
