import { readFile } from 'node:fs/promises';
import { text as textIn } from 'node:stream/consumers';
import { isObject, messageOf, nearest } from 'pegboard';
import type { Invocation, JsonObject } from 'pegboard';
import { parse } from 'yaml';
import { Failure } from '../failure.ts';
import { inlined } from './inlined.ts';
import { typed } from './typed.ts';

/** How a verb was given the arguments of a tool, besides `--key value`. */
export interface ArgumentSources {
  /** `--json '{…}'`. */
  readonly json?: string;
  /** `--file args.json`: JSON or YAML; `-` is standard input. */
  readonly file?: string;
}

/** The arguments of a tool: those of the file, then of --json, then `--key value`, each typed by the tool's inputSchema.
 *  @param words `--key value`, `--key=value`, `--key @file`, `--switch`, `--no-switch` @throws Failure */
export async function readToolArguments(
  words: readonly string[],
  inputSchema: JsonObject,
  { json, file }: ArgumentSources,
  { terminal }: Pick<Invocation, 'terminal'>,
): Promise<JsonObject> {
  const fromFile = file === undefined ? {} : objectIn(await textOf(file, terminal.input), file);
  const fromJson = json === undefined ? {} : objectIn(json, '--json');
  const args = { ...fromFile, ...fromJson, ...(await flags(words, inputSchema)) };
  const missing = required(inputSchema).filter((name) => !Object.hasOwn(args, name));
  if (missing.length > 0) throw new Failure(missingText(missing, inputSchema));
  return args;
}

/** `path=/tmp` → `write --path=/tmp` */
function meantBy(word: string): string {
  if (/^[{[]/.test(word)) return 'arguments in JSON are given with --json';
  if (/^[\w-]+=/.test(word)) return `write --${word}`;
  return 'arguments are written as --name value';
}

async function flags(words: readonly string[], schema: JsonObject): Promise<JsonObject> {
  const args: Record<string, unknown> = {};
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const [, flag, attached] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (flag === undefined) throw new Failure(`${JSON.stringify(word)} is not a flag; ${meantBy(word)}`);
    const { name, isNegated } = propertyFor(flag, schema);
    const next = words[at + 1];
    const isSwitch = attached === undefined && (isNegated || next === undefined || isFlag(next, schema));
    if (!isSwitch && attached === undefined) at += 1;
    const given = isSwitch
      ? !isNegated
      : await valueOf(attached ?? next ?? '', name, propertyIn(schema, name));
    const former = args[name];
    // A flag that is given again makes a list.
    const isList = former !== undefined && typesOf(propertyIn(schema, name)).includes('array');
    args[name] = isList ? [former, given].flat() : given;
  }
  return args;
}

/** `@file` takes the content of a file, `@@` a text that begins with @. */
async function valueOf(text: string, name: string, schema: JsonObject): Promise<unknown> {
  if (text.startsWith('@@')) return typed(text.slice(1), name, schema);
  if (!text.startsWith('@')) return typed(text, name, schema);
  const content = await readFile(text.slice(1), 'utf8').catch((error: unknown) => {
    throw new Failure(`--${name}: ${messageOf(error)}; write @@ for a text that begins with @`);
  });
  return typed(content, name, schema);
}

/** A word after a flag is its value unless it is a flag itself: `--limit -3`, `--text --all` by the schema. */
function isFlag(word: string, schema: JsonObject): boolean {
  const [, flag] = /^--([^=]+)/.exec(word) ?? [];
  return flag !== undefined && (Object.hasOwn(propertiesOf(schema), flag) || /^[\w-]+$/.test(flag));
}

function propertyFor(flag: string, schema: JsonObject): { name: string; isNegated: boolean } {
  const names = Object.keys(propertiesOf(schema));
  const same = (name: string): boolean => name === flag || kebab(name) === flag;
  const exact = names.find(same);
  if (exact !== undefined) return { name: exact, isNegated: false };
  const negated = flag.startsWith('no-') ? names.find((name) => kebab(name) === flag.slice(3)) : undefined;
  if (negated !== undefined) return { name: negated, isNegated: true };
  if (schema['additionalProperties'] !== false && names.length === 0) return { name: flag, isNegated: false };
  const [close] = nearest(flag, names, 1);
  const fix = close === undefined ? `it takes ${listOf(names)}` : `did you mean --${close}?`;
  throw new Failure(`the tool has no argument ${flag}; ${fix}`);
}

function listOf(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.map((name) => `--${name}`).join(', ');
}

function kebab(name: string): string {
  return name.replaceAll('_', '-').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function missingText(missing: readonly string[], schema: JsonObject): string {
  const lines = missing.map((name) => {
    const { description } = propertyIn(schema, name);
    const type = typesOf(propertyIn(schema, name)).join(' or ');
    return `  --${name} <${type === '' ? 'value' : type}>  ${typeof description === 'string' ? description : ''}`;
  });
  return `missing arguments:\n${lines.map((line) => line.trimEnd()).join('\n')}`;
}

function required({ required: names }: JsonObject): readonly string[] {
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}
function propertiesOf({ properties }: JsonObject): JsonObject {
  return isObject(properties) ? properties : {};
}
function propertyIn(schema: JsonObject, name: string): JsonObject {
  const property = propertiesOf(schema)[name];
  return isObject(property) ? inlined(property, schema) : {};
}
function typesOf({ type }: JsonObject): readonly string[] {
  return [type].flat().filter((one) => typeof one === 'string');
}

function objectIn(text: string, source: string): JsonObject {
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    throw new Failure(`${source}: ${messageOf(error).split('\n', 1)[0] ?? ''}`);
  }
  if (isObject(value)) return value;
  throw new Failure(`${source} must hold a JSON object, such as {"path": "/tmp"}`);
}

async function textOf(file: string, input: NodeJS.ReadableStream): Promise<string> {
  if (file !== '-')
    return readFile(file, 'utf8').catch((error: unknown) => {
      throw new Failure(`--file: ${messageOf(error)}`);
    });
  return textIn(input);
}
