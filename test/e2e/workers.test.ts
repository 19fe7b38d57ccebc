import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { makeDirectory } from '../support/directory.ts';
import type { Directory } from '../support/directory.ts';
import { freePort } from '../support/everything.ts';
import { McpClient, textOf } from '../support/mcpClient.ts';
import { runPegboard, servePegboard } from '../support/serve.ts';
import type { LogLine, Pegboard } from '../support/serve.ts';
import { until, within } from '../support/until.ts';

/** A server whose tool says which process runs it, after a while if asked. */
const WHERE = `
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const inputSchema = { type: 'object', properties: { ms: { type: 'number' } } };
const ANSWERS = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'where', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'pid', description: 'Says which process started this server', inputSchema }] }),
  'tools/call': ({ arguments: { ms = 0 } }) => {
    if (ms > 0) appendFileSync(process.argv[2], process.ppid + '\\n');
    return new Promise((resolve) => setTimeout(resolve, ms, { content: [{ type: 'text', text: String(process.ppid) }] }));
  },
};
createInterface(process.stdin).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: (await ANSWERS[method]?.(params)) ?? {} }));
});
`;

function definitions(config: object = {}): Directory {
  const directory = makeDirectory({ 'where.mjs': WHERE, 'config.yaml': JSON.stringify(config) });
  const command = [process.execPath, directory.at('where.mjs'), directory.at('slow')];
  directory.write('mcpservers/where.yaml', JSON.stringify({ type: 'stdio', autoStart: true, command }));
  return directory;
}

/** Two processes, each with its server. */
async function startTwo(config: object = {}): Promise<{ directory: Directory; pegboard: Pegboard }> {
  const directory = definitions(config);
  const pegboard = await servePegboard(directory.path, ['--workers', '2']);
  await connected(pegboard, 2);
  return { directory, pegboard };
}

async function connected(pegboard: Pegboard, times: number): Promise<void> {
  const isSo = ({ text }: LogLine): boolean => text === 'server connected';
  await until(() => pegboard.lines.filter(isSo).length >= times, { what: `${times} connected servers` });
}

/** A client whose calls have a connection each, so that any process may take them. */
function connect(pegboard: Pegboard): Promise<McpClient> {
  return McpClient.connect(pegboard.url, { headers: { connection: 'close' } });
}

/** One call for each key, which runs only once. @returns the answers */
function keyedCalls(client: McpClient, ms: number, count = 12): Promise<readonly string[]> {
  const one = async (at: number): Promise<string> => {
    const params = {
      name: 'call_tool',
      arguments: { name: 'x_where_pid', arguments: { ms } },
      _meta: { 'pegboard.dev/idempotency-key': `key-${at}` },
    };
    return (await client.post({ jsonrpc: '2.0', id: at, method: 'tools/call', params })).text;
  };
  return Promise.all(Array.from({ length: count }, (_, at) => one(at)));
}

async function pidAt(client: McpClient, ms = 0): Promise<number> {
  return Number(textOf(await client.callTool('x_where_pid', { ms })));
}

/** Calls until both processes have answered. @returns the id of the other one than the first */
async function otherPid(client: McpClient, pegboard: Pegboard): Promise<number> {
  const seen = new Set<number>();
  await until(async () => seen.add(await pidAt(client)).size === 2, { what: 'answers of both processes' });
  expect([...seen]).include(pegboard.pid);
  return [...seen].find((pid) => pid !== pegboard.pid) ?? 0;
}

/** Resolves once so many calls are at their servers. */
async function slowCalls(directory: Directory, count: number): Promise<void> {
  const lines = (): number => readFileSync(directory.at('slow'), 'utf8').trim().split('\n').length;
  await until(() => existsSync(directory.at('slow')) && lines() >= count, { what: `${count} slow calls` });
}

function isReadyAgain({ text }: LogLine): boolean {
  return text === 'worker is ready';
}

