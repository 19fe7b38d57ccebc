import { expect } from 'chai';
import { makeDirectory } from '../support/directory.ts';
import type { Directory } from '../support/directory.ts';
import { EVERYTHING, FILESYSTEM } from '../plugins/upstream/support.ts';
import { McpClient, textOf } from '../support/mcpClient.ts';
import { servePegboard } from '../support/serve.ts';
import type { Pegboard } from '../support/serve.ts';
import { until } from '../support/until.ts';

const KEYS = JSON.stringify({ keys: [{ id: '00000001', key: Buffer.alloc(32, 7).toString('base64') }] });

/** Two real servers, and one state directory per process, all with the same session keys. */
function definitions(): Directory {
  const directory = makeDirectory({ 'config.yaml': '', 'files/a.txt': 'a' });
  const define = (name: string, args: readonly string[]): void => {
    const command = JSON.stringify([process.execPath, ...args]);
    directory.write(`mcpservers/${name}.yaml`, `type: stdio\nautoStart: true\ncommand: ${command}\n`);
  };
  define('everything', [EVERYTHING]);
  define('files', [FILESYSTEM, directory.at('files')]);
  return directory;
}

async function replicaOf(directory: Directory, name: string): Promise<Pegboard> {
  directory.write(`states/${name}/session-keys.json`, KEYS);
  return servePegboard(directory.path, ['--state-path', directory.at(`states/${name}`)]);
}

/** Waits for both servers' tools. */
async function complete(client: McpClient): Promise<McpClient> {
  const has = async (server: string): Promise<boolean> => {
    const found = await client.callMeta('filter_tools', { toolset: [`server:${server}`] });
    return (JSON.parse(textOf(found)) as { total: number }).total > 8;
  };
  await until(async () => (await has('everything')) && (await has('files')), {
    what: 'the tools of both servers',
    withinMs: 15_000,
  });
  return client;
}

describe('e2e: replicas', function () {
  this.timeout(60_000);

  it('answer byte for byte alike, and keep their sessions when one of them is killed', async () => {
    const directory = definitions();
    const replicas = await Promise.all(['a', 'b', 'c'].map((name) => replicaOf(directory, name)));
    const [first, ...others] = await Promise.all(replicas.map(({ url }) => McpClient.connect(url)));
    if (first === undefined) throw new Error('no replica');
    const all = await Promise.all([first, ...others].map(complete));
    const asked = [
      ['list_tools', { limit: 500 }],
      ['filter_tools', { query: 'read a text file' }],
      ['filter_tools', { pattern: 'x_*', include_schema: true }],
      ['describe_tool', { name: 'x_files_read_text_file' }],
    ] as const;
    for (const [name, args] of asked) {
      const answers = await Promise.all(all.map(async (client) => textOf(await client.callMeta(name, args))));
      expect(new Set(answers).size, name).to.equal(1);
      expect(answers[0]).to.contain('"name":"x_');
    }
    await replicas[0]?.kill();
    const handle = { 'mcp-session-id': first.sessionId ?? '' };
    for (const other of others) {
      const params = {
        name: 'call_tool',
        arguments: { name: 'x_everything_echo', arguments: { message: 'on' } },
      };
      const answer = await other.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, handle);
      expect([answer.status, answer.messages[0]?.result?.['isError'] ?? false]).to.deep.equal([200, false]);
      expect(answer.text).to.contain('Echo: on');
    }
  });

  it('answer while twenty servers are still starting', async () => {
    const directory = makeDirectory({ 'config.yaml': '' });
    for (let at = 0; at < 20; at += 1)
      directory.write(`mcpservers/s${at}.yaml`, 'type: stdio\nautoStart: true\ncommand: [sleep, "60"]\n');
    const { url } = await servePegboard(directory.path);
    const client = await McpClient.connect(url);
    expect(textOf(await client.callMeta('list_tools'))).to.contain('core_mcpserver_list');
    const { content } = await client.callTool('core_mcpserver_list');
    const { mcpServers } = JSON.parse(String(content[0]?.['text'])) as { mcpServers: { state: string }[] };
    expect(mcpServers.map(({ state }) => state)).to.deep.equal(Array(20).fill('Starting'));
  });
});
