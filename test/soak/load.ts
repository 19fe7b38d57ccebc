import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { messageOf } from '../../kernel/index.ts';
import { defer } from '../support/cleanup.ts';
import { MCP_HEADERS } from '../support/edge.ts';
import { McpClient } from '../support/mcpClient.ts';
import { until } from '../support/until.ts';
import { hasEnded } from './callers.ts';

/** Each call takes this time at its server, so that a killed process has calls inside it. */
const CALL_MS = 50;
const MAX_REST_MS = 400;
/** Every so many sessions call with idempotency keys, which are in Redis. */
const KEYED_EVERY = 4;
/** An MCP server by stdio, of whose tool `echo` the load calls. */
export const SLOW_SERVER = `
import { createInterface } from 'node:readline';
const ANSWERS = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'slow', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'echo', description: 'Answers late', inputSchema: { type: 'object' } }] }),
  'tools/call': ({ arguments: { text } }) => ({ content: [{ type: 'text', text: 'echo: ' + text }] }),
};
createInterface(process.stdin).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const answer = () => console.log(JSON.stringify({ jsonrpc: '2.0', id, result: ANSWERS[method]?.(params) ?? {} }));
  if (id !== undefined) setTimeout(answer, method === 'tools/call' ? ${CALL_MS} : 0);
}).on('close', () => process.exit());
`;

/** Outcome of the calls that ended in one phase. */
export interface Phase {
  readonly name: string;
  seconds: number;
  calls: number;
  /** Failed without a reason that the phase allows. */
  lost: number;
  /** Were inside a process when it was killed, and failed with their connection. */
  inside: number;
  /** Calls with a key that were refused, because their key could not be recorded. */
  refused: number;
  sessionsLost: number;
  /** Processes that ended although no signal was sent to them. */
  dead: number;
  readonly times: number[];
  readonly examples: string[];
}
/** Sessions that call `x_slow_echo` until the end. */
export class Load {
  readonly #url: string;
  readonly #sessions: number;
  readonly #ending = new AbortController();
  readonly #phases: Phase[] = [];
  #work: readonly Promise<void>[] = [];
  #begunAt = 0;
  #lastKey = 0;
  #keyed = 0;
  /** When clients know that the killed process has ended; a call that began later was not sent to it. */
  goneAt = -Infinity;
  isStoreAway = false;

  constructor(url: string, sessions: number) {
    this.#url = url;
    this.#sessions = sessions;
  }

  get phase(): Phase {
    const phase = this.#phases.at(-1);
    if (phase === undefined) throw new Error('no phase has begun');
    return phase;
  }

  async begin(): Promise<void> {
    this.enter('opening sessions');
    const clients: Session[] = [];
    for (let at = 0; at < this.#sessions; at += 1) clients.push(await Session.open(this.#url));
    this.#phases.length = 0;
    this.enter('first calls');
    this.#work = clients.map((client, at) => this.#keepCalling(client, at % KEYED_EVERY === 0));
  }

  enter(name: string): void {
    this.#leave();
    const counts = { seconds: 0, calls: 0, lost: 0, inside: 0, refused: 0, sessionsLost: 0, dead: 0 };
    this.#phases.push({ name, ...counts, times: [], examples: [] });
  }

  /** Waits until calls with keys succeed at all processes. */
  async keysWork(): Promise<void> {
    const before = this.#keyed;
    await until(() => this.#keyed > before + this.#sessions / KEYED_EVERY, {
      what: 'calls with keys succeed again',
      withinMs: 20_000,
    });
  }

  async end(): Promise<readonly Phase[]> {
    this.#leave();
    this.#ending.abort();
    await Promise.all(this.#work);
    return this.#phases.slice(1);
  }

  #leave(): void {
    const now = performance.now();
    const phase = this.#phases.at(-1);
    if (phase !== undefined) phase.seconds = (now - this.#begunAt) / 1_000;
    this.#begunAt = now;
  }

  async #keepCalling(client: Session, isKeyed: boolean): Promise<void> {
    while (!hasEnded(this.#ending.signal)) {
      await pause(Math.random() * MAX_REST_MS);
      if (!(await this.#callOnce(client, isKeyed))) return;
    }
  }

  /** @returns false if the session is lost */
  async #callOnce(client: Session, isKeyed: boolean): Promise<boolean> {
    const text = String((this.#lastKey += 1));
    const params = {
      name: 'call_tool',
      arguments: { name: 'x_slow_echo', arguments: { text } },
      ...(isKeyed && { _meta: { 'pegboard.dev/idempotency-key': text } }),
    };
    const begunAt = performance.now();
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const answer = await client.post(body).catch((error: unknown) => ({ status: 0, text: messageOf(error) }));
    const { phase } = this;
    phase.calls += 1;
    if (answer.text.includes(`echo: ${text}`)) {
      phase.times.push(performance.now() - begunAt);
      if (isKeyed) this.#keyed += 1;
    } else if (answer.status === 0 && begunAt <= this.goneAt) phase.inside += 1;
    else if (isKeyed && this.isStoreAway && answer.text.includes('STORE_UNREACHABLE')) phase.refused += 1;
    else {
      phase.lost += 1;
      phase.examples.push(`${isKeyed ? 'with a key' : 'without a key'}: ${answer.status} ${answer.text}`);
    }
    if (answer.status !== 404) return true;
    phase.sessionsLost += 1;
    return false;
  }
}

/** A client with a connection of its own: a pool for all sessions would hold more than they use, idle ones among them. */
class Session {
  readonly #url: string;
  readonly #headers: Record<string, string>;
  readonly #agent = new Agent({ connections: 1 });

  private constructor({ url, sessionId = '' }: McpClient) {
    this.#url = `${url}/mcp`;
    this.#headers = { ...MCP_HEADERS, 'mcp-session-id': sessionId };
  }

  static async open(url: string): Promise<Session> {
    const session = new Session(await McpClient.connect(url));
    defer(() => session.#agent.close());
    return session;
  }

  async post(message: object): Promise<{ readonly status: number; readonly text: string }> {
    const options = { method: 'POST', headers: this.#headers, body: JSON.stringify(message) } as const;
    const { statusCode, body } = await request(this.#url, { ...options, dispatcher: this.#agent });
    return { status: statusCode, text: await body.text() };
  }
}
