import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { makeDirectory } from '../support/directory.ts';
import type { Directory } from '../support/directory.ts';
import { McpClient, textOf } from '../support/mcpClient.ts';
import { needRedis, startRedis } from '../support/redis.ts';
import type { RedisServer } from '../support/redis.ts';
import { runPegboard, servePegboard } from '../support/serve.ts';
import type { Pegboard } from '../support/serve.ts';
import { until } from '../support/until.ts';

/** A server whose tool adds a line to `runs` and answers `size` characters. */
const COUNTER = `
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const inputSchema = { type: 'object', properties: { text: { type: 'string' }, size: { type: 'number' } } };
const ANSWERS = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'counter', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'run', description: 'Counts its runs', inputSchema }] }),
  'tools/call': ({ arguments: { text = '', size = 0 } }) => {
    appendFileSync(process.argv[2], text + '\\n');
    return { content: [{ type: 'text', text: text + '.'.repeat(size) }] };
  },
};
createInterface(process.stdin).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: ANSWERS[method]?.(params) ?? {} }));
});
`;
const RESULT_BUDGET = 2_000;
const KEYS_FILE = 'keys.json';
const BACK = { what: 'Redis is used again', withinMs: 10_000 };

function definitions(redis: string): Directory {
  const directory = makeDirectory({ 'counter.mjs': COUNTER });
  const tools = { core_workflow_list: { callsPerMinute: 1, burst: 3 } };
  const plugins = {
    'vault-file': false,
    'vault-redis': { config: { url: redis, timeoutMs: 500 } },
    limits: { config: { shared: true, tools } },
  };
  directory.write('config.yaml', JSON.stringify({ aggregator: { resultBudget: RESULT_BUDGET }, plugins }));
  const command = [process.execPath, directory.at('counter.mjs'), directory.at('runs')];
  directory.write('mcpservers/counter.yaml', JSON.stringify({ type: 'stdio', autoStart: true, command }));
  directory.write('workflows/once.yaml', 'steps: [{ id: one, tool: x_counter_run, args: { text: step } }]\n');
  return directory;
}

/** One of the processes: its state directory is its own, its keys are those of all. */
async function replicaOf(directory: Directory, name: string): Promise<Pegboard> {
  const env = { PEGBOARD_KEYS_FILE: directory.at(KEYS_FILE) };
  const replica = await servePegboard(directory.path, ['--state-path', directory.at(`states/${name}`)], {
    env,
  });
  await replica.logged('server connected');
  return replica;
}

/** Calls a tool with an idempotency key. @returns the whole response */
async function callKeyed(client: McpClient, key: string, text: string): Promise<string> {
  const params = {
    name: 'call_tool',
    arguments: { name: 'x_counter_run', arguments: { text } },
    _meta: { 'pegboard.dev/idempotency-key': key },
  };
  return (await client.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })).text;
}

