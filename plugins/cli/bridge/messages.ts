import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';

/** A JSON-RPC message as it is on the wire: its members are not changed on the way. */
export interface WireMessage extends JsonObject {
  readonly method?: string;
  readonly params?: JsonObject;
}
export interface Request extends WireMessage {
  readonly id: string | number;
  readonly method: string;
}

const REVISION = 'io.modelcontextprotocol/protocolVersion';
const REPEATABLE = new Set([
  ...[
    'initialize',
    'ping',
    'server/discover',
    'subscriptions/listen',
    'logging/setLevel',
    'completion/complete',
  ],
  ...['tools/list', 'prompts/list', 'prompts/get', 'resources/list', 'resources/templates/list'],
  ...['resources/read', 'resources/subscribe', 'resources/unsubscribe'],
]);

export function isRequest(message: WireMessage): message is Request {
  return typeof message.method === 'string' && message['id'] !== undefined && message['id'] !== null;
}

/** Whether a request is of revision 2026-07-28 or later, which has no sessions: its `_meta` names the revision. */
export function isStateless({ params }: WireMessage): boolean {
  const meta = params?.['_meta'];
  return isObject(meta) && typeof meta[REVISION] === 'string';
}

/** Whether a request may be sent again although it may have been carried out.
 *  @param harmless names of tools that change nothing, or nothing more when called again */
export function isRepeatable({ method, params }: Request, harmless: ReadonlySet<unknown>): boolean {
  return REPEATABLE.has(method) || (method === 'tools/call' && harmless.has(params?.['name']));
}

/** The tools in a result of tools/list that declare themselves read-only or idempotent. */
export function harmlessTools(result: unknown): readonly unknown[] {
  const tools = isObject(result) && Array.isArray(result['tools']) ? (result['tools'] as unknown[]) : [];
  return tools.flatMap((tool) => {
    const { name, annotations } = isObject(tool) ? tool : {};
    if (!isObject(annotations)) return [];
    return annotations['readOnlyHint'] === true || annotations['idempotentHint'] === true ? [name] : [];
  });
}
