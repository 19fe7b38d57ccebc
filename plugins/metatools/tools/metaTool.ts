import { READING } from 'pegboard';
import type { Call, CallResult, InboundRequest, JsonObject, Tool, ToolAnnotations } from 'pegboard';
import { readArguments } from './readArguments.ts';

export interface MetaToolParts {
  readonly name: string;
  readonly description: string;
  readonly properties?: JsonObject;
  readonly required?: readonly string[];
  readonly annotations?: ToolAnnotations;
  /** Gets what the tool declares and nothing else; optional arguments that are empty are absent. */
  readonly run: (args: JsonObject, call: Call) => CallResult | Promise<CallResult>;
  readonly failed?: (error: unknown) => CallResult | undefined;
  readonly listed?: (request: InboundRequest) => JsonObject;
}

/** A tool of kind meta; read-only unless it says otherwise. */
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
