import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect } from 'chai';
import { defer } from '../support/cleanup.ts';
import { makeDirectory } from '../support/directory.ts';
import type { Directory } from '../support/directory.ts';
import { McpClient, RpcError, post, textOf } from '../support/mcpClient.ts';
import { install, pack } from '../support/packages.ts';
import { runPegboard, servePegboard } from '../support/serve.ts';
import type { Pegboard } from '../support/serve.ts';
import { until, within } from '../support/until.ts';
import { ROOT } from '../support/sources.ts';

const EXAMPLES = join(ROOT, 'examples/');
const KEY = { 'x-api-key': 'the-key-of-the-test' };
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

describe('e2e: third-party plugins, one by path and one as an npm tarball', function () {
  this.timeout(60_000);
  let directory: Directory;
  let pegboard: Pegboard;

  before(async () => {
    directory = makeDirectory();
    await installTarball('plugin-auth-apikey', directory.path);
    directory.write('config.yaml', configText({}));
    pegboard = await servePegboard(directory.path, [], { env: { KEY_OF_CI: KEY['x-api-key'] } });
  });
  after(async () => {
    expect(await pegboard.stop()).to.deep.equal({ code: 0, signal: null });
  });

  const statusWith = async (headers: Readonly<Record<string, string>> = {}): Promise<number> =>
    (await post(`${pegboard.url}/mcp`, INITIALIZE, headers)).status;
  /** The kind of store, as answered to a caller with a key. */
  const storeMode = async (client: McpClient): Promise<unknown> =>
    (JSON.parse(textOf(await client.callTool('core_mcpserver_list'))) as { mode: unknown }).mode;

  it('load as config.yaml says: the package from node_modules, the store from its folder', () => {
    expect(existsSync(directory.at('node_modules/pegboard-auth-apikey/index.js'))).to.equal(true);
    expect(existsSync(directory.at('node_modules/pegboard'))).to.equal(false);
  });

  it('the auth surface refuses strangers with a challenge and admits its callers', async () => {
    const stranger = await post(`${pegboard.url}/mcp`, INITIALIZE);
    expect(stranger.status).to.equal(401);
    expect(stranger.headers.get('www-authenticate')).to.match(/^ApiKey /);
    expect(stranger.text).to.include('REQUEST_UNAUTHENTICATED').and.include('x-api-key');
    expect(await statusWith({ 'x-api-key': 'the-key-of-the-tes' })).to.equal(401);
    const client = await McpClient.connect(pegboard.url, { headers: KEY });
    expect(await client.listTools()).to.have.length(13);
  });

  it('the store keeps the definitions that core tools create', async () => {
    const client = await McpClient.connect(pegboard.url, { headers: KEY });
    const args = { name: 'kept', type: 'stdio', command: ['true'] };
    const created = await client.callTool('core_mcpserver_create', args);
    expect(created.isError ?? false, textOf(created)).to.equal(false);
    expect(await storeMode(client)).to.equal('sqlite');
    expect(existsSync(directory.at('definitions.sqlite'))).to.equal(true);
    expect(existsSync(directory.at('mcpservers/kept.yaml'))).to.equal(false);
    expect(textOf(await client.callTool('core_mcpserver_list'))).to.include('"kept"');
  });

  it('can be switched off and on live while a client calls, without losing a call', async () => {
    const calling = callUntilStopped(pegboard.url);

    directory.write('config.yaml', configText({ 'auth-apikey': false }));
    await until(async () => (await statusWith()) === 200, { what: 'strangers are let in' });
    directory.write('config.yaml', configText({}));
    await until(async () => (await statusWith()) === 401, { what: 'strangers are refused again' });

    const client = await McpClient.connect(pegboard.url, { headers: KEY });
    const isIn = (mode: string) => async () => (await storeMode(client)) === mode;
    directory.write('config.yaml', configText({ 'store-sqlite': false, 'store-file': true }));
    await until(isIn('filesystem'), { what: 'the built-in store is in force' });
    // Definitions follow the plugins within the same run of the pipeline.
    await until(async () => !(await hasKept(client)), { what: 'its definitions are gone' });
    directory.write('config.yaml', configText({}));
    await until(isIn('sqlite'), { what: 'the SQLite store is in force again' });
    await until(() => hasKept(client), { what: 'its definitions are back' });

    const { calls, failures } = await calling.stop();
    expect(failures).to.deep.equal([]);
    expect(calls).to.be.greaterThan(10);
  });

  it('a missing module is refused live with the line that installs it, and the guard stays', async () => {
    const wrong = { 'auth-apikey': { module: 'pegboard-auth-apikeys' } };
    directory.write('config.yaml', configText(wrong));
    const rejected = await until(() => pegboard.lines.find(({ code }) => code === 'PLUGIN_MISSING'));
    expect(rejected.text).to.include(`npm install --prefix ${directory.path} pegboard-auth-apikeys`);
    expect(await statusWith()).to.equal(401);
    expect(await statusWith(KEY)).to.equal(200);
    directory.write('config.yaml', configText({}));
  });

  it('a plugin by path imports each part of the API by its name, from a folder without pegboard', async () => {
    const other = makeDirectory({
      'acme.mjs': `import { definePlugin } from 'pegboard';
        import { Vault } from 'pegboard/contracts';
        import { parseDuration } from 'pegboard/kit';
        import { guardedFetch } from 'pegboard/net';
        guardedFetch({ allowPrivate: false, timeoutMs: parseDuration('1s'), maxBytes: 1_000 });
        export const plugin = definePlugin({ name: 'acme', api: 1, configSchema: {}, uses: [Vault], apply() {} });\n`,
      'config.yaml': 'plugins: { acme: { module: ./acme.mjs } }\n',
    });
    const { code, stderr } = await runPegboard(['check', '--config-path', other.path]);
    expect(stderr).to.not.include('PLUGIN_');
    expect(code).to.equal(0);
  });

  it('a missing module stops the start with exit code 3 and the line that installs it', async () => {
    const other = makeDirectory({
      'config.yaml': 'plugins: { auth-missing: { module: pegboard-auth-missing } }\n',
    });
    const { code, stderr } = await runPegboard(['serve', '--config-path', other.path, '--port', '0']);
    expect(code).to.equal(3);
    expect(stderr).to.include('PLUGIN_MISSING');
    expect(stderr).to.include(`run: npm install --prefix ${other.path} pegboard-auth-missing`);
  });

  function configText(changed: Readonly<Record<string, unknown>>): string {
    const plugins = {
      'store-file': false,
      'store-sqlite': {
        module: relative(directory.path, join(EXAMPLES, 'plugin-store-sqlite')),
        config: { pollMs: 50 },
      },
      'auth-apikey': { module: 'pegboard-auth-apikey', config: { keys: { ci: '${env:KEY_OF_CI}' } } },
      ...changed,
    };
    const operators = { issuers: [{ issuer: 'auth-apikey', subjects: ['ci'] }] };
    return `${JSON.stringify({ operators, plugins }, null, 2)}\n`;
  }
});

