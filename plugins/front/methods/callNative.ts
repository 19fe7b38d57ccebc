import { CallPath, GatewayError, rawResult } from 'pegboard';
import type { CallResult, JsonObject, Scope, Tool } from 'pegboard';
import type { MethodContext } from './method.ts';

export interface Native {
  readonly method: string;
  readonly params: JsonObject;
  /** @returns the complete result as JSON text */
  readonly run: () => Promise<string>;
}

/** Runs an MCP request other than a tool call as a call, so that guards and limits see it under the name of its method.
 *  @throws GatewayError also if a guard answered instead, with the text of that answer */
export async function callNative(
  scope: Scope<unknown>,
  { method, params, run }: Native,
  { request, options }: MethodContext,
): Promise<string> {
  let answer: string | undefined;
  const tool: Tool = {
    name: method,
    kind: 'meta',
    description: method,
    inputSchema: { type: 'object' },
    invoke: async () => rawResult((answer = await run())),
  };
  const result = await scope.get(CallPath).run(tool, params, request, options);
  // A tap answered with a tool result, which is not a valid result of this method.
  if (answer === undefined) throw new GatewayError('REQUEST_FORBIDDEN', textOf(result));
  return answer;
}

function textOf(result: CallResult): string {
  const [first] = result.value().content;
  return typeof first?.['text'] === 'string' ? first['text'] : 'refused';
}
