import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { makeDirectory } from '../support/directory.ts';
import type { Directory } from '../support/directory.ts';
import { McpClient, textOf } from '../support/mcpClient.ts';
import { clientOf, needRedis, slowRedis, startRedis } from '../support/redis.ts';
import type { SlowRedis } from '../support/redis.ts';
import { servePegboard } from '../support/serve.ts';
import type { Pegboard } from '../support/serve.ts';
import { until } from '../support/until.ts';

/** `x_count` adds a line to `runs`; `x_wait` returns after SIGUSR2. */
const TOOLS = `
import { appendFileSync } from 'node:fs';
import { once } from 'node:events';
import { textResult } from 'pegboard';
const inputSchema = { type: 'object', properties: { text: { type: 'string' }, size: { type: 'number' } } };
const count = ({ text = '', size = 0 }) => {
  appendFileSync(new URL('runs', import.meta.url), text + '\\n');
  return textResult(text + '.'.repeat(size));
};
const wait = async () => textResult(String(await once(process, 'SIGUSR2')));
const toolOf = (name, invoke) => ({ name, kind: 'tool', description: name, inputSchema, invoke });
const apply = (scope) => void [toolOf('x_count', count), toolOf('x_wait', wait)].forEach((tool) => scope.addTool(tool));
export const plugin = { name: 'counting', api: 1, configSchema: {}, apply };
`;
/** A clock that is a minute ahead. */
const AHEAD = `
const clock = Date.now;
globalThis.Date = class extends Date {
  constructor(...of) { super(...(of.length === 0 ? [clock() + 60_000] : of)); }
  static now() { return clock() + 60_000; }
};
`;
/** After its start, a process counts all others as living for 30 s; SIGUSR2 lets them pass. */
const LATER = `
const now = performance.now.bind(performance);
let ahead = 0;
performance.now = () => now() + ahead;
process.on('SIGUSR2', () => (ahead += 30_000));
`;
const SESSION_TTL_SECONDS = 600;

type Json = Readonly<Record<string, unknown>>;

