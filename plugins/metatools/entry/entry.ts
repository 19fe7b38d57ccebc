import { escapeUnprintable, isObject } from 'pegboard';
import type { JsonObject, JsonSchema, Tool } from 'pegboard';
import { isTaskOnly } from '../../kit/calls/isTaskOnly.ts';
import { placeholders } from './placeholders.ts';
import { tellingHints } from './tellingHints.ts';
import type { ShortSchemaOf } from './trimmedSchemaOf.ts';

export interface EntryOptions {
  /** Replaces the full description and the input schema. */
  readonly summary?: string;
  /** Set for a match of words; beside a summary, the annotations are then only those that say something. */
  readonly score?: number | undefined;
  /** Shortens the input schema beside a full description. */
  readonly shortSchemaOf?: ShortSchemaOf;
}

/** A tool in the form of the discovery meta-tools; missing fields are left out. Source: requirement entry.fields. */
export function toEntry(
  tool: Tool,
  { summary, score, shortSchemaOf = whole }: EntryOptions = {},
): JsonObject {
  const { name, kind, server, labels, description, inputSchema } = tool;
  const isBrief = summary !== undefined && score !== undefined;
  const annotations = isBrief ? tellingHints(tool.annotations) : tool.annotations;
  return {
    name,
    ...(summary === undefined ? { description } : summaryField(summary)),
    ...(server !== undefined && { server }),
    kind,
    ...(hasKeys(annotations) && { annotations }),
    ...(hasKeys(labels) && { labels }),
    ...(score !== undefined && { score }),
    ...staleField(tool),
    ...(summary === undefined && schemasOf({ inputSchema }, shortSchemaOf)),
  };
}

/** Everything an agent needs to call a tool. */
export function toDescription(tool: Tool, shortSchemaOf: ShortSchemaOf = whole): JsonObject {
  const { name, kind, server, annotations, labels, description, inputSchema, declared = {} } = tool;
  const { title, outputSchema, execution, icons, _meta } = declared;
  return {
    name,
    ...(typeof title === 'string' && { title }),
    description,
    ...(server !== undefined && { server }),
    kind,
    ...(hasKeys(annotations) && { annotations }),
    ...(hasKeys(labels) && { labels }),
    ...staleField(tool),
    ...schemasOf({ inputSchema, ...(isObject(outputSchema) && { outputSchema }) }, shortSchemaOf),
    ...(isObject(execution) && { execution }),
    ...(Array.isArray(icons) && { icons: icons as unknown[] }),
    ...(isObject(_meta) && { _meta }),
    ...(hasApp(_meta) && { app: APP_NOT_SHOWN }),
    invocation: isTaskOnly(declared) ? TASK_ONLY : invocationOf(name, inputSchema),
  };
}

export const TASK_ONLY =
  'cannot be called here: its server runs it as a task only (execution.taskSupport is required), and there are no tasks here; find another tool with filter_tools';

const APP_NOT_SHOWN =
  'its page is not shown: clients show the pages of tools in tools/list, where only meta-tools are; the call and its result are not affected';

/** Whether the server has a page for results of the tool. Source: SEP-1865, which also had the second key. */
function hasApp(meta: unknown): boolean {
  if (!isObject(meta)) return false;
  const { ui, 'ui/resourceUri': uri } = meta;
  return typeof (isObject(ui) ? (ui['resourceUri'] ?? uri) : uri) === 'string';
}

/** Schemas by the name of their field, and a word on those that were shortened. */
function schemasOf(schemas: Readonly<Record<string, JsonSchema>>, shortSchemaOf: ShortSchemaOf): JsonObject {
  const short = Object.entries(schemas).map(([field, schema]) => [field, shortSchemaOf(schema)] as const);
  const cut = short.filter(([field, schema]) => schema !== schemas[field]).map(([field]) => field);
  const fields = Object.fromEntries(short);
  if (cut.length === 0) return fields;
  return {
    ...fields,
    shortened: `texts in ${cut.join(' and ')}; describe_tool with full: true has them whole`,
  };
}

function whole(schema: JsonSchema): JsonSchema {
  return schema;
}

function summaryField(summary: string): JsonObject {
  return summary === '' ? {} : { summary };
}

function staleField(tool: Tool): JsonObject {
  return tool.isStale?.() === true ? { stale: true } : {};
}

/** One line, with the arguments that a search gives for the same tool. Source: requirement describe. */
function invocationOf(name: string, schema: JsonSchema): string {
  const call = escapeUnprintable(JSON.stringify({ name, arguments: placeholders(schema) }));
  return `call_tool ${call}; tools in here are not callable by name directly`;
}

function hasKeys(value: object | undefined): boolean {
  return value !== undefined && Object.keys(value).length > 0;
}