async function hasKept(client: McpClient): Promise<boolean> {
  return textOf(await client.callTool('core_mcpserver_list')).includes('"kept"');
}

/** Installs an example as its author would ship it. */
async function installTarball(example: string, prefix: string): Promise<void> {
  await install(prefix, [await pack(join(EXAMPLES, example), makeDirectory().path)], ['--offline']);
}

interface Calling {
  stop(): Promise<{ readonly calls: number; readonly failures: readonly string[] }>;
}

/** A client with a key that calls without a pause. A session opened by another caller is answered 404, and, as MCP requires, the client
 *  opens a new one. */
function callUntilStopped(url: string): Calling {
  let isDone = false;
  let calls = 0;
  const failures: string[] = [];
  const run = async (): Promise<void> => {
    let client = await McpClient.connect(url, { headers: KEY });
    while (!isDone) {
      try {
        const answer = await client.callTool('core_mcpserver_list');
        if (answer.isError === true) failures.push(textOf(answer));
        calls += 1;
      } catch (error) {
        if (error instanceof RpcError && error.message.startsWith('session not found'))
          client = await McpClient.connect(url, { headers: KEY });
        else {
          failures.push(String(error));
          isDone ||= failures.length > 20;
        }
      }
    }
  };
  const running = run();
  defer(() => void (isDone = true));
  return {
    stop: async () => {
      isDone = true;
      await within(running, { what: 'the last call ends' });
      return { calls, failures };
    },
  };
}
