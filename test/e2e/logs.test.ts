import { expect } from 'chai';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { settingsFor } from '../support/authServer.ts';
import { defer } from '../support/cleanup.ts';
import { makeDirectory } from '../support/directory.ts';
import { startIdentityProvider } from '../support/identityProvider.ts';
import { McpClient } from '../support/mcpClient.ts';
import { packedProgram } from '../support/packed.ts';
import { servePegboard } from '../support/serve.ts';
import type { LogLine, Pegboard } from '../support/serve.ts';
import { until } from '../support/until.ts';

/** Its tool answers after 50 ms; each start writes a line. */
const SLOW = `
import { createInterface } from 'node:readline';
console.error('began with ' + process.env.KEY);
createInterface(process.stdin).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const result = method === 'initialize'
    ? { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }
    : method === 'tools/list' ? { tools: [{ name: 'wait', inputSchema: { type: 'object' } }] }
    : { content: [{ type: 'text', text: 'done' }] };
  setTimeout(() => console.log(JSON.stringify({ jsonrpc: '2.0', id, result })), method === 'tools/call' ? 50 : 0);
});
`;
const WORKFLOW = 'steps: [{ id: one, tool: x_slow_wait }, { id: two, tool: x_slow_wait }]\n';
const SECRET = 'planted-secret-4711';

function read(child: ChildProcess, stream: 'stdout' | 'stderr'): () => string {
  let text = '';
  child[stream]?.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  defer(() => child.kill('SIGKILL'));
  return () => text;
}

describe('e2e: logs', () => {
  let pegboard: Pegboard;
  let client: McpClient;
  const files = makeDirectory();
  const linesOf = (text: string): readonly LogLine[] => pegboard.lines.filter((line) => line.text === text);
  before(async () => {
    const directory = makeDirectory({
      'config.yaml': 'plugins: { call-log: { config: { slowMs: 40 } } }\n',
      'slow.mjs': SLOW,
      'workflows/twice.yaml': WORKFLOW,
    });
    const command = [process.execPath, directory.at('slow.mjs')];
    const definition = { type: 'stdio', autoStart: true, command, env: { KEY: SECRET } };
    directory.write('mcpservers/slow.yaml', JSON.stringify(definition));
    pegboard = await servePegboard(directory.path);
    await pegboard.logged('server connected');
    client = await McpClient.connect(pegboard.url);
  });

  it('have a line for each slow call; the id of their request joins those of one run', async () => {
    for (let at = 0; at < 2; at += 1) await client.callTool('workflow_twice');
    await client.callTool('core_service_list');
    // On a busy machine the quick call is a slow one, too.
    const ofRuns = () => linesOf('slow call').filter(({ tool }) => tool !== 'core_service_list');
    await until(() => ofRuns().length === 6, { what: 'the lines of both runs' });
    for (const { ms } of linesOf('slow call')) expect(ms).above(39);
    const [first, second] = [ofRuns().slice(0, 3), ofRuns().slice(3)];
    for (const run of [first, second]) {
      expect(run.map(({ tool }) => tool)).deep.equal(['x_slow_wait', 'x_slow_wait', 'workflow_twice']);
      expect(new Set(run.map(({ request }) => request)).size).equal(1);
      for (const { level, ms, outcome } of run) {
        expect([level, outcome]).deep.equal(['info', 'ok']);
        expect(ms).above(39);
      }
    }
    expect(first[0]?.['request'])
      .match(/^[\da-f]{4}-?\w+$/)
      .not.equal(second[0]?.['request']);
  });

  it('have a line for each state of a server, and logs -f follows it over its restart until Ctrl-C', async () => {
    const at = ['--endpoint', `${pegboard.url}/mcp`, '--config-path', files.path];
    const follow = spawn(process.execPath, [packedProgram(), 'logs', 'slow', '-f', ...at]);
    const shown = read(follow, 'stdout');
    const begins = (): number => shown().split('began with [redacted]').length - 1;
    await until(() => begins() === 1, { what: 'the first start' });
    await client.callTool('core_service_restart', { name: 'slow' });
    await until(() => linesOf('server connected').length === 2, { what: 'the second start' });
    expect(linesOf('server disconnected').map(({ reason }) => reason)).deep.equal(['restarted']);
    await until(() => begins() === 2, { what: 'the line after the restart' });
    follow.kill('SIGINT');
    expect((await once(follow, 'exit'))[0]).equal(130);
    await client.callTool('core_service_stop', { name: 'slow' });
    await until(() => linesOf('server disconnected').at(-1)?.['reason'] === 'stopped', { what: 'the stop' });
    expect(JSON.stringify(pegboard.lines) + shown()).not.include(SECRET);
  });

  it('have one line for each refused sign-in of an address and reason, and the number of further ones', async () => {
    const provider = await startIdentityProvider();
    const { oauth } = settingsFor('http://localhost:1', provider);
    const server = { ...oauth.server, rateLimits: { ...oauth.server.rateLimits, logLines: 2 } };
    const config = JSON.stringify({ aggregator: { oauth: { server } } });
    const guarded = await servePegboard(makeDirectory({ 'config.yaml': config }).path);
    await guarded.logged('identity provider found');
    const headers = { authorization: 'Bearer planted-token-4712' };
    for (let at = 0; at < 50; at += 1)
      expect((await fetch(`${guarded.url}/mcp`, { method: 'POST', headers })).status).equal(401);
    await guarded.stop();
    const refused = guarded.lines.filter(({ text }) => text === 'request refused: not signed in');
    expect(refused.map(({ reason }) => reason)).deep.equal(['token-not-valid', 'token-not-valid']);
    const [left] = guarded.lines.filter(({ text }) => text.endsWith('left out of the log'));
    expect(left?.['lines']).equal(48);
    expect(JSON.stringify(guarded.lines)).not.include('planted-token-4712');
  });

  it('are lines of JSON or of text, as --log-format says, and text if it says nothing', async () => {
    const json = await servePegboard(makeDirectory({ 'config.yaml': '{}' }).path);
    expect(json.lines.filter(({ level }) => level === 'raw')).deep.equal([]);
    for (const format of [[], ['--log-format', 'text']]) {
      const { path } = makeDirectory({ 'config.yaml': '{}' });
      const argv = [packedProgram(), 'serve', '--config-path', path, '--port', '0', ...format];
      const env = { ...process.env };
      delete env['KUBERNETES_SERVICE_HOST'];
      const child = spawn(process.execPath, argv, { env });
      const written = read(child, 'stderr');
      await until(() => / ready /.test(written()), { what: 'ready' });
      const [last = ''] = written().trimEnd().split('\n').slice(-1);
      expect(last).match(/^\d{4}-\d\d-\d\dT[\d:.]+Z info {2}ready .*url=http:\S+/);
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
  });
});
