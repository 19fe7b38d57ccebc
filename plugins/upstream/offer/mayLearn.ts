import { textResult } from 'pegboard';
import type { InboundRequest, Tool, ToolTable } from 'pegboard';

/** Whether the request may learn that a server has, or could have, a tool of that name. */
export function mayLearn(
  { server, tool }: { readonly server: string; readonly tool: string },
  table: Pick<ToolTable, 'hides'>,
  request: InboundRequest,
): boolean {
  const unknown: Tool = { name: tool, kind: 'tool', server, ...NOTHING };
  return !table.hides({ kind: 'server', name: server, server }, request) || !table.hides(unknown, request);
}

const NOTHING = { description: '', inputSchema: {}, invoke: () => textResult('', true) };
