import { VERSION } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { isStateless } from './messages.ts';
import type { Request } from './messages.ts';

/** What a client is told while the bridge answers in place of the gateway. */
export interface StandIn {
  readonly tools: readonly unknown[];
  readonly instructions: string;
}

const CAPABILITIES = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
};
/** Members of results of revision 2026-07-28: nothing of this may be kept. */
const COMPLETE = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
const EMPTY: readonly (readonly [string, JsonObject])[] = [
  ['ping', {}],
  ['logging/setLevel', {}],
  ['resources/subscribe', {}],
  ['resources/unsubscribe', {}],
  ['prompts/list', { prompts: [] }],
  ['resources/list', { resources: [] }],
  ['resources/templates/list', { resourceTemplates: [] }],
  ['completion/complete', { completion: { values: [] } }],
];

/** The answer to a request that needs no gateway; undefined for any other. */
export async function standInResult(
  request: Request,
  { tools, instructions }: StandIn,
): Promise<JsonObject | undefined> {
  const { method, params = {} } = request;
  if (method === 'initialize') return introduction(params['protocolVersion'], instructions);
  const discovered = { supportedVersions: ['2026-07-28'], capabilities: CAPABILITIES, instructions };
  const result = new Map([...EMPTY, ['tools/list', { tools }], ['server/discover', discovered]]).get(method);
  return result && complete(request, result);
}

/** The result in the form of the request's revision. */
export function complete(request: Request, result: JsonObject): JsonObject {
  return isStateless(request) ? { ...result, ...COMPLETE } : result;
}

/** As the gateway would negotiate: the client's revision if it is a known one, else the newest with sessions. */
async function introduction(asked: unknown, instructions: string): Promise<JsonObject> {
  const { LATEST_PROTOCOL_VERSION: newest, SUPPORTED_PROTOCOL_VERSIONS: known } =
    await import('@modelcontextprotocol/client');
  return {
    protocolVersion: known.find((revision) => revision === asked) ?? newest,
    capabilities: CAPABILITIES,
    serverInfo: { name: 'pegboard', title: 'Pegboard', version: VERSION },
    instructions,
  };
}