async function expectRefused(port: number): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`).then(
    ({ status }) => status,
    () => 'refused',
  );
  expect(answer).equal('refused');
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('e2e: workers', function () {
  this.timeout(60_000);

  it('answer at one address, are ready once, and end together', async () => {
    const { pegboard } = await startTwo();
    const client = await connect(pegboard);
    const stopping = { name: 'mcp-aggregator', confirm: true };
    const refused = await Promise.all([1, 2, 3, 4].map(() => client.callTool('core_service_stop', stopping)));
    for (const result of refused) expect(textOf(result)).contain('the workers share the port');
    const other = await otherPid(client, pegboard);
    expect(pegboard.lines.filter(({ text }) => text === 'ready')).length(1);
    const told = pegboard.lines.find(({ text, worker }) => text === 'server connected' && worker === 1);
    expect(told).include({ level: 'info', plugin: 'upstream', server: 'where' }).and.have.property('time');
    expect(await within(pegboard.stop())).deep.equal({ code: 0, signal: null });
    expect(isRunning(other)).equal(false);
  });

  it('continue each other’s sessions, end them together, and share what the vault keeps', async () => {
    const { pegboard } = await startTwo();
    const client = await connect(pegboard);
    await otherPid(client, pegboard);
    const keyed = async (): Promise<string> => {
      const params = {
        name: 'call_tool',
        arguments: { name: 'x_where_pid', arguments: {} },
        _meta: { 'pegboard.dev/idempotency-key': 'one' },
      };
      return (await client.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })).text;
    };
    const answers = await Promise.all(Array.from({ length: 20 }, keyed));
    const ran = answers.filter((text) => !/TOOL_KEY_BUSY|replayed/.test(text));
    expect(ran, answers.join('\n')).length(1);
    await client.end();
    for (let time = 0; time < 20; time += 1)
      expect((await client.post({ jsonrpc: '2.0', id: 1, method: 'ping' })).status).equal(404);
  });

  it('lose only the calls inside a killed one, which is started again', async () => {
    const { directory, pegboard } = await startTwo();
    const client = await connect(pegboard);
    const other = await otherPid(client, pegboard);
    const calls = Array.from({ length: 12 }, () => pidAt(client, 2_000).catch(() => 'lost' as const));
    await slowCalls(directory, 12);
    process.kill(other, 'SIGKILL');
    const answers = await Promise.all(calls);
    expect(answers.filter((answer) => answer === pegboard.pid)).not.deep.equal([]);
    expect(answers.filter((answer) => answer !== pegboard.pid && answer !== 'lost')).deep.equal([]);
    await pegboard.logged('worker is ready');
    await connected(pegboard, 3);
    expect(await otherPid(client, pegboard)).not.equal(other);
  });

  it('restart a server in each, and stop and start it in each, by one order', async () => {
    const { pegboard } = await startTwo();
    const client = await connect(pegboard);
    const order = async (operation: string): Promise<string> =>
      textOf(await client.callTool(`core_service_${operation}`, { name: 'where' }));
    expect(await order('restart')).contain("Successfully restarted service 'where'");
    await connected(pegboard, 4);
    await otherPid(client, pegboard);
    await order('stop');
    await until(
      async () =>
        (await Promise.all([1, 2, 3, 4, 5, 6].map(() => order('status')))).every((text) =>
          text.includes('"state":"stopped"'),
        ),
      { what: 'the stop in both' },
    );
    await order('start');
    await connected(pegboard, 6);
    await otherPid(client, pegboard);
  });

  it('end one that hangs, whose clients would wait for ever, and start it again', async () => {
    const { pegboard } = await startTwo({ plugins: { workers: { config: { hungMs: 1_000 } } } });
    const client = await connect(pegboard);
    const other = await otherPid(client, pegboard);
    process.kill(other, 'SIGSTOP');
    const hung = await pegboard.logged('worker hangs; it is ended');
    expect(hung).include({ level: 'error', worker: 1, hungMs: 1_000 });
    await pegboard.logged('worker is ready');
    expect(isRunning(other)).equal(false);
    expect(await otherPid(client, pegboard)).not.equal(other);
    expect(pegboard.lines.filter(({ text }) => text === 'worker hangs; it is ended')).length(1);
  });

  it('finish running calls before they end', async () => {
    const { directory, pegboard } = await startTwo();
    const client = await connect(pegboard);
    const other = await otherPid(client, pegboard);
    const calls = Promise.all(Array.from({ length: 12 }, () => pidAt(client, 2_000)));
    await slowCalls(directory, 12);
    const exit = pegboard.stop();
    expect(new Set(await calls)).deep.equal(new Set([pegboard.pid, other]));
    expect(await within(exit)).deep.equal({ code: 0, signal: null });
  });

  it('end at once with a second signal, also one that hangs', async () => {
    const { pegboard } = await startTwo();
    const other = await otherPid(await connect(pegboard), pegboard);
    process.kill(other, 'SIGSTOP');
    void pegboard.stop();
    await pegboard.logged('stopping; a second signal ends at once');
    process.kill(pegboard.pid, 'SIGTERM');
    expect(await within(pegboard.exited)).deep.equal({ code: 1, signal: null });
    await until(() => !isRunning(other), { what: 'the end of the worker' });
  });

  it('live until they have ended, and begin again after that', async () => {
    const configOf = (count: number): object => ({ plugins: { workers: { config: { count } } } });
    const directory = definitions(configOf(2));
    const pegboard = await servePegboard(directory.path);
    await connected(pegboard, 2);
    const client = await connect(pegboard);
    const other = await otherPid(client, pegboard);
    const calls = keyedCalls(client, 3_500);
    await slowCalls(directory, 12);
    directory.write('config.yaml', JSON.stringify(configOf(1)));
    await pegboard.logged('stopping; a second signal ends at once');
    const again = await keyedCalls(client, 3_500);
    expect(again.filter((text) => !text.includes('TOOL_KEY_BUSY'))).deep.equal([]);
    directory.write('config.yaml', JSON.stringify(configOf(2)));
    expect((await calls).join()).contain(`"text":"${other}"`);
    await pegboard.logged('worker is ready');
    expect(isRunning(other)).equal(false);
  });

  it('follow an edit of what their command names, and absorb any other', async () => {
    const configOf = (trail: string, level: string): object => ({
      aggregator: { logLevel: level },
      plugins: {
        audit: { config: { directory: trail } },
        workers: { config: { count: 2, restartMaxMs: 500 } },
      },
    });
    const { directory, pegboard } = await startTwo(configOf('state/one', 'info'));
    directory.write('config.yaml', JSON.stringify(configOf('state/two', 'info')));
    await pegboard.logged('worker is ready');
    await otherPid(await connect(pegboard), pegboard);
    await until(() => existsSync(directory.at('state/two-worker-1')), { what: 'the new trail' });
    const restarted = pegboard.lines.filter(({ actions }) =>
      JSON.stringify(actions ?? {}).includes('"workers":"restart"'),
    );
    expect(restarted).deep.equal([]);
  });

  it('end when the first process is killed', async () => {
    const { pegboard } = await startTwo();
    const other = await otherPid(await connect(pegboard), pegboard);
    await pegboard.kill();
    await until(() => !isRunning(other), { what: 'the end of the worker' });
  });

  it('share the limits, which hold for all of them together', async () => {
    const tools = { x_where_pid: { callsPerMinute: 1, burst: 7 } };
    const { pegboard } = await startTwo({ plugins: { limits: { config: { tools } } } });
    const client = await connect(pegboard);
    const results = await Promise.all(
      Array.from({ length: 40 }, () => client.callTool('x_where_pid').then(textOf, String)),
    );
    expect(
      results.filter((text) => /^\d+$/.test(text)),
      results.join(),
    ).length(7);
  });

  it('write an audit trail each', async () => {
    const { directory, pegboard } = await startTwo({ plugins: { audit: {} } });
    await otherPid(await connect(pegboard), pegboard);
    for (const trail of ['state/audit', 'state/audit-worker-1']) {
      const lines = readdirSync(directory.at(trail)).map((name) =>
        readFileSync(join(directory.at(trail), name), 'utf8'),
      );
      expect(lines.join('')).contain('x_where_pid');
    }
  });

  it('export the metrics of all at one address, whose counters a killed one does not lower', async () => {
    const metrics = { config: { exporter: 'prometheus', port: await freePort() } };
    const { pegboard } = await startTwo({ plugins: { metrics } });
    const client = await connect(pegboard);
    const scrape = async (): Promise<string> =>
      (await fetch(`http://127.0.0.1:${metrics.config.port}/metrics`)).text();
    const callsIn = (text: string): number =>
      Number(/^pegboard_tool_calls_total\{tool="x_where_pid",.*\} (\d+)$/m.exec(text)?.[1]);
    let calls = 0;
    const callBoth = async (): Promise<number> => {
      const seen = new Set<number>();
      await until(async () => (calls += 1) && seen.add(await pidAt(client)).size === 2, { what: 'both' });
      return [...seen].find((pid) => pid !== pegboard.pid) ?? 0;
    };
    const other = await callBoth();
    const first = await scrape();
    expect(callsIn(first)).equal(calls);
    const processes = [...first.matchAll(/^process_memory_usage_bytes\{worker="(\d)"\}/gm)].map(
      ([, at]) => at,
    );
    expect(processes).have.members(['0', '1']);
    expect(first).match(/^pegboard_sessions\{transport="[^"]+",revision="[^"]+"\} \d$/m);
    process.kill(other, 'SIGKILL');
    await until(async () => {
      const text = await scrape();
      expect(callsIn(text)).equal(calls);
      return /^process_memory_usage_bytes\{worker="1"\}/m.test(text) && pegboard.lines.some(isReadyAgain);
    });
    await connected(pegboard, 3);
    await callBoth();
    expect(callsIn(await scrape())).equal(calls);
    await expectRefused(metrics.config.port + 1);
  });

  it('do not start if one of them cannot, and say why', async () => {
    const directory = definitions({ plugins: { workers: { config: { count: 2 } } } });
    const code = "if (process.env.PEGBOARD_WORKER) throw new Error('no memory for it')";
    const { code: exit, stderr } = await runPegboard(
      ['serve', '--config-path', directory.path, '--port', '0'],
      {
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}`,
      },
    );
    expect(stderr).match(/worker 1 does not start: [^]*no memory for it/);
    expect(exit).equal(3);
  });
});
