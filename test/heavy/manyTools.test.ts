import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { defer } from '../support/cleanup.ts';
import { makeDirectory } from '../support/directory.ts';
import { onTerminal } from '../support/onTerminal.ts';
import { packedProgram } from '../support/packed.ts';
import { runPegboard } from '../support/serve.ts';
import { serveHere } from '../support/serveHere.ts';
import { tlsProxy } from '../support/tlsProxy.ts';
import { typeVerb } from '../support/typeVerb.ts';
import type { Typed } from '../support/typeVerb.ts';
import { until } from '../support/until.ts';

const MANY = 10_000;
const MANY_SERVERS = 60;
/** A stdio server with many tools, and one whose name begins with a dash; each returns its arguments. */
const SERVER = `import { createInterface } from 'node:readline';
const inputSchema = { type: 'object', properties: { text: { type: 'string' } } };
const names = ['-x', ...Array.from({ length: ${MANY} }, (_, at) => 'tool_' + at)];
const tools = names.map((name) => ({ name, description: 'Does ' + name, inputSchema }));
const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'many', version: '1' },
  }),
  'tools/list': () => ({ tools }),
  'tools/call': (call) => ({ content: [{ type: 'text', text: JSON.stringify(call) }] }),
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: results[method]?.(params) ?? {} }) + '\\n');
});
`;

