import { validateArguments } from './config/validate.ts';
import type { Call, CallResult, Tool } from './contracts/call.ts';
import type { JsonObject, JsonSchema } from './contracts/json.ts';
import type { ToolAnnotations } from './contracts/tool.ts';

/** Hints for a core tool that changes nothing. Source: requirement core.annotations. */
export const READING = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;

/** Hints for a core tool that changes something; repeating it changes nothing more. */
export const CHANGING = { ...READING, readOnlyHint: false, destructiveHint: true } as const;

const NOTHING: JsonSchema = { type: 'object', properties: {}, required: [], additionalProperties: false };

export interface CoreToolParts<Args> {
  readonly name: string;
  readonly description: string;
  /** Default: no arguments. */
  readonly schema?: JsonSchema;
  /** Default: READING. */
  readonly hints?: ToolAnnotations;
  /** Checks the arguments; default: against the schema, whose defaults are filled in. @throws GatewayError TOOL_ARGUMENTS */
  readonly read?: (args: JsonObject) => Args;
  readonly run: (args: Args, call: Call) => CallResult | Promise<CallResult>;
}

/** A tool of kind core. @typeParam Args what `read` returns, or what the schema allows */
export function coreTool<Args = JsonObject>(parts: CoreToolParts<Args>): Tool {
  const { schema = NOTHING, hints = READING, run, ...more } = parts;
  const { read = (args: JsonObject) => validateArguments(schema, args, more.name) as Args, ...rest } = more;
  return {
    ...rest,
    kind: 'core',
    inputSchema: schema,
    annotations: hints,
    invoke: (args, call) => run(read(args), call),
  };
}
