import type { Call } from 'pegboard';

/** Whether a client has asked for a call of a tool through a meta-tool: it is not a step of a workflow. */
export function isAsked({ tool, parent }: Call): boolean {
  return tool.kind !== 'meta' && parent?.tool.kind === 'meta';
}
