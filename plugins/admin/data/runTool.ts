import { CallPath, GatewayError, ToolTable } from 'pegboard';
import type { InboundRequest, JsonObject, Scope, ToolResult } from 'pegboard';

/** Runs a core tool on behalf of the operator: past the same taps as a client's call, so that it is in events and in the audit
 *  trail. Toolsets and deny rules do not limit the operator.
 *  @throws GatewayError what the tool throws; PLUGIN_MISSING if its plugin is off; REQUEST_FORBIDDEN with the text of an error result */
export async function runTool(
  scope: Scope<unknown>,
  name: string,
  args: JsonObject,
  request: InboundRequest,
): Promise<ToolResult> {
  const tool = scope.get(ToolTable).declared(name, request);
  if (tool === undefined)
    throw new GatewayError('PLUGIN_MISSING', `there is no tool ${name}; switch on the plugin that has it`);
  const value = (await scope.get(CallPath).run(tool, args, request)).value();
  if (value.isError !== true) return value;
  const text = value.content.map((part) => (typeof part['text'] === 'string' ? part['text'] : '')).join(' ');
  throw new GatewayError('REQUEST_FORBIDDEN', text);
}
