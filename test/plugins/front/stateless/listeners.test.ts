import { expect } from 'chai';
import { definePlugin, textResult } from '../../../../kernel/index.ts';
import { McpResourceSource } from '../../../../plugins/contracts/mcp.ts';
import { metaTool, startEdge, toolsPlugin } from '../../../support/edge.ts';
import type { Edge } from '../../../support/edge.ts';
import { moduleOf } from '../../../support/gateway.ts';
import { post, stateless, stream } from '../../../support/stateless.ts';
import { until } from '../../../support/until.ts';

const ID = 'io.modelcontextprotocol/subscriptionId';
const watched = new Map<string, Set<() => void>>();
/** Pending watches. */
const hanging: (() => void)[] = [];
const changed = (uri: string): void => watched.get(uri)?.forEach((updated) => updated());
const shelf = definePlugin({
  name: 'test-shelf',
  api: 1,
  configSchema: { type: 'object' },
  provides: [McpResourceSource],
  apply: (scope) =>
    scope.provide(McpResourceSource, {
      resources: () => [],
      templates: () => [],
      read: () => undefined,
      subscribe: (uri, _, updated) => {
        if (uri.startsWith('hangs://'))
          return new Promise((resolve) => hanging.push(() => resolve(() => undefined)));
        if (!uri.startsWith('shelf://')) return undefined;
        const all = watched.get(uri) ?? new Set();
        watched.set(uri, all.add(updated));
        return Promise.resolve(() => void all.delete(updated));
      },
    }),
});

