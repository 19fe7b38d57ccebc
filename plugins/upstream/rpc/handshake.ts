import { createRequire } from 'node:module';
import { GatewayError, isObject, pathBelow } from 'pegboard';
import type { JsonObject } from 'pegboard';
import type { Topic } from '../definition.ts';
import type { Requests } from './requests.ts';
import type { Wire } from '../wire/wire.ts';

/** Newest first; the first is offered, any of them is taken. */
const REVISIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const { version } = createRequire(import.meta.url)('pegboard/package.json') as { version: string };

/** All that some client may declare; what the one at hand did not is refused. Roots change unheard: a server that asks
 *  again would ask outside of every call. */
const DECLARED: Readonly<Record<Topic, JsonObject>> = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {} },
  roots: {},
};

/** What a server said of itself at initialize. */
export interface ServerFacts {
  readonly protocolVersion: string;
  readonly serverName: string | undefined;
  readonly serverVersion: string | undefined;
  readonly capabilities: JsonObject;
  readonly instructions: string | undefined;
}

/** initialize, then notifications/initialized.
 *  @throws GatewayError UPSTREAM_PROTOCOL when no revision fits, UPSTREAM_TIMEOUT, UPSTREAM_ERROR */
export async function handshake(
  requests: Requests,
  wire: Wire,
  { timeoutMs, questions }: { readonly timeoutMs: number; readonly questions: readonly Topic[] },
): Promise<ServerFacts> {
  const params = JSON.stringify({
    protocolVersion: REVISIONS[0],
    capabilities: Object.fromEntries(questions.map((topic) => [topic, DECLARED[topic]])),
    clientInfo: { name: 'pegboard', version },
  });
  const answer = await requests.ask(
    'initialize',
    `,"method":"initialize","params":${params.slice(0, -1)}`,
    timeoutMs,
  );
  const { protocolVersion, serverInfo, capabilities, instructions } = JSON.parse(answer) as JsonObject;
  if (typeof protocolVersion !== 'string' || !REVISIONS.includes(protocolVersion)) {
    const text = `the server speaks MCP revision ${JSON.stringify(protocolVersion)}; supported are ${REVISIONS.join(', ')}`;
    // No later attempt would change that.
    throw new GatewayError('UPSTREAM_PROTOCOL', text, { details: { isFinal: true } });
  }
  wire.agreed(protocolVersion);
  wire.notify('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  const info = isObject(serverInfo) ? serverInfo : {};
  return {
    protocolVersion,
    serverName: typeof info['name'] === 'string' ? info['name'] : undefined,
    serverVersion: typeof info['version'] === 'string' ? info['version'] : undefined,
    capabilities: isObject(capabilities) ? capabilities : {},
    instructions: typeof instructions === 'string' ? instructions : undefined,
  };
}

export const LISTS = {
  tools: { method: 'tools/list', capability: 'tools' },
  resources: { method: 'resources/list', capability: 'resources' },
  resourceTemplates: { method: 'resources/templates/list', capability: 'resources' },
  prompts: { method: 'prompts/list', capability: 'prompts' },
} as const;
export type ListName = keyof typeof LISTS;

export interface ListLimits {
  readonly timeoutMs: number;
  readonly maxListPages: number;
  readonly maxListItems: number;
}

/** Far above any schema that is meant, far below what JSON.stringify dies of. */
const MAX_LEVELS = 512;
const TOO_DEEP = 'nestedTooDeep';

function tooDeep(item: unknown): JsonObject {
  return { name: isObject(item) ? item['name'] : undefined, [TOO_DEEP]: MAX_LEVELS };
}
/** @returns how many levels a tool may have, for one that was left away because it has more */
export function levelsExceeded(declared: JsonObject): number | undefined {
  return declared['inputSchema'] === undefined ? (declared[TOO_DEEP] as number | undefined) : undefined;
}

/** Every page of one list, without items that nothing could write again; a cursor that comes again, and the caps, end it. Items are as the server sent them.
 *  @throws GatewayError UPSTREAM_PROTOCOL when it is no list, UPSTREAM_TIMEOUT, UPSTREAM_ERROR */
export async function readList(
  requests: Requests,
  name: ListName,
  limits: ListLimits,
): Promise<readonly unknown[]> {
  const { method } = LISTS[name];
  const items: unknown[] = [];
  const seen = new Set<string>();
  let params = '';
  for (let page = 0; page < limits.maxListPages && items.length < limits.maxListItems; page += 1) {
    const answer = JSON.parse(
      await requests.ask(method, `,"method":"${method}","params":{${params}`, limits.timeoutMs),
    ) as JsonObject;
    const found = answer[name];
    if (!Array.isArray(found))
      throw new GatewayError('UPSTREAM_PROTOCOL', `${method} was answered without a list`);
    for (const item of found) {
      if (pathBelow(item, MAX_LEVELS) === undefined) items.push(item);
      else if (name === 'tools') items.push(tooDeep(item));
    }
    const cursor = answer['nextCursor'];
    if (typeof cursor !== 'string' || seen.has(cursor)) break;
    seen.add(cursor);
    params = `"cursor":${JSON.stringify(cursor)}`;
  }
  return items.slice(0, limits.maxListItems);
}
