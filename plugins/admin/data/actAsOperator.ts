import { CHANGING, CallPath, coreTool, textResult } from 'pegboard';
import type { InboundRequest, JsonObject, Scope } from 'pegboard';

export interface OperatorAct {
  /** As the audit trail names it: `admin_session_end`. */
  readonly name: string;
  readonly args: JsonObject;
  /** @returns one sentence */
  readonly run: () => string | Promise<string>;
}

/** Does what no core tool does, as a call of one: past the same taps, so that it is in events and in the audit trail.
 *  @returns the sentence of `run` @throws GatewayError what `run` throws */
export async function actAsOperator(
  scope: Scope<unknown>,
  { name, args, run }: OperatorAct,
  request: InboundRequest,
): Promise<string> {
  const tool = coreTool({
    name,
    description: 'What the operator does on the admin pages',
    schema: { type: 'object' },
    hints: CHANGING,
    run: async () => textResult(await run()),
  });
  const { content } = (await scope.get(CallPath).run(tool, args, request)).value();
  return content.map(({ text }) => (typeof text === 'string' ? text : '')).join(' ');
}
