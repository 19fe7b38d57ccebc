import { expect } from 'chai';
import { definePlugin, GatewayError, textResult } from '../../../../kernel/index.ts';
import { McpPromptSource, McpResourceSource } from '../../../../plugins/contracts/mcp.ts';
import type { JsonObject } from '../../../../kernel/index.ts';
import { callTool, initialize, metaTool, startEdge, toolsPlugin } from '../../../support/edge.ts';
import { moduleOf } from '../../../support/gateway.ts';
import { openStream } from '../../../support/rawHttp.ts';

const resource = { uri: 'test://one', name: 'one', unknownField: [1] };
const prompt = { name: 'greet', arguments: [{ name: 'who', required: true }] };

const sources = definePlugin({
  name: 'test-sources',
  api: 1,
  configSchema: { type: 'object' },
  provides: [McpResourceSource, McpPromptSource],
  apply: (scope) => {
    scope.provide(McpResourceSource, {
      resources: () => [resource],
      templates: () => [{ uriTemplate: 'test://{id}', name: 'any' }],
      read: (uri) => {
        if (uri === 'test://deep') {
          const data = { a: JSON.parse('['.repeat(20_000) + ']'.repeat(20_000)) as unknown };
          throw new GatewayError('UPSTREAM_ERROR', 'server test is deep', { details: { code: -7, data } });
        }
        if (uri === 'test://broken') throw new GatewayError('UPSTREAM_UNREACHABLE', 'server test is away');
        if (uri !== resource.uri) return undefined;
        return Promise.resolve('{"contents":[{"uri":"test://one","text":"1"}],"big":9007199254740993}');
      },
    });
    scope.provide(McpPromptSource, {
      prompts: () => [prompt],
      get: (name, args) =>
        name === 'greet'
          ? Promise.resolve(JSON.stringify({ messages: [], description: args['who'] }))
          : undefined,
    });
  },
});

describe('front: resources and prompts', () => {
  async function open(): Promise<(method: string, params?: JsonObject) => Promise<JsonObject>> {
    const edge = await startEdge({ plugin: sources });
    const handle = await initialize(edge.url);
    return async (method, params = {}) => {
      const answer = await callTool(edge.url, handle, { jsonrpc: '2.0', id: 1, method, params });
      return { ...answer.json(), text: answer.text };
    };
  }

  it('are listed as their sources declare them', async () => {
    const ask = await open();
    expect((await ask('resources/list'))['result']).deep.equal({ resources: [resource] });
    expect((await ask('resources/templates/list'))['result']).deep.equal({
      resourceTemplates: [{ uriTemplate: 'test://{id}', name: 'any' }],
    });
    expect((await ask('prompts/list'))['result']).deep.equal({ prompts: [prompt] });
  });

  it('are one page: a cursor is refused, an empty one is ignored', async () => {
    const ask = await open();
    for (const method of ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list']) {
      expect((await ask(method, { cursor: 'from elsewhere' }))['error'], method).include({ code: -32602 });
      for (const cursor of ['', null]) expect(await ask(method, { cursor })).property('result');
    }
  });

  it('are read byte for byte as their sources answer', async () => {
    const ask = await open();
    expect((await ask('resources/read', { uri: 'test://one' }))['text']).include('"big":9007199254740993}');
    const got = await ask('prompts/get', { name: 'greet', arguments: { who: 'Ada' } });
    expect(got['result']).deep.equal({ messages: [], description: 'Ada' });
  });

  it('that do not exist are answered with an error that names the next step', async () => {
    const ask = await open();
    const read = (await ask('resources/read', { uri: 'test://two' }))['error'] as JsonObject;
    expect(read).include({ code: -32002 });
    expect(read['message']).include('test://two').and.include('resources/list');
    const got = (await ask('prompts/get', { name: 'nope' }))['error'] as JsonObject;
    expect(got).include({ code: -32602 });
    expect(got['message']).include('prompts/list');
  });

  it('with wrong parameters are answered with -32602', async () => {
    const ask = await open();
    for (const [method, params] of [
      ['resources/read', {}],
      ['resources/read', { uri: 7 }],
      ['prompts/get', {}],
      ['prompts/get', { name: 'greet', arguments: [] }],
    ] as const)
      expect((await ask(method, params))['error']).include({ code: -32602 });
  });

  it('whose server adds more to its error than can be serialised are answered with the error alone', async () => {
    const ask = await open();
    const deep = (await ask('resources/read', { uri: 'test://deep' }))['error'] as JsonObject;
    expect(deep).deep.equal({ code: -7, message: 'server test is deep', data: { code: 'UPSTREAM_ERROR' } });
  });

  it("of an unreachable server are answered with an error that names the server's state", async () => {
    const ask = await open();
    const away = (await ask('resources/read', { uri: 'test://broken' }))['error'] as JsonObject;
    expect(away['message']).equal('server test is away');
  });
});

describe('front: list_changed', () => {
  const fast = { front: { config: { listChangedMs: 10 } } };

  it('is sent on the GET stream once when a list changes, and not otherwise', async () => {
    const edge = await startEdge({ plugins: fast });
    const handle = await initialize(edge.url);
    const headers = { 'mcp-session-id': handle };
    const stream = await openStream(`${edge.url}/mcp`, { headers });
    await edge.configure({ plugins: { ...fast, 'transport-sse': false } });
    edge.gateway.directory.write(
      'more.mjs',
      moduleOf(toolsPlugin('more', [metaTool('more', () => textResult('more'))])),
    );
    await edge.configure({ plugins: { ...fast, more: { module: './more.mjs' } } });
    const [heard] = await stream.heard(1);
    expect(heard).deep.equal({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    await edge.configure({ plugins: fast });
    expect((await stream.heard(2)).map(({ method }) => method)).deep.equal(
      Array(2).fill('notifications/tools/list_changed'),
    );
  });

  it('is sent when a plugin adds prompts and resources live', async () => {
    const edge = await startEdge({ plugins: fast });
    const headers = { 'mcp-session-id': await initialize(edge.url) };
    const stream = await openStream(`${edge.url}/mcp`, { headers });
    edge.gateway.directory.write('test-sources.mjs', moduleOf(sources));
    await edge.configure({ plugins: { ...fast, 'test-sources': { module: './test-sources.mjs' } } });
    const heard = await stream.heard(2);
    expect(heard.map(({ method }) => method)).have.members([
      'notifications/resources/list_changed',
      'notifications/prompts/list_changed',
    ]);
  });
});
