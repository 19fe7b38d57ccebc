import type { Tool } from './contracts/call.ts';
import { isObject } from './lib/json.ts';

const KINDS: readonly unknown[] = ['meta', 'core', 'tool', 'workflow'];
/** Names that clients accept. Source: MCP 2025-11-25, Tool Names. */
const NAME = /^[\w./-]{1,128}$/;

/** Why a value that a plugin adds is not a valid tool, with the fix. A server's own tool names are not checked. */
export function toolFault(tool: Partial<Tool>): string | undefined {
  const { name, kind, server, members, inputSchema, invoke } = tool;
  const called = typeof name === 'string' ? `tool ${JSON.stringify(name)}` : 'its';
  const isOwn = server === undefined && members === undefined;
  if (typeof name !== 'string' || (isOwn && !NAME.test(name)))
    return `${called} "name" must have 1 to 128 letters, digits, "_", "-", "." or "/"`;
  if (!KINDS.includes(kind)) return `${called}: "kind" must be one of ${KINDS.join(', ')}`;
  if (!isObject(inputSchema))
    return `${called}: "inputSchema" must be a JSON schema, at least { type: 'object' }`;
  return typeof invoke === 'function' ? undefined : `${called}: "invoke" must be a function`;
}
