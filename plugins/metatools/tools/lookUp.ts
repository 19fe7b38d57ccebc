import { GatewayError, ToolTable } from 'pegboard';
import type { InboundRequest, Scope, Tool } from 'pegboard';

/** The tool if the request may see it. @throws GatewayError TOOL_NOT_FOUND with near names, or the layer's refusal */
export function lookUp(scope: Scope<unknown>, name: string, request: InboundRequest): Tool {
  const table = scope.get(ToolTable);
  const found = table.find(name);
  const tool = found?.kind === 'meta' ? undefined : found;
  table.admit(name, tool, request);
  if (tool !== undefined) return tool;
  if (found !== undefined) throw isMetaTool(name);
  throw new GatewayError('TOOL_NOT_FOUND', `tool not found: ${name}`, {
    details: { near: table.near(name, request) },
  });
}

/** Meta-tools are called directly; the catalogue does not hold them. */
function isMetaTool(name: string): GatewayError {
  const text = `tool not found: ${name} is not in the catalogue; it is a meta-tool, so call it directly`;
  return new GatewayError('TOOL_ARGUMENTS', text);
}