describe('bad input at a gateway with 10,000 tools', function () {
  this.timeout(60_000);
  const home = makeDirectory({ 'server.mjs': SERVER });
  const command = [process.execPath, home.at('server.mjs')];
  home.write('gateway/mcpservers/many.yaml', JSON.stringify({ type: 'stdio', command, autoStart: true }));
  for (const at of Array(MANY_SERVERS).keys())
    home.write(
      `gateway/mcpservers/idle-${at}.yaml`,
      JSON.stringify({ type: 'stdio', command: [`/opt/${'long/'.repeat(200)}program`], autoStart: false }),
    );
  let origin = '';
  let env: Readonly<Record<string, string>> = {};
  const type = (...[verb = '', ...words]: readonly string[]): Promise<Typed> =>
    typeVerb([verb, '--config-path', home.path, '--endpoint', `${origin}/mcp`, ...words], env);
  before(async () => {
    const gateway = await serveHere({
      ...home,
      path: home.at('gateway'),
      at: (name) => home.at(`gateway/${name}`),
    });
    await gateway.log.heard('server connected');
    origin = gateway.url;
    env = { PEGBOARD_ENDPOINT: `${origin}/mcp`, XDG_CACHE_HOME: home.at('cache') };
  });

  it('lists, finds and completes them all', async () => {
    const [list, search, complete, head] = await Promise.all([
      type('list', 'tools', '--server', 'many', '-o', 'name'),
      type('search', 'does', 'tool_7777', '-o', 'name', '--limit', '1'),
      type('__complete', 'call', 'x_many_tool_99'),
      cutAfterOneLine('list', 'tools', '-o', 'name'),
    ]);
    expect(new Set(list.stdout.trim().split('\n'))).property('size', MANY + 1);
    expect(search.stdout).equal('x_many_tool_7777\n');
    expect(complete.stdout.trim().split('\n')).length(111);
    expect(head).deep.equal({ code: 0, stderr: '' });
  });

  /** As `pegboard … | head -1`. */
  async function cutAfterOneLine(
    ...argv: readonly string[]
  ): Promise<{ code: number | null; stderr: string }> {
    const child = spawn(process.execPath, [packedProgram(), ...argv, '--config-path', home.path], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    defer(() => child.kill('SIGKILL'));
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    await once(createInterface(child.stdout), 'line');
    child.stdout.destroy();
    await until(
      async () => {
        if (child.exitCode === null) await type('restart', 'many');
        return child.exitCode !== null || child.signalCode !== null;
      },
      { what: 'the end of the program', withinMs: 20_000 },
    );
    return { code: child.exitCode, stderr };
  }

  it('lists what is longer than a result may be', async () => {
    const { code, stdout, stderr } = await type('list', 'servers', '-o', 'name');
    expect({ code, stderr }).deep.equal({ code: 0, stderr: '' });
    expect(stdout.trim().split('\n')).length(MANY_SERVERS + 1);
  });

  it('ends quietly when the reader of what it follows is gone', async () => {
    expect(await cutAfterOneLine('events', '-f')).deep.equal({ code: 0, stderr: '' });
  });

  it('takes names and arguments with dashes, =, line feeds and any letter as they are', async () => {
    const text = '--a=b\n"ünï" 語 \\';
    const [dash, unknown, listed] = await Promise.all([
      type('call', 'x_many_-x', `--text=${text}`),
      type('call', '--', '-x', '--text', 'a'),
      type('list', 'tools', '--filter', '*-x', '-o', 'name'),
    ]);
    expect(JSON.parse(dash.stdout)).deep.equal({ name: '-x', arguments: { text } });
    expect(unknown.stderr).equal('pegboard: tool not found: -x; did you mean x_many_-x?\n');
    expect(listed.stdout).equal('x_many_-x\n');
  });

  it('fits its tables and the words of its help into 40 columns', async () => {
    const shown = async (...argv: readonly string[]): Promise<readonly string[]> => {
      const options = {
        columns: 40,
        env: { ...(process.env as Record<string, string>), ...env, NO_COLOR: '1' },
      };
      const terminal = onTerminal([...argv, '--config-path', home.path], options);
      expect(await terminal.exited, terminal.shown()).equal(0);
      return terminal.shown().split('\r\n');
    };
    const tables = await Promise.all([
      shown('search', 'does', 'tool_7777'),
      shown('list', 'servers', '-o', 'wide'),
      shown('events', '--limit', '5'),
    ]);
    for (const line of tables.flat()) expect(line.length, line).at.most(40);
    const help = await shown('list', '--help');
    // Command lines are left to the terminal, which a copy of them survives.
    const words = help.filter((line) => !line.includes('pegboard list'));
    for (const line of words) expect(line.length, line).at.most(40);
    expect(help).include.members(['  --filter <glob>']);
  });

  it('shows its tables on a terminal that has no size', async function () {
    const line = `'${process.execPath}' '${packedProgram()}' list tools --filter '*_tool_1' --config-path '${home.path}'`;
    const child = spawn('script', ['-qec', line, '/dev/null'], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const isMissing = once(child, 'spawn').then(
      () => false,
      () => true,
    );
    const stdout = await text(child.stdout);
    if (await isMissing) this.skip();
    expect(stdout).contain('x_many_tool_1');
  });

  it('trusts no unknown authority, until --extra-ca-file names it', async () => {
    const { origin: secured, certificate } = await tlsProxy(() => origin);
    const endpoint = `${secured}/mcp`;
    const call = ['list', 'servers', '-o', 'name', '--endpoint', endpoint];
    const [unknown, known, missing, wrong] = await Promise.all([
      type(...call),
      type(...call, '--extra-ca-file', certificate),
      type(...call, '--extra-ca-file', home.at('none.pem')),
      type(...call, '--extra-ca-file', home.at('server.mjs')),
    ]);
    expect(unknown).include({ code: 1, stdout: '' });
    expect(unknown.stderr).match(
      /self.signed certificate; name the authority's PEM file with --extra-ca-file/,
    );
    expect(known).include({ code: 0, stderr: '' });
    expect(known.stdout).contain('many\n');
    expect(missing.stderr).match(/^pegboard: --extra-ca-file: ENOENT.*\n$/);
    expect(wrong.code, wrong.stderr).equal(1);
    expect(wrong.stderr).match(/--extra-ca-file: .*server\.mjs holds no certificate in PEM form/);
  });

  it('works in a home that cannot be written, and says what it could not write', async () => {
    // A file in place of the folder refuses root too.
    const file = home.at('server.mjs');
    const at = (...argv: readonly string[]): Promise<Typed> =>
      typeVerb([...argv, '--config-path', join(file, 'pegboard')], { XDG_CACHE_HOME: file });
    const endpoint = ['--endpoint', `${origin}/mcp`];
    const [call, complete, added, imported, lost] = await Promise.all([
      runPegboard(['call', 'x_many_tool_1', '--text', 'a', ...endpoint], { HOME: file }),
      at('__complete', 'call', 'x_many_tool_999', ...endpoint),
      at('context', 'add', 'work', 'https://tools.example.com/mcp'),
      at('import', '--yes'),
      runPegboard(['call', 'x_many_tool_1', '--text', 'a', ...endpoint], { HOME: '' }),
    ]);
    expect(call).include({ code: 0, stderr: '' });
    expect(complete.stdout.split('\n')).include('x_many_tool_9990');
    for (const { code, stderr } of [added, imported]) {
      expect(code, stderr).equal(1);
      expect(stderr).match(/^pegboard: .+server\.mjs.+ENOTDIR.+\n$/);
    }
    expect(lost).include({ code: 0, stderr: '' });
  });
});
