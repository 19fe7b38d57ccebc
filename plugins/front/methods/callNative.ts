import { CallPath, GatewayError, rawResult } from 'pegboard';
import type { CallResult, JsonObject, Scope, Tool } from 'pegboard';
import type { MethodContext } from './method.ts';

export interface Native {
  readonly method: string;
  readonly params: JsonObject;
  /** @returns the complete result as JSON text */
  readonly run: () => Promise<string>;
}

/** What a client asks for besides tools, as a call: guards and limits see it under the name of its method.
 *  @throws GatewayError also when a guard has answered in its place, with that text */
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
  // The answer of a guard is a tool's result, which is none of a resource.
  if (answer === undefined) throw new GatewayError('REQUEST_FORBIDDEN', textOf(result));
  return answer;
}

function textOf(result: CallResult): string {
  const [first] = result.value().content;
  return typeof first?.['text'] === 'string' ? first['text'] : 'refused';
}