/** One of the processes. @param code runs in it first */
function start(shared: Directory, url: string, code: string): Promise<Pegboard> {
  const { path, at } = makeDirectory({
    'config.yaml': JSON.stringify({
      aggregator: { resultBudget: 2_000 },
      plugins: {
        counting: { module: shared.at('counting.mjs') },
        front: { config: { sessionTtlSeconds: SESSION_TTL_SECONDS } },
        'vault-file': false,
        'vault-redis': { config: { url, timeoutMs: 500 } },
      },
    }),
    'workflows/once.yaml': 'steps: [{ id: one, tool: x_count, args: { text: step } }]\n',
  });
  const env = {
    PEGBOARD_KEYS_FILE: shared.at('keys.json'),
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}`,
  };
  return servePegboard(path, ['--state-path', at('state')], { env });
}

/** Calls a tool with an idempotency key. @returns the whole response */
async function callKeyed(client: McpClient, key: string, args: Json, name = 'x_count'): Promise<string> {
  const params = {
    name: 'call_tool',
    arguments: { name, arguments: args },
    _meta: { 'pegboard.dev/idempotency-key': key },
  };
  return (await client.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })).text;
}

describe('e2e: two processes over one Redis, the clock of one a minute ahead', function () {
  this.timeout(60_000);
  let redis: Redis;
  let slow: SlowRedis;
  let directory: Directory;
  let gateways: readonly Pegboard[];
  /** One session, at the process with the fast clock and at the other one. */
  let ahead: McpClient;
  let right: McpClient;

  before(async function () {
    needRedis(this);
    const server = await startRedis();
    redis = clientOf(server);
    slow = await slowRedis(server);
    directory = makeDirectory({ 'counting.mjs': TOOLS, runs: '' });
    gateways = await Promise.all([
      start(directory, server.url, AHEAD + LATER),
      start(directory, slow.url, LATER),
    ]);
    ahead = await McpClient.connect(gateways[0]?.url ?? '');
    right = ahead.movedTo(gateways[1]?.url ?? '');
  });
  const both = () =>
    [
      [ahead, right],
      [right, ahead],
    ] as const;
  const runsOf = (text: string): number =>
    readFileSync(directory.at('runs'), 'utf8')
      .split('\n')
      .filter((line) => line === text).length;

  it('continue the sessions of the other, and keep an end as long as the session would open anywhere', async () => {
    for (const [one, other] of both()) {
      const begun = Date.now();
      const client = await McpClient.connect(one.url);
      await client.movedTo(other.url).request('ping');
      expect(await client.movedTo(other.url).end()).equal(204);
      const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
      await until(async () => (await client.post(ping)).status === 404, { what: 'the end' });
      const [key = ''] = await redis.keys('pegboard:ended-session:*');
      const opensUntil = begun + SESSION_TTL_SECONDS * 1_000 + (one === ahead ? 60_000 : 0);
      expect(await redis.pexpiretime(key)).least(opensUntil);
      await redis.del(key);
    }
  });

  it('read results, runs and outcomes of keys of the other', async () => {
    for (const [one, other] of both()) {
      const from = one === ahead ? 'ahead' : 'right';
      const shortened = textOf(await one.callTool('x_count', { text: from, size: 10_000 }));
      const [, handle] = /"handle": ?"([^"]+)"/.exec(shortened) ?? [];
      expect(JSON.stringify(await other.callMeta('get_result', { handle }))).include(from);
      await callKeyed(one, `key-${from}`, { text: from });
      expect(await callKeyed(other, `key-${from}`, { text: from })).include('"pegboard.dev/replayed":true');
      await one.callTool('workflow_once');
      const { executions } = JSON.parse(textOf(await other.callTool('core_workflow_execution_list'))) as {
        executions: readonly Json[];
      };
      expect(executions).length(one === ahead ? 1 : 2);
      for (const { status, duration_ms } of executions) {
        expect(status).equal('completed');
        expect(duration_ms).within(0, 10_000);
      }
    }
  });

  it('count the other as living, by the clock of Redis', async () => {
    const letTimePass = (): void => gateways.forEach(({ pid }) => void process.kill(pid, 'SIGUSR2'));
    letTimePass();
    const keysIn = async (): Promise<number> => (await redis.keys('pegboard:idempotency:*')).length;
    const before = await keysIn();
    const waiting = [callKeyed(ahead, 'at ahead', {}, 'x_wait'), callKeyed(right, 'at right', {}, 'x_wait')];
    await until(async () => (await keysIn()) === before + waiting.length, { what: 'both calls' });
    expect(await callKeyed(right, 'at ahead', {}, 'x_wait')).include('TOOL_KEY_BUSY');
    expect(await callKeyed(ahead, 'at right', {}, 'x_wait')).include('TOOL_KEY_BUSY');
    letTimePass();
    await Promise.all(waiting);
  });

  it('fail only what needs shared state while Redis answers too late, and recover by themselves', async () => {
    const stored = textOf(await right.callTool('x_count', { text: 'before', size: 5_000 }));
    const [, handle] = /"handle": ?"([^"]+)"/.exec(stored) ?? [];
    slow.delay(1_500);
    const [alone, run, listed, client, read, keyed] = await Promise.all([
      right.callTool('x_count', { text: 'alone' }),
      right.callTool('workflow_once'),
      right.callTool('core_workflow_execution_list'),
      McpClient.connect(right.url),
      right.callMeta('get_result', { handle }),
      callKeyed(right, 'late', { text: 'late' }),
    ]);
    expect(textOf(alone)).equal('alone');
    expect(textOf(run)).include('"status":"completed"');
    expect([listed.isError, textOf(listed)].join()).match(/^true,.*Redis at .* does not answer/);
    expect(textOf(await right.callTool('x_count', { text: 'long', size: 5_000 })).length).equal(5_004);
    expect(await client.end(), 'its end is not known elsewhere').equal(503);
    expect(client.sessionId).a('string');
    expect([read.isError, textOf(read)].join()).match(/^true,.*Redis at .* does not answer/);
    expect(keyed).include('STORE_UNREACHABLE');
    expect(await callKeyed(ahead, 'other', { text: 'other' })).include('"text":"other"');
    expect(runsOf('late')).equal(0);
    slow.delay(0);
    await until(async () => (await callKeyed(right, 'late', { text: 'late' })).includes('"text":"late"'), {
      what: 'Redis is used again',
      withinMs: 10_000,
    });
    expect(await callKeyed(ahead, 'late', { text: 'late' })).include('"pegboard.dev/replayed":true');
    expect(runsOf('late')).equal(1);
    expect(JSON.stringify(await right.callMeta('get_result', { handle }))).include('before.');
    for (const { lines } of gateways) expect(lines.filter(({ level }) => level === 'error')).deep.equal([]);
  });
});
