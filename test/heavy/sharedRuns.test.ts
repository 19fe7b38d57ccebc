import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { defer } from '../support/cleanup.ts';
import { makeDirectory } from '../support/directory.ts';
import { McpClient, textOf } from '../support/mcpClient.ts';
import { needRedis, startRedis } from '../support/redis.ts';
import { servePegboard } from '../support/serve.ts';
import { until } from '../support/until.ts';

type Json = Readonly<Record<string, unknown>>;

/** A tool that returns when its call is cancelled. */
const WAITING = `
const invoke = (_, call) => new Promise((_, reject) => call.cancel.onCancel((why) => reject(new Error(why))));
const tool = { name: 'x_wait', kind: 'tool', description: 'Waits', inputSchema: { type: 'object' }, invoke };
export const plugin = { name: 'waiting', api: 1, configSchema: {}, apply: (scope) => void scope.addTool(tool) };
`;
/** After its start, a process counts all others as living for 30 s; SIGUSR2 lets them pass. */
const CLOCK = `
const now = performance.now.bind(performance);
let ahead = 0;
performance.now = () => now() + ahead;
process.on('SIGUSR2', () => (ahead += 30_000));
`;

async function ask(client: McpClient, name: string, args: Json = {}): Promise<Json> {
  return JSON.parse(textOf(await client.callTool(name, args))) as Json;
}
/** A call with an idempotency key. @returns the code of its error */
async function codeOfKeyed(client: McpClient, key: string): Promise<unknown> {
  const result = await client.request('tools/call', {
    name: 'call_tool',
    arguments: { name: 'x_wait' },
    _meta: { 'pegboard.dev/idempotency-key': key },
  });
  return ((result['_meta'] as Json)['pegboard.dev/error'] as Json)['code'];
}

describe('e2e: runs and keys of two processes over one Redis', function () {
  this.timeout(60_000);
  before(function () {
    needRedis(this);
  });

  it('are seen and cancelled at the other, and marked there after kill -9 only', async () => {
    const server = await startRedis();
    const redis = new Redis(server.port);
    defer(() => redis.disconnect());
    const directory = makeDirectory({
      'config.yaml': JSON.stringify({
        plugins: {
          waiting: { module: './waiting.mjs' },
          'vault-file': false,
          // Instead of PEGBOARD_KEYS_FILE.
          'vault-redis': { config: { url: '${env:REDIS_URL}', secret: '${env:SHARED_SECRET}' } },
        },
      }),
      'waiting.mjs': WAITING,
      'clock.mjs': CLOCK,
      'workflows/wait.yaml': JSON.stringify({ description: 'Waits', steps: [{ id: 'w', tool: 'x_wait' }] }),
    });
    const serve = (name: string, env: Readonly<Record<string, string>> = {}) =>
      servePegboard(directory.path, ['--state-path', directory.at(`states/${name}`)], {
        env: { REDIS_URL: server.url, SHARED_SECRET: 'a secret of thirty-two characters or more', ...env },
      });
    const a = await serve('a');
    const b = await serve('b', { NODE_OPTIONS: `--import=${pathToFileURL(directory.at('clock.mjs')).href}` });
    const atA = await McpClient.connect(a.url);
    const atB = atA.movedTo(b.url);
    const begin = async (): Promise<unknown> => {
      const { execution_id } = await ask(atA, 'workflow_wait', { _async: true });
      await until(async () => ((await statusAtB(execution_id)) === 'running' ? true : undefined));
      return execution_id;
    };
    const recordAtB = (execution_id: unknown) => ask(atB, 'core_workflow_execution_get', { execution_id });
    const statusAtB = async (id: unknown): Promise<unknown> => (await recordAtB(id))['status'];

    const first = await begin();
    expect(await ask(atB, 'core_workflow_execution_cancel', { execution_id: first })).to.include({
      status: 'cancelled',
      message: `execution ${String(first)} is cancelled`,
    });
    expect(await ask(atA, 'core_workflow_execution_get', { execution_id: first })).to.include({
      status: 'cancelled',
    });

    const second = await begin();
    const key = 'key-1';
    const cut = codeOfKeyed(atA, key).catch(() => undefined);
    await until(async () => (await redis.keys('pegboard:idempotency:*')).length > 0);
    process.kill(b.pid, 'SIGUSR2');
    expect(await codeOfKeyed(atB, key)).to.equal('TOOL_KEY_BUSY');
    const { executions } = await ask(atB, 'core_workflow_execution_list');
    const listed = (executions as readonly Json[]).map(({ execution_id, status }) => [execution_id, status]);
    expect(listed).to.deep.equal([
      [second, 'running'],
      [first, 'cancelled'],
    ]);

    await a.kill();
    await cut;
    expect(await statusAtB(second)).to.equal('running', 'its sign of life has not expired yet');
    await redis.del(...(await redis.keys('pegboard:"peer":*')));
    expect(await recordAtB(second)).to.include({
      status: 'failed',
      error: 'interrupted: its process has ended',
    });
    expect(await codeOfKeyed(atB, key)).to.equal('TOOL_OUTCOME_UNKNOWN');
    expect(await b.stop()).to.deep.equal({ code: 0, signal: null });
  });
});