describe('front, revision 2026-07-28: subscriptions/listen', () => {
  let edge: Edge;
  before(async () => {
    edge = await startEdge({
      plugin: shelf,
      plugins: { front: { config: { listChangedMs: 10, maxSubscriptions: 2 } } },
    });
  });
  const listen = (notifications: unknown, id: number | string = 'l') =>
    stateless('subscriptions/listen', { notifications }, { id });

  it('acknowledges first what it will send: of resources those that can be watched, up to the limit', async () => {
    const open = await stream(
      edge.url,
      listen({
        toolsListChanged: true,
        promptsListChanged: false,
        other: true,
        resourceSubscriptions: ['shelf://a', 'no://where', 5, 'shelf://b'],
      }),
    );
    const [first] = await open.heard(1);
    expect(first).deep.equal({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: {
        _meta: { [ID]: 'l' },
        notifications: { toolsListChanged: true, resourceSubscriptions: ['shelf://a'] },
      },
    });
  });

  it('opens the stream at once, and subscribes at all servers concurrently', async () => {
    hanging.length = 0;
    const uris = ['hangs://a', 'hangs://a', 'hangs://b', 'shelf://a'];
    const open = await stream(edge.url, listen({ resourceSubscriptions: uris }));
    await until(() => hanging.length === 2, { what: 'both are asked' });
    expect(open.messages()).deep.equal([]);
    for (const answer of hanging) answer();
    const [first] = await open.heard(1);
    const { notifications } = first?.params as { notifications: object };
    expect(notifications).deep.equal({ resourceSubscriptions: ['hangs://a', 'hangs://b'] });
  });

  it('watches nothing for a client that leaves before the acknowledgement', async () => {
    hanging.length = 0;
    const uris = ['shelf://left', 'hangs://left'];
    const open = await stream(edge.url, listen({ resourceSubscriptions: uris }));
    await until(() => watched.get('shelf://left')?.size === 1, { what: 'one is watched' });
    open.close();
    await until(() => watched.get('shelf://left')?.size === 0, { what: 'the end of the watch' });
    for (const answer of hanging) answer();
  });

  it('ends once, also when Pegboard stops before the acknowledgement', async () => {
    const own = await startEdge({ plugin: shelf });
    const open = await stream(own.url, listen({ resourceSubscriptions: ['hangs://x'] }, 'early'));
    await own.configure({ plugins: { front: false } });
    await own.gateway.stop();
    await open.ended;
    expect(open.messages().map(({ id, result }) => [id, result?.['resultType']])).deep.equal([
      ['early', 'complete'],
    ]);
  });

  it('ends when the revision is switched off', async () => {
    const own = await startEdge();
    const open = await stream(own.url, listen({ toolsListChanged: true }, 'off'));
    await open.heard(1);
    await own.configure({ plugins: { front: { config: { stateless: false } } } });
    await open.ended;
    expect(open.messages().at(-1)).include({ id: 'off' });
  });

  it('reports changes of a watched resource, under the id of its request, until the client leaves', async () => {
    const open = await stream(edge.url, listen({ resourceSubscriptions: ['shelf://c'] }, 7));
    await open.heard(1);
    changed('shelf://c');
    const [, updated] = await open.heard(2);
    expect(updated).deep.include({
      method: 'notifications/resources/updated',
      params: { _meta: { [ID]: 7 }, uri: 'shelf://c' },
    });
    open.close();
    await until(() => watched.get('shelf://c')?.size === 0, { what: 'the end of the watch' });
  });

  it('reports changes of the requested lists and of no others', async () => {
    const own = await startEdge({ plugins: { front: { config: { listChangedMs: 10 } } } });
    const tools = await stream(own.url, listen({ toolsListChanged: true }));
    const prompts = await stream(own.url, listen({ promptsListChanged: true }));
    await Promise.all([tools.heard(1), prompts.heard(1)]);
    const more = toolsPlugin('more-tools', [metaTool('more', () => textResult(''))]);
    own.gateway.directory.write('more-tools.mjs', moduleOf(more));
    await own.configure({ plugins: { 'more-tools': { module: './more-tools.mjs' } } });
    const [, list] = await tools.heard(2);
    expect(list).deep.include({ method: 'notifications/tools/list_changed' });
    expect(prompts.messages()).have.length(1);
  });

  it('ends with a result when Pegboard stops, and does not delay it', async () => {
    const own = await startEdge();
    const open = await stream(own.url, listen({ toolsListChanged: true }, 'bye'));
    await open.heard(1);
    await own.gateway.stop();
    await open.ended;
    const last = open.messages().at(-1);
    expect(last).include({ id: 'bye' });
    expect(last?.result).deep.include({ resultType: 'complete' });
    expect(last?.result?.['_meta']).property(ID, 'bye');
  });

  it('holds a thousand streams, each of which receives only what it asked for', async () => {
    const own = await startEdge({
      plugin: shelf,
      plugins: { front: { config: { listChangedMs: 10 } }, http: { config: { maxConnections: 2_000 } } },
    });
    const uri = 'shelf://many';
    const filters = [{ resourceSubscriptions: [uri] }, { toolsListChanged: true }];
    const open = await Promise.all(
      Array.from({ length: 1_000 }, (_, at) => stream(own.url, listen(filters[at % 2], at))),
    );
    await Promise.all(open.map(({ heard }) => heard(1)));
    changed(uri);
    const told = await Promise.all(open.filter((_, at) => at % 2 === 0).map(({ heard }) => heard(2)));
    expect(told.map(([, updated]) => updated?.params)).deep.equal(
      told.map((_, at) => ({ _meta: { [ID]: 2 * at }, uri })),
    );
    await own.gateway.stop();
    await Promise.all(open.map(({ ended }) => ended));
    const counts = open.map(({ messages }) => messages().length);
    expect(new Set(counts.filter((_, at) => at % 2 === 1))).deep.equal(new Set([2]));
    expect(open.every(({ messages }, at) => messages().at(-1)?.id === at)).equal(true);
  });

  it('is refused without a filter', async () => {
    const answer = await post(edge.url, stateless('subscriptions/listen', {}));
    expect(answer.status).equal(400);
    expect(answer.json().error).include({ code: -32602 });
  });
});
