import { expect } from 'chai';
import { definePlugin, GatewayError, rawResult } from '../../../../kernel/index.ts';
import { McpResourceSource } from '../../../../plugins/contracts/mcp.ts';
import { initialize, metaTool, postMcp, startEdge, testTools } from '../../../support/edge.ts';
import type { Edge } from '../../../support/edge.ts';
import { post, stateless, STATELESS, statelessCall } from '../../../support/stateless.ts';

const INFO = 'io.modelcontextprotocol/serverInfo';

/** A result of a server of another revision: its own values of our members, and a number beyond a double. */
const odd = metaTool('odd', () =>
  rawResult('{"content":[], "resultType":"input_required", "n":1.0, "_meta":{"x":12345678901234567890}}'),
);
const links = metaTool('links', () => {
  const elicitations = [
    { mode: 'url', url: 'https://example.com/sign-in', message: 'sign in', elicitationId: 'e' },
    { mode: 'url', url: 'javascript:alert(1)', message: 'run this' },
  ];
  throw new GatewayError('UPSTREAM_ERROR', 'open the page first', {
    details: { code: -32042, data: { elicitations } },
  });
});

/** Error data of a link that a server wants opened: JSON that can be parsed but not serialised. */
const deepLinks = metaTool('deep_links', () => {
  const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`) as unknown;
  const elicitations = [{ mode: 'url', url: 'https://example.com/', message: 'm', deep }];
  throw new GatewayError('UPSTREAM_ERROR', 'open the page first', {
    details: { code: -32042, data: { elicitations } },
  });
});
/** `code://-32022` fails with that code. */
const failing = definePlugin({
  name: 'test-failing',
  api: 1,
  configSchema: { type: 'object' },
  provides: [McpResourceSource],
  apply: (scope) =>
    scope.provide(McpResourceSource, {
      resources: () => [],
      templates: () => [],
      read: (uri) => {
        if (!uri.startsWith('code://')) return undefined;
        const details = { code: Number(uri.slice(7)), data: { supported: ['1999-01-01'] } };
        return Promise.reject(new GatewayError('UPSTREAM_ERROR', 'as the server says', { details }));
      },
    }),
});

describe('front, revision 2026-07-28: results', () => {
  let edge: Edge;
  before(async () => {
    edge = await startEdge({ tools: [...testTools().tools, odd, links, deepLinks], plugin: failing });
  });

  it('of server/discover describe the server, without a session', async () => {
    const answer = await post(edge.url, stateless('server/discover', {}, { id: 'd' }));
    expect(answer.status).equal(200);
    expect(answer.headers).not.property('mcp-session-id');
    const { result } = answer.json();
    expect(result).deep.include({
      resultType: 'complete',
      supportedVersions: [STATELESS],
      ttlMs: 0,
      cacheScope: 'private',
    });
    expect(result?.['capabilities']).include.keys('tools', 'resources', 'prompts', 'completions', 'logging');
    expect(result?.['instructions']).include('filter_tools');
    expect(result?.['_meta']).property(INFO).include({ name: 'pegboard' });
  });

  it('of lists say how long they may be cached: the meta-tools publicly, the others not at all', async () => {
    const tools = await post(edge.url, stateless('tools/list'));
    expect(tools.json().result).include({ resultType: 'complete', ttlMs: 60_000, cacheScope: 'public' });
    for (const method of ['resources/list', 'resources/templates/list', 'prompts/list']) {
      const answer = await post(edge.url, stateless(method));
      expect(answer.json().result, method).include({ ttlMs: 0, cacheScope: 'private' });
    }
  });

  it('of calls are unchanged except for additions of this revision', async () => {
    const answer = await post(edge.url, statelessCall('odd'));
    expect(answer.text).include('"n":1.0').and.include('"x":12345678901234567890');
    expect(answer.json().result).include({ resultType: 'complete' });
    expect(answer.json().result?.['_meta']).property(INFO).property('name', 'pegboard');
    const failed = await post(edge.url, statelessCall('refuses', { text: 'cheese' }));
    expect(failed.json().result).include({ isError: true, resultType: 'complete' });
  });

  it('use the codes of this revision: -32602 for a missing resource', async () => {
    const answer = await post(edge.url, stateless('resources/read', { uri: 'no://where' }));
    expect(answer.status).equal(200);
    expect(answer.json().error).deep.include({ code: -32602, data: { uri: 'no://where' } });
  });

  it('turn links that an older server wants opened into questions, for clients that support links', async () => {
    const taking = { capabilities: { elicitation: { url: {} } } };
    const { result } = (await post(edge.url, statelessCall('links', {}, taking))).json();
    expect(result).include({ resultType: 'input_required' }).and.not.property('requestState');
    const asked = Object.values(result?.['inputRequests'] as Record<string, { params: object }>);
    expect(asked.map(({ params }) => params)).have.length(1);
    expect(asked[0]).deep.include({ method: 'elicitation/create' });
    expect(asked[0]?.params).include({ url: 'https://example.com/sign-in' });
    const other = await post(edge.url, statelessCall('links'));
    expect(other.json().result).include({ isError: true });
    expect(other.text).include('open the page first').and.not.include('-32042');
  });

  it('fail under the id of their request when links cannot be serialised', async () => {
    const taking = { capabilities: { elicitation: { url: {} } } };
    const answer = await post(edge.url, statelessCall('deep_links', {}, taking));
    expect(answer.status).equal(200);
    expect(answer.json()).include({ id: 1 });
    expect(answer.json().error).include({ code: -32603, message: 'open the page first' });
  });

  it('carry no code of a server that this revision reserves or has removed', async () => {
    const codes = {
      '-32020': -32603,
      '-32022': -32603,
      '-32099': -32603,
      '-32042': -32603,
      '-32002': -32602,
    };
    for (const [sent, told] of [...Object.entries(codes), ['-32019', -32019], ['-32100', -32100], ['7', 7]]) {
      const answer = await post(edge.url, stateless('resources/read', { uri: `code://${sent}` }));
      expect(answer.json().error, String(sent)).include({ code: told, message: 'as the server says' });
      if (told === -32603) expect(answer.text).not.include('1999-01-01');
    }
  });

  it('are served to both revisions on one address, the same meta-tools to each', async () => {
    const handle = await initialize(edge.url);
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const older = await postMcp(edge.url, list, { 'mcp-session-id': handle });
    const newer = await post(edge.url, stateless('tools/list'));
    expect(newer.json().result?.['tools']).deep.equal(older.json().result?.['tools']);
    expect(older.json().result).not.property('resultType');
  });
});
