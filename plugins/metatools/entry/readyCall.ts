import { isObject } from 'pegboard';
import type { JsonObject, JsonSchema, Tool } from 'pegboard';
import { isTaskOnly } from '../../kit/calls/isTaskOnly.ts';
import { wantedTypes } from '../../kit/calls/wantedTypes.ts';
import { TASK_ONLY } from './entry.ts';
import type { TrimmedSchemaOf } from './trimmedSchemaOf.ts';

/** Bytes of the schema in an answer to a search. */
const MAX_SCHEMA_BYTES = 1_600;
const MAX_ARGUMENTS = 8;
const SCALARS: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean']);

/** What an agent needs to run the tool that it was looking for: the schema and the arguments of call_tool, with a placeholder for
 *  each required one. A schema that is too large is left to describe_tool. */
export function readyCall(tool: Tool, trimmedSchemaOf: TrimmedSchemaOf): JsonObject {
  const { name, inputSchema, declared = {} } = tool;
  if (isTaskOnly(declared)) return { invocation: TASK_ONLY };
  const schema = trimmedSchemaOf(inputSchema, MAX_SCHEMA_BYTES);
  if (schema === undefined) return { describe_tool: { name } };
  return { inputSchema: schema, call_tool: { name, arguments: placeholders(inputSchema) } };
}

function placeholders({ properties, required }: JsonSchema): JsonObject {
  const named: readonly unknown[] = Array.isArray(required) ? required : [];
  const keys = named.filter((key) => typeof key === 'string').slice(0, MAX_ARGUMENTS);
  return Object.fromEntries(
    keys.map((key) => [key, placeholder(isObject(properties) ? properties[key] : undefined)]),
  );
}

function placeholder(schema: unknown): unknown {
  const [type = ''] = isObject(schema) ? wantedTypes(schema) : [];
  if (type === 'object') return {};
  if (type === 'array') return [];
  return SCALARS.has(type) ? `<${type}>` : '<value>';
}
