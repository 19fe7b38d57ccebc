import { expect } from 'chai';
import { textResult } from '../../kernel/lib/results.ts';
import { STAGE } from '../../kernel/contracts/stage.ts';
import { definePlugin } from '../../kernel/index.ts';
import type { Plugin } from '../../kernel/index.ts';
import { serverTool } from '../plugins/metatools/board.ts';
import { listenerUrl, toolsPlugin } from '../support/edge.ts';
import { bootGateway, moduleOf } from '../support/gateway.ts';
import type { Gateway } from '../support/gateway.ts';
import { McpClient, textOf } from '../support/mcpClient.ts';
import { openStream } from '../support/rawHttp.ts';
import { post, stateless } from '../support/stateless.ts';

const EDGE = ['http', 'front', 'transport-http', 'vault-memory', 'metatools', 'toolsets'];
const SERVERS = toolsPlugin('servers', [
  serverTool('git', 'read', { annotations: { readOnlyHint: true }, invoke: () => textResult('read') }),
  serverTool('git', 'push', { invoke: () => textResult('pushed') }),
]);
/** A guard that restricts a caller to read-only tools. */
const READING_GUARD = definePlugin({
  name: 'guard',
  api: 1,
  configSchema: { type: 'object' },
  apply: (scope) =>
    scope.tap(
      'onRequest',
      (request) => {
        if (request.header('x-guest') !== undefined) request.toolset = { selectors: ['preset:read-only'] };
        return undefined;
      },
      STAGE.narrow,
    ),
});

function configText(metatools: object): string {
  const own = Object.fromEntries(
    [SERVERS, READING_GUARD].map(({ name }) => [name, { module: `./${name}.mjs` }]),
  );
  return JSON.stringify({
    aggregator: { port: 0 },
    plugins: { ...own, metatools: { config: metatools }, front: { config: { listChangedMs: 10 } } },
    toolsetPresets: {
      git: { include: [{ server: 'git' }] },
      reading: { include: [{ preset: 'read-only' }] },
    },
  });
}

async function start(): Promise<Gateway> {
  const modules = [SERVERS, READING_GUARD].map((plugin: Plugin) => [`${plugin.name}.mjs`, moduleOf(plugin)]);
  const files = { ...(Object.fromEntries(modules) as Record<string, string>), 'state/.keep': '' };
  return bootGateway({ files: { ...files, 'config.yaml': configText({}) }, builtIns: EDGE });
}

