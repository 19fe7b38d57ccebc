import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect } from 'chai';
import { textResult } from '../../../kernel/lib/results.ts';
import { defer } from '../../support/cleanup.ts';
import { listenerUrl, toolsPlugin } from '../../support/edge.ts';
import { bootGateway, moduleOf } from '../../support/gateway.ts';
import { send } from '../../support/rawHttp.ts';
import { statelessCall } from '../../support/stateless.ts';
import { serverTool } from '../metatools/board.ts';

const READ = serverTool('git', 'read', {
  annotations: { readOnlyHint: true },
  invoke: () => textResult('read'),
});
const EDGE = ['http', 'front', 'transport-http', 'vault-memory', 'metatools', 'toolsets'];

/** @returns its url */
async function start(builtIns: readonly string[]): Promise<string> {
  const tools = toolsPlugin('tools', [READ, serverTool('git', 'write'), serverTool('hub', 'read')]);
  const config = {
    aggregator: { port: 0 },
    plugins: { tools: { module: './tools.mjs' } },
    toolsetPresets: { git: { include: [{ server: 'git' }] } },
  };
  const gateway = await bootGateway({
    files: { 'config.yaml': JSON.stringify(config), 'tools.mjs': moduleOf(tools), 'state/.keep': '' },
    builtIns,
  });
  return listenerUrl(gateway);
}

/** Calls of a client in which only the URL can be configured. */
async function clientOf(builtIns: readonly string[], path: string, headers: Record<string, string> = {}) {
  const client = new Client({ name: 'test', version: '1' });
  const url = new URL(path, await start(builtIns));
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  defer(() => client.close());
  return async (name: string, args: Record<string, unknown> = {}): Promise<string> => {
    const { content } = await client.callTool({ name, arguments: args });
    return (content as readonly { readonly text: string }[])[0]?.text ?? '';
  };
}
const namesIn = (text: string): readonly string[] =>
  (JSON.parse(text) as { tools: readonly { name: string }[] }).tools.map(({ name }) => name);

describe('transport-http: a toolset preset in the path', () => {
  it('narrows what a client that cannot send a header sees and calls', async () => {
    const ask = await clientOf(EDGE, '/mcp/t/git');
    expect(namesIn(await ask('list_tools'))).to.deep.equal(['x_git_read', 'x_git_write']);
    expect(await ask('call_tool', { name: 'x_git_read' })).to.equal('read');
    expect(await ask('call_tool', { name: 'x_hub_read' })).to.contain(
      'tool x_hub_read is outside the toolset [preset:git]; connect to another path than the one of [preset:git]',
    );
  });

  it('combines with header and argument: only tools in all of them are visible', async () => {
    const ask = await clientOf(EDGE, '/mcp/t/git', { 'X-Service-Toolset': 'tool:x_git_write,server:hub' });
    expect(namesIn(await ask('list_tools'))).to.deep.equal(['x_git_write']);
    expect(namesIn(await ask('filter_tools', { toolset: ['preset:read-only'] }))).to.deep.equal([]);
    expect(namesIn(await ask('filter_tools', { toolset: ['server:git'] }))).to.deep.equal(['x_git_write']);
    expect(await ask('call_tool', { name: 'x_hub_read' })).to.contain(
      'outside the toolset [tool:x_git_write, server:hub] within [preset:git]',
    );
  });

  it('narrows requests without a session too', async () => {
    const { body, headers } = statelessCall('list_tools');
    const message = { method: 'POST', headers, body: JSON.stringify(body) };
    const answer = await send(`${await start(EDGE)}/mcp/t/git`, message);
    const content = answer.json().result?.['content'] as readonly { readonly text: string }[];
    expect(namesIn(content[0]?.text ?? '')).to.deep.equal(['x_git_read', 'x_git_write']);
    const without = await start(EDGE.filter((name) => name !== 'toolsets'));
    expect((await send(`${without}/mcp/t/git`, message)).status).to.equal(404);
  });

  it('is answered as malformed when the header is sent twice, as without a path', async () => {
    const { body, headers } = statelessCall('list_tools');
    const twice = { ...headers, 'x-service-toolset': ['preset:none', 'preset:full'] };
    const url = await start(EDGE);
    for (const path of ['/mcp', '/mcp/t/git']) {
      const answer = await send(url + path, { method: 'POST', headers: twice, body: JSON.stringify(body) });
      const { content, isError } = answer.json().result ?? {};
      expect(isError).to.equal(true);
      expect((content as readonly { readonly text: string }[])[0]?.text).to.equal(
        'invalid toolset: malformed: the header X-Service-Toolset was sent more than once; correct the header X-Service-Toolset, or leave it out',
      );
    }
  });

  it('that is not defined is named by every meta-tool', async () => {
    const ask = await clientOf(EDGE, '/mcp/t/gti');
    expect(await ask('list_tools')).to.match(/names the unknown preset "gti"; did you mean git\?/);
  });

  it('is not served where toolsets are switched off, so that it never shows everything', async () => {
    const without = EDGE.filter((name) => name !== 'toolsets');
    const failure = await clientOf(without, '/mcp/t/git').catch(String);
    expect(failure).to.contain('toolsets are switched off here; connect to /mcp');
  });
});
