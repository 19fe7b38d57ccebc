import { READING, isObject } from 'pegboard';
import type { Call, CallResult, InboundRequest, JsonObject, Tool, ToolAnnotations } from 'pegboard';
import { withText } from '../results/withText.ts';
import { readArguments } from './readArguments.ts';
import type { DeclaredArguments } from './readArguments.ts';
import { understoodArguments } from './understoodArguments.ts';
import type { Understood } from './understoodArguments.ts';

export interface MetaToolParts {
  readonly name: string;
  readonly description: string;
  readonly properties?: JsonObject;
  readonly required?: readonly string[];
  /** Properties that tools/list leaves out; they are taken as the others are. */
  readonly unlisted?: readonly string[];
  readonly annotations?: ToolAnnotations;
  /** Receives only declared arguments; empty optional ones are absent. */
  readonly run: (args: JsonObject, call: Call) => CallResult | Promise<CallResult>;
  /** Reads values of arguments as what they can only mean, before `run`. Not of call_tool, the hot path. */
  readonly understand?: (args: JsonObject, request: InboundRequest) => Understood;
  readonly failed?: Tool['failed'];
  readonly listed?: (request: InboundRequest) => JsonObject;
}

/** Creates a tool of kind meta; read-only unless `annotations` is given. */
export function metaTool(parts: MetaToolParts): Tool {
  const { name, description, properties = {}, required = [], unlisted = [], annotations = READING } = parts;
  const { run, failed, listed } = parts;
  const declared = { name, properties, required };
  const shape = { type: 'object', properties, ...(required.length > 0 && { required }) };
  const brief = {
    inputSchema: { ...shape, properties: shortened(properties, unlisted) },
    ...(annotations.readOnlyHint === true && { annotations: { readOnlyHint: true } }),
  };
  return {
    name,
    kind: 'meta',
    description,
    inputSchema: { ...shape, additionalProperties: false },
    annotations,
    invoke:
      parts.annotations === undefined
        ? understanding(parts, declared)
        : (args, call) => run(readArguments(args, declared), call),
    ...(failed && { failed }),
    listed: (request) => ({ ...brief, ...listed?.(request) }),
  };
}

const BOUNDS: ReadonlySet<string> = new Set(['minimum', 'minItems', 'maxItems']);

/** The properties as tools/list has them, which every conversation pays for: without bounds, which their error says, and without
 *  defaults that an absent argument suggests anyway. */
function shortened(properties: JsonObject, unlisted: readonly string[]): JsonObject {
  const listed = Object.entries(properties).filter(([key]) => !unlisted.includes(key));
  return Object.fromEntries(listed.map(([key, property]) => [key, shortProperty(property as JsonObject)]));
}

function shortProperty(property: JsonObject): JsonObject {
  const telling = Object.entries(property).filter(([key, value]) => {
    if (key === 'default') return Boolean(value) && !isObject(value);
    return !BOUNDS.has(key);
  });
  return Object.fromEntries(telling);
}

/** Runs a tool that only reads, and says in its answer what was understood. */
function understanding({ run, understand }: MetaToolParts, declared: DeclaredArguments): Tool['invoke'] {
  return async (given, call) => {
    const read = understoodArguments(readArguments(given, declared), declared.properties);
    const { args, said } = understand?.(read.args, call.request) ?? { args: read.args, said: [] };
    const all = [...read.said, ...said];
    const result = await run(args, call);
    return all.length === 0 ? result : withText(result, `understood: ${all.join(', ')}`);
  };
}
