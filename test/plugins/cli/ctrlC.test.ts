import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { defer } from '../../support/cleanup.ts';
import { makeDirectory } from '../../support/directory.ts';
import { CTRL_C, onTerminal } from '../../support/onTerminal.ts';
import type { OnTerminal } from '../../support/onTerminal.ts';
import { servePegboard } from '../../support/serve.ts';
import type { Pegboard } from '../../support/serve.ts';
import { typeVerb } from '../../support/typeVerb.ts';
import { until } from '../../support/until.ts';

/** A stdio server whose tool never answers; it writes down calls and cancellations, and what it gets on standard error. */
const SLOW = `import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'slow', version: '1' },
  }),
  'tools/list': () => ({ tools: [{ name: 'wait', inputSchema: { type: 'object' } }] }),
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  process.stderr.write('got ' + method + '\\n');
  if (method === 'tools/call' || method === 'notifications/cancelled') appendFileSync(process.argv[2], method + '\\n');
  if (id === undefined || method === 'tools/call') return;
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: results[method]?.(params) ?? {} }) + '\\n');
});
`;
const FLOW = JSON.stringify({ steps: [{ id: 'one', tool: 'x_slow_wait' }] });

describe('Ctrl-C', function () {
  this.timeout(30_000);
  const home = makeDirectory({ 'slow.mjs': SLOW, 'gateway/workflows/flow.yaml': FLOW });
  const log = home.at('calls');
  const command = [process.execPath, home.at('slow.mjs'), log];
  home.write('gateway/mcpservers/slow.yaml', JSON.stringify({ type: 'stdio', command, autoStart: true }));
  const logged = (): string => (existsSync(log) ? readFileSync(log, 'utf8') : '');
  let gateway: Pegboard;
  let at: readonly string[] = [];
  const start = (...argv: readonly string[]): OnTerminal => onTerminal([...argv, ...at]);
  before(async () => {
    gateway = await servePegboard(home.at('gateway'));
    await gateway.logged('server connected');
    at = ['--endpoint', `${gateway.url}/mcp`, '--config-path', home.path];
  });
  beforeEach(() => home.remove('calls'));

  it('during call cancels the call at the gateway and says so', async () => {
    const { type, shows, exited } = start('call', 'x_slow_wait');
    await until(() => logged().includes('tools/call'));
    type(CTRL_C);
    expect(await exited).equal(130);
    await shows('cancelled at the gateway');
    await shows('pegboard: interrupted');
    await until(() => logged().includes('notifications/cancelled'));
  });

  it('ends logs -f, which shows lines as they are written', async () => {
    const { type, shows, shown, exited } = start('logs', 'slow', '-f', '-n', '1');
    await shows(' got ');
    const call = start('call', 'x_slow_wait');
    await shows('got tools/call');
    call.type(CTRL_C);
    expect(await call.exited).equal(130);
    await until(() => /got tools\/call[^]*got notifications\/cancelled/.test(shown()));
    type(CTRL_C);
    expect(await exited).equal(130);
  });

  it('pressed twice ends the program, although the gateway does not take the cancellation', async () => {
    const { type, shows, shown, exited } = start('call', 'x_slow_wait');
    await until(() => logged().includes('tools/call'));
    process.kill(gateway.pid, 'SIGSTOP');
    try {
      type(CTRL_C);
      await shows('cancelled at the gateway');
      type(CTRL_C);
      expect(await exited).equal(130);
      expect(shown()).not.contain('pegboard: interrupted');
    } finally {
      process.kill(gateway.pid, 'SIGCONT');
    }
  });

  it('in the REPL cancels the call and asks for the next command', async () => {
    const { type, shows, exited } = start('agent', '--repl');
    await shows('pegboard> ');
    type('call x_slow_wait\r');
    await until(() => logged().includes('tools/call'));
    type(CTRL_C);
    await shows('cancelled at the gateway');
    await until(() => logged().includes('notifications/cancelled'));
    type('exit\r');
    expect(await exited).equal(0);
  });

  it('during run --follow leaves the workflow running and says how to see it', async () => {
    const { type, shows, shown, exited } = start('run', 'flow', '--follow');
    await until(() => logged().includes('tools/call'));
    type(CTRL_C);
    await shows('it continues; see: pegboard get execution ');
    expect(await exited).equal(130);
    const [, id = ''] = /get execution (\S+)/.exec(shown()) ?? [];
    const seen = await typeVerb(['get', 'execution', id, '-o', 'json', ...at]);
    expect(JSON.parse(seen.stdout), seen.stderr).include({ status: 'running' });
    expect(logged()).not.contain('cancelled');
  });

  it('during add ends the waiting; the server stays added', async () => {
    const silent = 'setInterval(() => undefined, 1_000)';
    const { type, shows, shown, exited } = start(
      'add',
      'silent',
      ...at,
      '--',
      process.execPath,
      '-e',
      silent,
    );
    await shows('waiting for its tools');
    type(CTRL_C);
    expect(await exited, shown()).equal(130);
    await shows('pegboard: interrupted');
    const listed = await typeVerb(['list', 'servers', '-o', 'name', ...at]);
    expect(listed.stdout).contain('silent\n');
  });

  it('ends a verb that has no answer from its endpoint yet; so does --timeout', async () => {
    let isAsked = false;
    const server = createServer(() => (isAsked = true));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    defer(() => {
      server.closeAllConnections();
      server.close();
    });
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    const argv = ['list', 'tools', '--config-path', home.path, '--endpoint', endpoint];
    const late = await typeVerb([...argv, '--timeout', '0.2']);
    expect(late).include({ code: 1 });
    expect(late.stderr).contain('Request timed out');
    isAsked = false;
    const { type, shows, exited } = onTerminal(argv);
    await until(() => isAsked);
    type(CTRL_C);
    expect(await exited).equal(130);
    await shows('pegboard: interrupted');
  });
});
