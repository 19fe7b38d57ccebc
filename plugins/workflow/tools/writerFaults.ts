import { textResult } from 'pegboard';
import type { Finding, InboundRequest, Tool, ToolTable, Verdict } from 'pegboard';
import { TOOL_PREFIX, toolUses } from '../definition/model.ts';
import type { Workflow } from '../definition/model.ts';

/** It says whether the server of a tool is there now, and not what the writer may do. */
const OF_SERVERS = 'server';

/** Tools of steps that the writer may not call: toolsets and classes do not apply to steps when they run (decision D9), so
 *  steps would give more than the writer has. */
export function writerFaults(
  workflow: Workflow,
  table: ToolTable,
  request: InboundRequest,
): readonly Finding[] {
  return toolUses(workflow).flatMap(({ tool, step, path }): Finding[] => {
    const refusal = refusalOf(tool, table, request);
    if (refusal === undefined) return [];
    const { reason, remedy } = refusal;
    const fix = remedy === undefined ? '' : `; ${remedy}`;
    return [{ path, message: `step ${step} may not call what its writer may not call: ${reason}${fix}` }];
  });
}

function refusalOf(name: string, table: ToolTable, request: InboundRequest): Verdict | undefined {
  const tool = table.find(name, request);
  if (tool === undefined) return table.refusal(name, absent(name), request);
  return table.explain(name, tool, request).find(({ layer, allow }) => !allow && layer !== OF_SERVERS);
}

/** In place of a tool that may come later, so that each layer judges what the name shows. */
function absent(name: string): Tool {
  const kind = name.startsWith(TOOL_PREFIX) ? 'workflow' : name.startsWith('core_') ? 'core' : 'tool';
  return {
    name,
    kind,
    description: '',
    inputSchema: {},
    invoke: () => textResult(`${name} is absent`, true),
  };
}
