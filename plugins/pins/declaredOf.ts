import { isObject } from 'pegboard';
import type { DeclaredOffer } from '../contracts/pins.ts';
import type { Declared } from './suspicions.ts';

/** Deepest level of a schema that is read. */
const DEPTH = 32;
const TEXT_KEYS = new Set(['title', 'description', '$comment']);
/** Keys whose values are data; a model reads the texts in them, too. */
const DATA_KEYS = new Set(['default', 'const', 'enum', 'examples']);

interface Found {
  readonly texts: string[];
  readonly parameters: string[];
}

/** The texts and parameters of a tool as its server declared it. */
export function declaredOf(name: string, declaration: unknown): Declared {
  const found: Found = { texts: [], parameters: [] };
  collect(declaration, found, 0);
  return { name, ...found };
}

/** The same of what is offered besides tools. A uri cannot be taken for the name of a tool. */
export function declaredOffer({ section, own, declared }: DeclaredOffer): Declared {
  const { texts, parameters } = declaredOf('', declared);
  const given = section === 'prompts' ? declared['arguments'] : [];
  const names = (Array.isArray(given) ? given : []).map((one: unknown) => isObject(one) && one['name']);
  const words = section === 'prompts' ? [] : [declared['instructions'], declared['name']];
  const isText = (one: unknown): one is string => typeof one === 'string';
  return {
    name: section === 'prompts' ? own : '',
    texts: [...texts, ...words.filter(isText)],
    parameters: [...parameters, ...names.filter(isText)],
  };
}

function collect(value: unknown, found: Found, depth: number): void {
  if (depth > DEPTH || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value as readonly unknown[]) collect(item, found, depth + 1);
    return;
  }
  for (const [key, member] of Object.entries(value)) {
    if (TEXT_KEYS.has(key) && typeof member === 'string') found.texts.push(member);
    else if (DATA_KEYS.has(key)) collectTexts(member, found, depth + 1);
    else if (key === 'properties') collectParameters(member, found, depth + 1);
    else collect(member, found, depth + 1);
  }
}

function collectParameters(properties: unknown, found: Found, depth: number): void {
  if (typeof properties !== 'object' || properties === null || Array.isArray(properties)) return;
  for (const [name, schema] of Object.entries(properties)) {
    found.parameters.push(name);
    collect(schema, found, depth + 1);
  }
}

function collectTexts(value: unknown, found: Found, depth: number): void {
  if (typeof value === 'string') found.texts.push(value);
  else if (depth <= DEPTH && typeof value === 'object' && value !== null)
    for (const member of Object.values(value)) collectTexts(member, found, depth + 1);
}
