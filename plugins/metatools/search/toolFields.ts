import { isObject } from 'pegboard';
import type { JsonObject, Tool } from 'pegboard';

/** The searched fields of a tool; the index of a field in this list is its index in all arrays. */
export const FIELDS = [
  'name',
  'title',
  'summary',
  'details',
  'parameters',
  'parameterTexts',
  'values',
  'server',
] as const;

const MAX_SUMMARY_CHARS = 600;
/** Characters of each longer field that are read. */
const MAX_FIELD_CHARS = 4_000;
/** Characters of the instructions of its server, which all its tools share. */
const MAX_INSTRUCTION_CHARS = 500;
const MAX_SCHEMA_DEPTH = 6;
const MAX_VALUES = 1_000;
/** A full stop before white space, a CJK full stop or a line break: ends the first sentence. */
const SENTENCE_END = /[.!?](?=\s)|[。！？\n]/u;
const COMBINED = ['anyOf', 'oneOf', 'allOf'] as const;

/** What a server says about itself to agents. */
export type InstructionsOf = (server: string) => string | undefined;

/** The texts of a tool, in the order of FIELDS. */
export function textsOf(tool: Tool, instructionsOf?: InstructionsOf): readonly string[] {
  const { name, server } = namesOf(tool);
  const title = tool.declared?.['title'];
  const description = tool.description.trim();
  const end = description.search(SENTENCE_END);
  const summary = (end < 0 ? description : description.slice(0, end + 1)).slice(0, MAX_SUMMARY_CHARS);
  const instructions = instructionsOf?.(tool.server ?? '')?.slice(0, MAX_INSTRUCTION_CHARS) ?? '';
  const schema = { parameters: [], parameterTexts: [], values: [] };
  readSchema(tool.inputSchema, schema, 0);
  return [
    name,
    typeof title === 'string' ? title.slice(0, MAX_SUMMARY_CHARS) : '',
    summary,
    `${description.slice(summary.length, summary.length + MAX_FIELD_CHARS)}\n${instructions}`,
    schema.parameters.join(' ').slice(0, MAX_FIELD_CHARS),
    schema.parameterTexts.join('\n').slice(0, MAX_FIELD_CHARS),
    schema.values.join(' ').slice(0, MAX_FIELD_CHARS),
    server,
  ];
}

/** The upstream's own tool name, separated from the prefix that names the server. */
function namesOf(tool: Tool): { name: string; server: string } {
  const { name, kind, server = '' } = tool;
  const own = tool.declared?.['name'];
  if (typeof own === 'string' && name.endsWith(own)) {
    return {
      name: own,
      server: `${server} ${name.slice(0, -own.length).replace(/^x_/, '').replace(server, '')}`,
    };
  }
  if (kind === 'tool') return { name, server };
  const split = name.indexOf('_');
  return { name: name.slice(split + 1), server: name.slice(0, Math.max(split, 0)) };
}

interface SchemaTexts {
  readonly parameters: string[];
  readonly parameterTexts: string[];
  readonly values: string[];
}

/** Collects the names, descriptions and enum values of the parameters of a schema, nested ones too. */
function readSchema(schema: JsonObject, texts: SchemaTexts, depth: number): void {
  if (depth > MAX_SCHEMA_DEPTH) return;
  const { properties, items, enum: values } = schema;
  if (Array.isArray(values))
    for (const one of values.slice(0, MAX_VALUES) as unknown[])
      if (typeof one === 'string') texts.values.push(one);
  for (const [name, parameter] of Object.entries(isObject(properties) ? properties : {})) {
    texts.parameters.push(name);
    if (!isObject(parameter)) continue;
    if (typeof parameter['description'] === 'string') texts.parameterTexts.push(parameter['description']);
    readSchema(parameter, texts, depth + 1);
  }
  const parts = [items, ...COMBINED.map((key) => schema[key])].flat();
  for (const part of parts) if (isObject(part)) readSchema(part, texts, depth + 1);
}
