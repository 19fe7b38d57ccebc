/* eslint-disable @typescript-eslint/no-deprecated -- HTTP+SSE itself is deprecated */
import {
  Client as NewerClient,
  StreamableHTTPClientTransport as NewerTransport,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect } from 'chai';
import { readFileSync, statSync } from 'node:fs';
import { makeClientHome } from '../plugins/cli/clientHome.ts';
import { makeDirectory } from '../support/directory.ts';
import type { Directory } from '../support/directory.ts';
import { freePort } from '../support/everything.ts';
import { packedProgram } from '../support/packed.ts';
import { runPegboard, servePegboard } from '../support/serve.ts';

const INFO = { name: 'test', version: '1' };

describe('e2e: the local token', function () {
  this.timeout(60_000);
  let directory: Directory;
  const token = (): string => readFileSync(directory.at('state/local-token'), 'utf8').trim();
  beforeEach(() => {
    directory = makeDirectory({ 'config.yaml': 'aggregator: { localToken: true }\n' });
  });

  /** The number of tools that clients of the official SDK see, with these headers. */
  async function toolsOf(url: string, headers: Readonly<Record<string, string>>): Promise<readonly number[]> {
    const requestInit = { headers };
    const clients = [
      {
        client: new Client(INFO),
        transport: new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }),
      },
      { client: new Client(INFO), transport: new SSEClientTransport(new URL(`${url}/sse`), { requestInit }) },
      {
        client: new NewerClient(INFO),
        transport: new NewerTransport(new URL(`${url}/mcp`), { requestInit }),
      },
    ];
    const counts = [];
    for (const { client, transport } of clients) {
      await (client as Client).connect(transport);
      counts.push((await client.listTools()).tools.length);
      await client.close();
    }
    return counts;
  }

  it('lets clients of the official SDK in that send it, also after a restart, and says to others where it is', async () => {
    const first = await servePegboard(directory.path);
    const kept = token();
    expect(statSync(directory.at('state/local-token')).mode & 0o777).to.equal(0o600);
    const [more, ...others] = await toolsOf(first.url, { Authorization: `Bearer ${kept}` });
    expect(more).to.be.above(10);
    expect(others).to.deep.equal([more, more]);
    const error = await toolsOf(first.url, {}).then(
      () => undefined,
      (thrown: unknown) => String(thrown),
    );
    expect(error)
      .to.contain(`the token is the text of ${directory.at('state/local-token')}`)
      .and.contain('pegboard link writes it into clients');
    expect((await fetch(`${first.url}/health`)).status).to.equal(200);
    expect(await first.stop()).to.include({ code: 0 });
    const second = await servePegboard(directory.path);
    expect(token()).to.equal(kept);
    expect(await toolsOf(second.url, { Authorization: `Bearer ${kept}` })).to.deep.equal([more, more, more]);
    const log = JSON.stringify([...first.lines, ...second.lines]);
    expect(log).not.to.contain(kept);
  });

  it('is used by the command line itself, also by its bridge and by plan', async () => {
    const port = await freePort();
    directory.write('config.yaml', `aggregator: { port: ${port}, localToken: true }\n`);
    await servePegboard(directory.path, ['--port', String(port)]);
    const own = ['--config-path', directory.path];
    const listed = await runPegboard(['list', 'presets', '-o', 'name', ...own]);
    expect(listed.code, listed.stderr).to.equal(0);
    expect(listed.stdout).to.include('full\n');
    const called = await runPegboard(['call', 'core_service_list', ...own]);
    expect(called.code, called.stderr).to.equal(0);
    const planned = await runPegboard(['plan', ...own]);
    expect(planned.code, planned.stderr).to.equal(0);
    expect(planned.stderr).to.include('nothing changes');
    const args = [packedProgram(), 'agent', '--mcp-server', ...own];
    const transport = new StdioClientTransport({ command: process.execPath, args });
    const client = new Client(INFO);
    await client.connect(transport);
    expect((await client.listTools()).tools).to.have.length.above(10);
    await client.close();
  });

  it('is what pegboard link writes into a client, which connects with it', async () => {
    const port = await freePort();
    const home = makeClientHome({
      '.config/pegboard/config.yaml': `aggregator: { port: ${port}, localToken: true }\n`,
      '.cursor/mcp.json': '{}\n',
    });
    await servePegboard(home.at('.config/pegboard'), ['--port', String(port)]);
    const linked = await home.runProgram(['link', '--yes']);
    expect(linked.code, linked.stderr).to.equal(0);
    const { mcpServers } = JSON.parse(home.read('.cursor/mcp.json')) as {
      mcpServers: { pegboard: { url: string; headers: Record<string, string> } };
    };
    const { url, headers } = mcpServers.pegboard;
    expect(await toolsOf(new URL(url).origin, headers)).to.have.length(3);
  });

  it('refuses the start where nothing can be kept', async () => {
    const state = directory.at('config.yaml');
    const { code, stderr } = await runPegboard([
      ...['serve', '--port', '0', '--config-path', directory.path, '--state-path', state],
    ]);
    expect(code).to.equal(3);
    expect(stderr).to.include(
      'aggregator.localToken has no place for its token; name a directory that can be written',
    );
  });
});
