import { READING } from 'pegboard';
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
  const { name, description, properties = {}, required = [], annotations = READING } = parts;
  const { run, failed, listed } = parts;
  const declared = { name, properties, required };
  const inputSchema = {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
  return {
    name,
    kind: 'meta',
    description,
    inputSchema,
    annotations,
    invoke:
      parts.annotations === undefined
        ? understanding(parts, declared)
        : (args, call) => run(readArguments(args, declared), call),
    ...(failed && { failed }),
    ...(listed && { listed }),
  };
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
