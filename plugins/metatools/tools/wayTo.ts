import { ToolTable } from 'pegboard';
import type { InboundRequest, JsonObject, Scope } from 'pegboard';

export interface Way {
  /** Name of a core tool. */
  readonly tool: string;
  readonly args: JsonObject;
  /** What helps a caller who may not use it. */
  readonly otherwise: string;
}

/** The arguments of call_tool for a tool that the caller may use, else what helps. */
export function wayTo(
  scope: Scope<unknown>,
  request: InboundRequest,
  { tool: name, args, otherwise }: Way,
): { readonly call_tool: JsonObject } | { readonly remedy: string } {
  const table = scope.get(ToolTable);
  const tool = table.find(name, request);
  const refusal = tool && table.refusal(name, tool, request);
  if (tool !== undefined && refusal === undefined) return { call_tool: { name, arguments: args } };
  return { remedy: refusal?.remedy ?? otherwise };
}