describe('e2e: tools/list', () => {
  let gateway: Gateway;
  beforeEach(async () => {
    gateway = await start();
  });
  const connect = (path: string, headers: Record<string, string> = {}): Promise<McpClient> =>
    McpClient.connect(listenerUrl(gateway), { path, headers });
  const callTool = async (client: McpClient) =>
    (await client.listTools()).find(({ name }) => name === 'call_tool')?.['annotations'];

  it('declares call_tool read-only when the toolset allows read-only tools alone', async () => {
    const reading = [
      ['/mcp/t/read-only', {}],
      ['/mcp', { 'x-service-toolset': 'preset:read-only' }],
      ['/mcp/t/read-only', { 'x-service-toolset': 'server:git' }],
      ['/mcp/t/git', { 'x-service-toolset': 'preset:read-only' }],
      ['/mcp', { 'x-guest': '1' }],
      ['/mcp/t/git', { 'x-guest': '1', 'x-service-toolset': 'preset:full' }],
    ] as const;
    for (const [path, headers] of reading) {
      const client = await connect(path, headers);
      const annotations = await callTool(client);
      expect(annotations, path).to.include({ readOnlyHint: true });
      expect(annotations).not.to.have.property('destructiveHint');
      expect(textOf(await client.callTool('x_git_read'))).to.equal('read');
      const refusal = await client.callTool('x_git_push');
      expect(refusal.isError).to.equal(true);
      expect(textOf(refusal)).to.match(/^tool (not found: x_git_push|x_git_push is outside the toolset)/);
    }
  });

  it('declares call_tool destructive when other tools are allowed, now or after an edit', async () => {
    const open = [
      ['/mcp', {}],
      ['/mcp/t/git', {}],
      ['/mcp/t/reading', {}],
      ['/mcp', { 'x-service-toolset': 'preset:read-only, tool:x_git_push' }],
    ] as const;
    for (const [path, headers] of open)
      expect(await callTool(await connect(path, headers)), path).to.include({
        readOnlyHint: false,
        destructiveHint: true,
      });
  });

  it('differs between clients when a toolset narrows the request', async () => {
    const hintsFor = async (headers: Record<string, string>) =>
      (await post(listenerUrl(gateway), stateless('tools/list'), headers)).json().result?.['cacheScope'];
    expect(await hintsFor({})).to.equal('public');
    expect(await hintsFor({ 'x-service-toolset': 'preset:read-only' })).to.equal('private');
  });

  it('begins with filter_tools, and hints which tools to show at once and how large a page may be, in 5,000 bytes in all', async () => {
    const client = await connect('/mcp');
    const tools = await client.listTools();
    expect(tools[0]).to.include({ name: 'filter_tools' });
    const marked = tools.filter(({ _meta }) => _meta !== undefined);
    const always = { 'anthropic/alwaysLoad': true };
    expect(Object.fromEntries(marked.map(({ name, _meta }) => [name, _meta]))).to.deep.equal({
      describe_tool: always,
      filter_tools: always,
      call_tool: always,
      get_result: { 'anthropic/maxResultSizeChars': 200_000 },
    });
    expect(Buffer.byteLength(JSON.stringify({ tools }))).to.be.at.most(5_000);
  });

  it('declares what agents need, in schemas that admit what operators also send', async () => {
    const client = await connect('/mcp');
    const [filter, ...others] = await client.listTools();
    const { properties } = filter?.['inputSchema'] as { properties: object };
    const declared = ['query', 'queries', 'pattern', 'include_schema', 'limit', 'offset', 'toolset'];
    expect(properties).to.have.all.keys(declared);
    for (const { name, inputSchema, annotations } of [filter!, ...others]) {
      expect(inputSchema, name).to.include({ type: 'object' }).and.have.property('properties');
      expect(inputSchema, name).not.to.have.property('additionalProperties');
      if (name !== 'call_tool') expect(annotations, name).to.deep.equal({ readOnlyHint: true });
    }
    const second = { description_filter: 'of git', case_sensitive: true, include_presets: true, offset: 1 };
    const answer = JSON.parse(textOf(await client.callMeta('filter_tools', { labels: {}, ...second }))) as {
      filters: object;
      total: number;
      filtered_count: number;
      presets: readonly object[];
    };
    expect(answer.filters).to.include({ description_filter: 'of git', case_sensitive: true, offset: 1 });
    expect(answer).to.include({ total: 2, filtered_count: 1 });
    expect(answer.presets.length).to.be.above(2);
  });

  it('tells the way of two turns, in the instructions and by the three main tools, in 350 tokens', async () => {
    const client = await connect('/mcp');
    const instructions = String(client.initialized['instructions']);
    const main = (await client.listTools()).filter(({ name }) => /^(filter|describe|call)_tool/.test(name));
    const texts = [instructions, ...main.map(({ description }) => String(description))];
    expect(texts).to.have.length(4);
    expect(texts.join('\n').length / 4).to.be.below(350);
    expect(instructions).to.match(
      /Two turns .*filter_tools \{"query".*call_tool \{"name".*describe_tool .* only if/,
    );
  });

  it('has no _meta after clientHints is switched off live, and clients are notified of the change', async () => {
    const client = await connect('/mcp');
    const headers = { 'mcp-session-id': client.sessionId ?? '' };
    const stream = await openStream(`${client.url}/mcp`, { headers });
    gateway.directory.write('config.yaml', configText({ clientHints: false }));
    await gateway.pipeline.reload();
    const [heard] = await stream.heard(1);
    expect(heard).to.include({ method: 'notifications/tools/list_changed' });
    for (const tool of await client.listTools()) expect(tool).not.to.have.property('_meta');
  });
});
