import { createRequire } from 'node:module';
import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { eventsOf } from './eventsOf.ts';
import { causeOf, discard, readHead, send } from './probe.ts';
import type { Answer, Probe } from './probe.ts';

const { version } = createRequire(import.meta.url)('pegboard/package.json') as { version: string };
const ID = 1;
const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: ID,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'pegboard', version },
  },
});

/** What a probe of a url found. Source: interface.md, core_mcpserver_detect */
export interface Detected {
  readonly url: string;
  readonly transport: 'streamable-http' | 'sse' | 'unknown';
  /** It answered at HTTP level. */
  readonly reachable: boolean;
  /** A probe was answered with 401. */
  readonly requiresAuth: boolean;
  readonly serverName?: string;
  readonly serverVersion?: string;
  readonly detail: string;
}
type Found = Pick<Detected, 'transport' | 'serverName' | 'serverVersion' | 'detail'>;
interface Answered {
  readonly status: number;
  readonly found: Found | undefined;
}
type Outcome = Answered | { readonly failure: string };

/** Asks as a client of either transport would. Never throws for what the url answers. Source: aggregator.md 4.1.6 */
export async function detect(probe: Probe): Promise<Omit<Detected, 'url'>> {
  const outcomes: Outcome[] = [];
  for (const look of [asStreamable, asSse]) {
    const outcome = await look(probe).catch((error: unknown) => ({ failure: causeOf(error, probe) }));
    outcomes.push(outcome);
    if ('found' in outcome && outcome.found !== undefined) break;
  }
  const answered = outcomes.filter((one) => 'status' in one);
  const found = answered.find((one) => one.found !== undefined)?.found;
  return {
    reachable: answered.length > 0,
    requiresAuth: answered.some(({ status }) => status === 401),
    ...(found ?? { transport: 'unknown', detail: whyUnknown(outcomes) }),
  };
}

function whyUnknown(outcomes: readonly Outcome[]): string {
  const [post, get] = outcomes.map((one) => ('status' in one ? `HTTP ${one.status}` : one.failure));
  if (outcomes.every((one) => 'failure' in one)) return `not reachable: ${post ?? ''}`;
  const told = `POST: ${post ?? ''}, GET: ${get ?? ''}`;
  if (outcomes.some((one) => 'status' in one && one.status === 401))
    return `the server wants a sign-in before it says what it is (${told}); most such servers are streamable-http`;
  return `no MCP server answers there (${told})`;
}

async function asStreamable(probe: Probe): Promise<Answered> {
  const answer = await send(probe, {
    method: 'POST',
    body: INITIALIZE,
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  });
  const message = await messageIn(answer, probe);
  await endSession(answer, probe);
  if (message === undefined) return { status: answer.status, found: undefined };
  return { status: answer.status, found: describe('streamable-http', message, probe) };
}

/** Some servers open a session for the probe; nobody will use it. */
async function endSession({ session }: Answer, probe: Probe): Promise<void> {
  if (session === undefined) return;
  const answer = await send(probe, {
    method: 'DELETE',
    headers: { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' },
  }).catch(() => undefined);
  if (answer !== undefined) discard(answer);
}

/** The answer to initialize, as JSON or on a stream; also an error answer, which only an MCP server gives. */
async function messageIn(answer: Answer, probe: Probe): Promise<JsonObject | undefined> {
  if (answer.type === 'text/event-stream') {
    for await (const { data } of eventsOf(answer, probe)) {
      const message = parsed(data);
      if (isAnswer(message)) return message;
    }
    return undefined;
  }
  const message = parsed(await readHead(answer, probe));
  return isAnswer(message) ? message : undefined;
}

/** The older transport: its stream says first where to post. */
async function asSse(probe: Probe): Promise<Answered> {
  const answer = await send(probe, { method: 'GET', headers: { accept: 'text/event-stream' } });
  const { status } = answer;
  if (!answer.ok || answer.type !== 'text/event-stream') {
    discard(answer);
    return { status, found: undefined };
  }
  let found: Found | undefined;
  for await (const { event, data } of eventsOf(answer, probe)) {
    if (event === 'endpoint') {
      found = { transport: 'sse', detail: 'the server says where to post, as the older transport does' };
      if (!(await posted(data, probe))) break;
      continue;
    }
    const message = parsed(data);
    if (found === undefined || !isAnswer(message)) continue;
    found = describe('sse', message, probe);
    break;
  }
  return { status, found };
}

/** @returns whether an answer may come on the stream */
async function posted(endpoint: string, probe: Probe): Promise<boolean> {
  const url = URL.canParse(endpoint, probe.url) ? new URL(endpoint, probe.url) : undefined;
  if (url?.origin !== new URL(probe.url).origin) return false;
  try {
    const answer = await send(
      { ...probe, url: url.href },
      { method: 'POST', body: INITIALIZE, headers: { 'content-type': 'application/json' } },
    );
    discard(answer);
    return answer.ok;
  } catch {
    // The endpoint event alone has told the transport.
    return false;
  }
}

function describe(
  transport: 'streamable-http' | 'sse',
  { result, error }: JsonObject,
  { shown }: Probe,
): Found {
  if (!isObject(result)) {
    const text =
      isObject(error) && typeof error['message'] === 'string' ? shown(error['message']).slice(0, 200) : '';
    return { transport, detail: `an MCP server answers, but refuses initialize: ${text}` };
  }
  const info = isObject(result['serverInfo']) ? result['serverInfo'] : {};
  const { name, version: ownVersion } = info;
  return {
    transport,
    ...(typeof name === 'string' && { serverName: shown(name).slice(0, 200) }),
    ...(typeof ownVersion === 'string' && { serverVersion: shown(ownVersion).slice(0, 200) }),
    detail: `an MCP server answers initialize with revision ${shown(String(result['protocolVersion'])).slice(0, 40)}`,
  };
}

function isAnswer(message: unknown): message is JsonObject {
  return isObject(message) && message['jsonrpc'] === '2.0' && ('result' in message || 'error' in message);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
