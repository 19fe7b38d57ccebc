import { ToolTable } from 'pegboard';
import type { ErrorCode, InboundRequest, Position, Scope, Tool, Verdict } from 'pegboard';
import { TOOL_PREFIX, toolUses } from './model.ts';
import type { ToolUse, Workflow } from './model.ts';

/** A definition in force with its tool. */
export interface Held {
  readonly workflow: Workflow;
  readonly locate: (path: ToolUse['path']) => Position;
}
export type FindWorkflow = (name: string) => Held | undefined;

export interface MissingTool {
  readonly tool: string;
  readonly code: ErrorCode;
  readonly reason: string;
  readonly remedy?: string;
  readonly step: string;
  readonly server?: string;
  /** Nested workflows between the requested one and the tool. */
  readonly via: readonly string[];
  readonly place: Position;
}

/** Layers that judge no steps: classes are for callers of core tools (decision D145), existence is reported here. */
const OF_CALLERS: readonly string[] = ['operators', 'catalogue'];

interface Asked {
  readonly scope: Scope<unknown>;
  readonly find: FindWorkflow;
  readonly request: InboundRequest;
}

/** Tools of a workflow that a run of the caller could not call, each once; uses the same table and layers as calls do.
 *  The caller's toolset is ignored: it narrows calls from outside, not steps (decision D9). */
export function missingTools({ scope, find, request }: Asked): (held: Held) => readonly MissingTool[] {
  const table = scope.get(ToolTable);
  // One for all workflows of a list: what the caller has at servers is looked up once for each request.
  const bare = withoutToolset(request);
  return (held) => missingIn(held, { table, find, request: bare });
}

function missingIn(
  held: Held,
  { table, find, request }: Omit<Asked, 'scope'> & { readonly table: ToolTable },
): readonly MissingTool[] {
  const missing = new Map<string, MissingTool>();
  const walk = ({ workflow, locate }: Held, via: readonly string[]): void => {
    for (const use of toolUses(workflow)) {
      if (missing.has(use.tool)) continue;
      const inner = nestedIn(use.tool, find);
      if (inner !== undefined) {
        if (!via.includes(inner.workflow.name) && inner.workflow.name !== held.workflow.name)
          walk(inner, [...via, inner.workflow.name]);
        continue;
      }
      const fault = faultOf(use.tool, table, request);
      if (fault !== undefined)
        missing.set(use.tool, { tool: use.tool, ...fault, step: use.step, via, place: locate(use.path) });
    }
  };
  walk(held, []);
  return [...missing.values()];
}

/** The workflow that a tool name belongs to. */
export function nestedIn(tool: string, find: FindWorkflow): Held | undefined {
  return tool.startsWith(TOOL_PREFIX) ? find(tool.slice(TOOL_PREFIX.length)) : undefined;
}

/** Why a step cannot call the tool; undefined if it can. */
function faultOf(
  name: string,
  table: ToolTable,
  request: InboundRequest,
): Pick<MissingTool, 'code' | 'reason' | 'remedy' | 'server'> | undefined {
  const tool = table.declared(name, request);
  const code = 'TOOL_NOT_FOUND';
  if (tool?.kind === 'meta')
    return { code, reason: `${name} is a meta-tool; steps call other tools by their names` };
  const verdict = table
    .explain(name, tool, request)
    .find(({ layer, allow }) => !allow && !OF_CALLERS.includes(layer));
  if (verdict !== undefined) return refusedBy(verdict, tool);
  if (tool !== undefined) return undefined;
  if (name.includes('{{'))
    return {
      code,
      reason: 'the name of a tool cannot be a template',
      remedy: 'write one step for each tool, with a condition',
    };
  const near = table.near(name, request);
  const remedy = near.length > 0 ? `did you mean ${near.join(' or ')}?` : 'find its name with filter_tools';
  return { code, reason: name.startsWith(TOOL_PREFIX) ? 'no such workflow' : 'no such tool', remedy };
}

function refusedBy(
  { code = 'TOOL_NOT_FOUND', reason, remedy, server: named }: Verdict,
  tool: Tool | undefined,
): Pick<MissingTool, 'code' | 'reason' | 'remedy' | 'server'> {
  const server = tool?.server ?? named;
  return {
    code,
    reason,
    ...(remedy !== undefined && { remedy }),
    ...(server !== undefined && { server }),
  };
}

function withoutToolset(request: InboundRequest): InboundRequest {
  const { id, transport, access, caller, sessionId, anonymousOwner, method, path, remoteAddress } = request;
  return {
    id,
    transport,
    access,
    caller,
    sessionId,
    anonymousOwner,
    toolset: undefined,
    header: (name) => request.header(name),
    ...(method !== undefined && { method }),
    ...(path !== undefined && { path }),
    ...(remoteAddress !== undefined && { remoteAddress }),
  };
}

interface Among extends Omit<Asked, 'scope'> {
  readonly table: ToolTable;
  readonly seen?: ReadonlySet<string>;
}

/** Whether every tool of a workflow is read-only among those of a request; false if one is unknown to it.
 *  Source: requirement workflow.readOnly. */
export function isReadOnlyWorkflow(held: Held, { table, find, request, seen = new Set() }: Among): boolean {
  const below = new Set([...seen, held.workflow.name]);
  return toolUses(held.workflow).every(({ tool }) => {
    const inner = nestedIn(tool, find);
    if (inner === undefined) return table.declared(tool, request)?.annotations?.readOnlyHint === true;
    return (
      !below.has(inner.workflow.name) && isReadOnlyWorkflow(inner, { table, find, request, seen: below })
    );
  });
}
