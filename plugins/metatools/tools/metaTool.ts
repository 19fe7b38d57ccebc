import { READING } from 'pegboard';
import type { Call, CallResult, InboundRequest, JsonObject, Tool, ToolAnnotations } from 'pegboard';
import { readArguments } from './readArguments.ts';

export interface MetaToolParts {
  readonly name: string;
  readonly description: string;
  readonly properties?: JsonObject;
  readonly required?: readonly string[];
  readonly annotations?: ToolAnnotations;
  /** Receives only declared arguments; empty optional ones are absent. */
  readonly run: (args: JsonObject, call: Call) => CallResult | Promise<CallResult>;
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
    invoke: (args, call) => run(readArguments(args, declared), call),
    ...(failed && { failed }),
    ...(listed && { listed }),
  };
}
