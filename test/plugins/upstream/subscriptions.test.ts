import { expect } from 'chai';
import { ANYONE, messageOf } from '../../../kernel/index.ts';
import type { JsonObject } from '../../../kernel/index.ts';
import { McpResourceSource } from '../../../plugins/contracts/mcp.ts';
import { EraFixture, NEWER, answer } from './eraFixture.ts';
import { Rig, until } from './support.ts';

const LISTS = { toolsListChanged: true, resourcesListChanged: true };
const UPDATED = 'notifications/resources/updated';

describe('upstream: subscriptions to a server of 2026-07-28', () => {
  let rig: Rig;
  let server: EraFixture;
  beforeEach(async () => {
    rig = new Rig();
    const capabilities = { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true } };
    server = await EraFixture.start({ capabilities });
  });
  afterEach(() => rig.stop());

  const connect = async (config: JsonObject = {}): Promise<void> => {
    const quick = { listDebounceMs: 0, resumeMs: 1, minResumeMs: 1, deadlineTickMs: 10 };
    await rig.configure({ ...quick, ...config });
    await rig.define({ s: { type: 'streamable-http', url: server.url, timeout: 1 } });
    await rig.reaches('s', 'connected');
  };
  const listening = (filter: JsonObject): Promise<void> =>
    until(`the only stream to be one of ${JSON.stringify(filter)}`, () => {
      const [stream, ...others] = server.streams;
      return others.length === 0 && JSON.stringify(stream?.filter) === JSON.stringify(filter);
    });
  const watch = (name: string, updated: () => void = () => undefined): Promise<() => void> => {
    const [source] = rig.kernel.registry.all(McpResourceSource.id) as readonly McpResourceSource[];
    return source!.subscribe!(`test://${name}`, ANYONE, updated)!;
  };

  it('are one request for all lists, begun before they are read', async () => {
    await connect();
    await listening(LISTS);
    const posts = server.received.filter(({ verb }) => verb === 'POST').map(({ method }) => method);
    expect(posts.slice(0, 2)).deep.equal(['server/discover', 'subscriptions/listen']);
    server.tools = [{ name: 'fresh', inputSchema: { type: 'object' } }];
    server.notify('notifications/tools/list_changed');
    await rig.hasTool('x_s_fresh');
    expect(server.count('subscriptions/listen')).equal(1);
  });

  it('are absent with a server that notifies of nothing', async () => {
    server.capabilities = { tools: {}, resources: {} };
    await connect();
    expect(server.count('subscriptions/listen')).equal(0);
    const refused = await watch('a').catch(messageOf);
    expect(refused).include('does not offer subscriptions');
  });

  it('wait for a server that is starting, and are refused with the reason while it is away', async () => {
    await connect({ backoffFirstMs: 60_000 });
    let release = (): void => undefined;
    server.instead = (received, res) => {
      if (received.method !== 'server/discover') return false;
      release = () =>
        answer(received, res, { supportedVersions: [NEWER], capabilities: server.capabilities });
      return true;
    };
    const restarted = rig.service('s').restart?.();
    await until('the greeting', () => server.count('server/discover') === 2);
    const watching = watch('a');
    release();
    await watching;
    await restarted;
    await listening({ ...LISTS, resourceSubscriptions: ['test://a'] });
    server.instead = (_, res) => {
      res.writeHead(503).end();
      return true;
    };
    await rig.service('s').restart?.();
    const refused = await watch('b').catch(messageOf);
    expect(refused).match(/^server s is away: it answered HTTP 503; the next attempt is at /);
  });

  it('bring updates of a watched resource to who watches it, until it is no longer watched', async () => {
    await connect();
    const told: string[] = [];
    const stop = await watch('a', () => told.push('a'));
    await watch('b', () => told.push('b'));
    await listening({ ...LISTS, resourceSubscriptions: ['test://a', 'test://b'] });
    server.notify(UPDATED, { uri: 'test://a' });
    server.notify(UPDATED, { uri: 'test://b' });
    await until('both updates', () => told.length === 2);
    stop();
    await listening({ ...LISTS, resourceSubscriptions: ['test://b'] });
    server.notify(UPDATED, { uri: 'test://a' });
    server.notify(UPDATED, { uri: 'test://b' });
    await until('the update', () => told.length === 3);
    expect(told).deep.equal(['a', 'b', 'b']);
  });

  it('are replaced without a gap, and a watch is not lost to one that begins before it is acknowledged', async () => {
    await connect();
    await listening(LISTS);
    server.honors = undefined;
    const first = watch('a');
    await until('the request', () => server.streams.length === 2);
    const second = watch('b');
    server.acknowledge();
    await first;
    await until('the next', () => server.count('subscriptions/listen') === 3);
    await until('the end of the replaced one', () => server.streams.length === 2);
    const filters = [['test://a'], ['test://a', 'test://b']].map((uris) => ({
      ...LISTS,
      resourceSubscriptions: uris,
    }));
    expect(server.streams.map(({ filter }) => filter)).deep.equal(filters);
    server.acknowledge();
    await second;
    await listening({ ...LISTS, resourceSubscriptions: ['test://a', 'test://b'] });
  });

  it('refuse a watch that the server does not acknowledge', async () => {
    await connect();
    server.honors = () => LISTS;
    const refused = await watch('a').catch(messageOf);
    expect(refused).include('resource test://a cannot be subscribed to');
  });

  for (const [what, end] of [
    ['the server ends them', (one) => one.res.end()],
    ['a proxy breaks them', (one) => one.res.destroy()],
  ] as readonly (readonly [string, (one: EraFixture['streams'][number]) => void])[])
    it(`begin again when ${what}; what was missed is read again`, async () => {
      await connect();
      let told = 0;
      await watch('a', () => (told += 1));
      await listening({ ...LISTS, resourceSubscriptions: ['test://a'] });
      server.tools = [{ name: 'fresh', inputSchema: { type: 'object' } }];
      server.streams.forEach(end);
      await rig.hasTool('x_s_fresh');
      await listening({ ...LISTS, resourceSubscriptions: ['test://a'] });
      expect([told, rig.told('server.disconnected').length]).deep.equal([1, 0]);
    });

  it('that the server does not acknowledge are tried again later, until it does', async () => {
    server.honors = undefined;
    await connect();
    await until('the second attempt', () => server.count('subscriptions/listen') === 2);
    expect(server.streams).length(1);
    server.honors = (filter) => filter;
    server.acknowledge();
    server.tools = [{ name: 'fresh', inputSchema: { type: 'object' } }];
    await rig.hasTool('x_s_fresh');
    await listening(LISTS);
    expect(server.count('subscriptions/listen')).equal(2);
  });

  it('end with the connection, by closing only their own', async () => {
    await connect();
    await listening(LISTS);
    await rig.stop();
    await until('the end', () => server.streams.length === 0);
    // Before, one GET shows whether the server keeps sessions.
    expect(server.received.filter(({ verb }) => verb !== 'POST')).length(1);
    expect(server.methods.filter((method) => method.startsWith('notifications/'))).deep.equal([]);
  });
});
