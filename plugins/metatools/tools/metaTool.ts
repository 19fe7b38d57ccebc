import { READING } from 'pegboard';
import type { Call, CallResult, JsonObject, Tool, ToolAnnotations } from 'pegboard';

export interface MetaToolParts {
  readonly name: string;
  readonly description: string;
  readonly properties?: JsonObject;
  readonly required?: readonly string[];
  readonly annotations?: ToolAnnotations;
  readonly run: (args: JsonObject, call: Call) => CallResult | Promise<CallResult>;
  readonly failed?: (error: unknown) => CallResult | undefined;
}

/** A tool of kind meta; read-only unless it says otherwise. Unknown arguments are tolerated: clients add their own. */
export function metaTool(parts: MetaToolParts): Tool {
  const { name, description, properties = {}, required, annotations = READING, run, failed } = parts;
  const inputSchema = { type: 'object', properties, ...(required && { required }) };
  return {
    name,
    kind: 'meta',
    description,
    inputSchema,
    annotations,
    invoke: run,
    ...(failed && { failed }),
  };
}
