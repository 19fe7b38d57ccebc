import type { JsonObject, Tool } from 'pegboard';
import { isTaskOnly } from '../../kit/calls/isTaskOnly.ts';
import { TASK_ONLY } from './entry.ts';
import { placeholders } from './placeholders.ts';
import type { TrimmedSchemaOf } from './trimmedSchemaOf.ts';

/** Bytes of the schema in an answer to a search. */
const MAX_SCHEMA_BYTES = 1_600;

/** What an agent needs to run the tool that it was looking for: the schema and the arguments of call_tool, with a placeholder for
 *  each required one. A schema that is too large is left to describe_tool. */
export function readyCall(tool: Tool, trimmedSchemaOf: TrimmedSchemaOf): JsonObject {
  const { name, inputSchema, declared = {} } = tool;
  if (isTaskOnly(declared)) return { invocation: TASK_ONLY };
  const schema = trimmedSchemaOf(inputSchema, MAX_SCHEMA_BYTES);
  if (schema === undefined) return { describe_tool: { name } };
  return { inputSchema: schema, call_tool: { name, arguments: placeholders(inputSchema) } };
}
