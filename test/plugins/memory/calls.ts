import { ANYONE, Cancellation, textResult } from '../../../kernel/index.ts';
import type { Call, Tool } from '../../../kernel/index.ts';

let lastId = 0;

function callWith(kind: Tool['kind'], owner: string, parent: Call | undefined): Call {
  const tool = { name: kind, kind } as Tool;
  return {
    id: ++lastId,
    tool,
    args: {},
    request: { ...ANYONE, anonymousOwner: owner },
    parent,
    cancel: new Cancellation(),
    progress: undefined,
    client: undefined,
    meta: undefined,
    idempotencyKey: undefined,
    child: () => Promise.resolve(textResult('')),
  };
}

/** A meta-tool that called a tool, and a step that a workflow called. */
export function callOf(owner: string): { readonly meta: Call; readonly inner: Call; readonly step: Call } {
  const meta = callWith('meta', owner, undefined);
  const inner = callWith('tool', owner, meta);
  const workflow = callWith('workflow', owner, meta);
  return { meta, inner, step: callWith('tool', owner, workflow) };
}