describe('e2e: shared state', function () {
  this.timeout(60_000);
  let redis: RedisServer;
  let directory: Directory;
  let replicas: readonly Pegboard[];
  /** One session, at each of the processes. */
  let a: McpClient;
  let b: McpClient;
  const runsOf = (text: string): number =>
    readFileSync(directory.at('runs'), 'utf8')
      .split('\n')
      .filter((line) => line === text).length;

  before(async function () {
    needRedis(this);
    redis = await startRedis();
    directory = definitions(redis.url);
    replicas = await Promise.all(['a', 'b'].map((name) => replicaOf(directory, name)));
    a = await McpClient.connect(replicas[0]?.url ?? '');
    b = a.movedTo(replicas[1]?.url ?? '');
  });

  it('continues a session of one process at another', async () => {
    expect(textOf(await a.callTool('x_counter_run', { text: 'at a' }))).equal('at a');
    expect(textOf(await b.callTool('x_counter_run', { text: 'at b' }))).equal('at b');
  });

  it('pages through a result at another process than the one that stored it', async () => {
    const shortened = textOf(await a.callTool('x_counter_run', { text: 'begin', size: 10_000 }));
    const [, handle] = /"handle": ?"([^"]+)"/.exec(shortened) ?? [];
    const page = await b.callMeta('get_result', { handle, offset: 9_000, limit: 500 });
    expect(page.isError ?? false, textOf(page)).equal(false);
    expect(JSON.stringify(page.content)).include('.'.repeat(500));
  });

  it('runs a call once whose key reaches both processes at once', async () => {
    const keys = Array.from({ length: 20 }, (_, at) => `key-${at}`);
    const answers = await Promise.all(
      keys.map((key) => Promise.all([a, b].map((client) => callKeyed(client, key, key)))),
    );
    for (const [at, key] of keys.entries()) {
      expect(runsOf(key), key).equal(1);
      for (const answer of answers[at] ?? [])
        expect(answer).match(new RegExp(`TOOL_KEY_BUSY|"text":"${key}"`));
      expect(await callKeyed(b, key, key)).include('"pegboard.dev/replayed":true');
    }
  });

  it('lists and reads a run of a workflow at another process than its own', async () => {
    expect((await a.callTool('workflow_once')).isError ?? false).equal(false);
    const listed = textOf(await b.callTool('core_workflow_execution_list'));
    const { executions } = JSON.parse(listed) as { executions: readonly Record<string, unknown>[] };
    expect(executions).length(1);
    const { execution_id: id, ...run } = executions[0] ?? {};
    expect(run).include({ workflow_name: 'once', status: 'completed' });
    const read = await b.callTool('core_workflow_execution_get', { execution_id: id });
    expect(textOf(read)).include('completed');
  });

  it('admits one burst of a shared limit at both processes together, and says so in the status', async () => {
    const calls = [a, b, a, b, a].map((client) => client.callTool('core_workflow_list'));
    const refused = (await Promise.all(calls)).filter(({ isError }) => isError === true);
    expect(refused).length(2);
    for (const result of refused) expect(textOf(result)).include('core_workflow_list is limited to 1 call');
    const status = textOf(await b.callTool('core_service_status', { name: 'mcp-aggregator' }));
    expect(JSON.parse(status)).nested.include({ 'metadata.limits': 'counted by all processes together' });
  });

  it('fails only what needs shared state while Redis is away, and recovers by itself', async () => {
    const stored = textOf(await a.callTool('x_counter_run', { text: 'before', size: 5_000 }));
    const [, handle] = /"handle": ?"([^"]+)"/.exec(stored) ?? [];
    await redis.kill();
    for (const client of [a, b]) {
      expect(textOf(await client.callTool('x_counter_run', { text: 'alone' }))).equal('alone');
      expect((await McpClient.connect(client.url)).sessionId).a('string');
      const read = await client.callMeta('get_result', { handle });
      expect([read.isError, textOf(read)].join()).match(/^true,.*Redis at .* does not answer/);
      // The tool has run: what cannot be stored is answered whole, up to four budgets.
      const large = textOf(await client.callTool('x_counter_run', { text: 'large', size: 5_000 }));
      expect(large)
        .match(/^large\.+$/)
        .length(5_005);
      const larger = textOf(await client.callTool('x_counter_run', { text: 'larger', size: 50_000 }));
      expect(larger).include('could not be stored (Redis at').and.include('only if that does no harm');
      expect(await callKeyed(client, 'away', 'away')).include('STORE_UNREACHABLE');
    }
    expect(runsOf('away')).equal(0);
    await redis.restart();
    await until(async () => (await callKeyed(b, 'away', 'away')).includes('"text":"away"'), BACK);
    await until(
      async () => (await callKeyed(a, 'away', 'away')).includes('"pegboard.dev/replayed":true'),
      BACK,
    );
    expect(runsOf('away')).equal(1);
    expect(JSON.stringify(await b.callMeta('get_result', { handle }))).include('before.');
    for (const { lines } of replicas) expect(lines.filter(({ level }) => level === 'error')).deep.equal([]);
  });

  it('refuses to start with other keys than the other processes, and says how to mend it', async () => {
    const args = [
      'serve',
      '--config-path',
      directory.path,
      '--state-path',
      directory.at('states/c'),
      '--port',
      '0',
    ];
    const { code, stderr } = await runPegboard(args, { PEGBOARD_KEYS_FILE: directory.at('other-keys.json') });
    expect(code).not.equal(0);
    expect(stderr).include('sealed with other keys').and.include('PEGBOARD_KEYS_FILE');
  });
});
