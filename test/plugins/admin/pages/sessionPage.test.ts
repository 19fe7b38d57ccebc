import { expect } from 'chai';
import { SessionList } from '../../../../plugins/contracts/sessions.ts';
import type { KernelEvent } from '../../../../kernel/contracts/events.ts';
import { definePlugin } from '../../../../kernel/contracts/plugin.ts';
import { listenerUrl } from '../../../support/edge.ts';
import { moduleOf } from '../../../support/gateway.ts';
import { defer } from '../../../support/cleanup.ts';
import { RELAY } from '../../../support/relayGateway.ts';
import { post, statelessCall } from '../../../support/stateless.ts';
import { TalkingClient } from '../../../support/talkingClient.ts';
import type { Exchange } from '../../../support/talkingClient.ts';
import { until } from '../../../support/until.ts';
import { openAdmin } from '../adminGateway.ts';
import type { AdminSite } from '../adminGateway.ts';

interface Listed {
  readonly id: string;
  readonly client?: { readonly name: string };
  readonly servers: readonly string[];
  readonly createdAt: string;
}
interface SessionPage {
  readonly session: Listed & { readonly revision: string };
  readonly toolset: readonly string[];
  readonly calls: readonly { readonly id: number; readonly tool: string; readonly ageMs: number }[];
  readonly questions: readonly { readonly method: string }[];
  readonly connections: readonly {
    readonly name: string;
    readonly state: string;
    readonly connection: string;
    readonly tools: number;
  }[];
}
const own = JSON.stringify({
  type: 'stdio',
  command: [process.execPath, ...RELAY, 'stdio'],
  autoStart: true,
  instances: 'perSession',
});
const shared = JSON.stringify({
  type: 'stdio',
  command: [process.execPath, ...RELAY, 'stdio'],
  autoStart: true,
});

describe('the pages of sessions', () => {
  const events: KernelEvent[] = [];
  const recorder = definePlugin({
    name: 'recorder',
    api: 1,
    configSchema: { type: 'object' },
    apply: (scope) => scope.tap('onEvent', (event) => void events.push(event)),
  });
  let site: AdminSite;
  let client: TalkingClient;
  let id: string;
  const sessions = async (): Promise<readonly Listed[]> =>
    (await site.facts<{ items: readonly Listed[] }>('/sessions')).items;
  const facts = (): Promise<SessionPage> => site.facts<SessionPage>(`/sessions/${id}`);
  const call = (name: string, args: object = {}): Exchange =>
    client.request('tools/call', { name: 'call_tool', arguments: { name, arguments: args } });
  const connect = (headers = {}): Promise<TalkingClient> => {
    const url = listenerUrl(site.gateway);
    return TalkingClient.connect(url, { elicitation: {} }, headers);
  };
  const underWay = (tool: string) =>
    until(async () => (await facts()).calls.find((one) => one.tool === tool), { what: `call of ${tool}` });

  beforeEach(async () => {
    events.length = 0;
    site = await openAdmin({
      files: {
        'config.yaml': JSON.stringify({ plugins: { recorder: { module: './recorder.mjs' } } }),
        'recorder.mjs': moduleOf(recorder),
        'mcpservers/own.yaml': own,
        'mcpservers/shared.yaml': shared,
      },
    });
    const ready = async (): Promise<boolean> => {
      const { servers } = await site.facts<{ servers: readonly { state: string }[] }>('/mcps');
      return servers.every(({ state }) => state === 'running');
    };
    await until(ready, { what: 'both servers run' });
    client = await connect({ 'x-service-toolset': 'server:shared,server:own' });
    defer(() => client.leave());
    [{ id = '' } = {}] = (await sessions()) as readonly Partial<Listed>[];
  });

  it('list sessions with identity, age and connected servers, on / too, and never with what opens them', async () => {
    const [first] = await sessions();
    expect(first?.client?.name).equal('talking');
    expect(first?.servers).include('shared');
    expect(Date.parse(first?.createdAt ?? '')).closeTo(Date.now(), 60_000);
    for (const path of ['/', '/sessions', `/sessions/${id}`]) {
      const { text, status } = await site.get(path);
      expect(status).equal(200);
      expect(text).include(`/sessions/${id}`).and.include('talking').and.include('without sign-in');
      expect(text).not.include(client.headers['mcp-session-id']);
    }
    expect((await site.get(`/sessions/${client.headers['mcp-session-id'] ?? ''}`)).status).equal(404);
  });

  it('show one session: client, revision, toolset, its servers and whose connection it has there', async () => {
    await call('x_own_wait', { releaseMs: 1 }).answer();
    const { session, toolset, connections } = await facts();
    expect(session.revision).equal('2025-11-25');
    expect(toolset).include('server:shared');
    expect(connections).deep.equal([
      { name: 'own', state: 'running', connection: 'own', tools: 12 },
      { name: 'shared', state: 'running', connection: 'shared', tools: 12 },
    ]);
    const { text } = await site.get(`/sessions/${id}`);
    expect(text).include('2025-11-25').and.include('its own').and.include('server:shared');
  });

  it('show calls under way with their age, and cancel one', async () => {
    const waiting = call('x_shared_wait');
    const { id: number, ageMs } = await underWay('x_shared_wait');
    expect(ageMs).within(0, 60_000);
    expect((await facts()).calls).length(1);
    expect((await site.get(`/sessions/${id}`)).text).include(`/calls/${number}/cancel`);
    const cancelled = await site.post(`/calls/${number}/cancel`, { next: `/sessions/${id}` });
    expect(cancelled).include({ status: 303 });
    expect(cancelled.headers.location).include(`/sessions/${id}?done=`);
    const { result } = await waiting.answer();
    expect(JSON.stringify(result)).include('the operator cancelled it');
    await until(async () => (await facts()).calls.length === 0);
    expect((await site.post(`/calls/${number}/cancel`)).status).equal(404);
    expect((await site.post(`/calls/${number}/cancel`, { next: '//evil.example' })).status).equal(400);
  });

  it('show what servers ask its client', async () => {
    client.onAsked = () => undefined;
    const params = { message: 'ok?', requestedSchema: { type: 'object', properties: {} } };
    const asking = call('x_shared_ask', { method: 'elicitation/create', params });
    const open = await until(async () => (await facts()).questions[0]);
    expect(open.method).equal('elicitation/create');
    expect((await site.get(`/sessions/${id}`)).text).include('elicitation/create');
    const { id: number } = await underWay('x_shared_ask');
    await site.post(`/calls/${number}/cancel`);
    await asking.answer();
    expect((await facts()).questions).deep.equal([]);
  });

  it('end a session: its handle opens no more, and events have it', async () => {
    const other = await connect();
    defer(() => other.leave());
    const ended = await site.post(`/sessions/${id}/delete`);
    expect(ended).include({ status: 303 });
    expect(ended.headers.location).include('/sessions?done=');
    expect((await client.post({ jsonrpc: '2.0', id: 9, method: 'ping' })).status).equal(404);
    expect((await other.post({ jsonrpc: '2.0', id: 9, method: 'ping' })).status).equal(200);
    expect(events.filter(({ type }) => type === 'session.ended')).deep.equal([
      { type: 'session.ended', sessionId: id },
    ]);
    const settled = events.flatMap((event) => (event.type === 'call.settled' ? event.call : []));
    expect(settled.find(({ tool }) => tool.name === 'admin_session_end')?.request.transport).equal('admin');
    expect((await site.post(`/sessions/${id}/delete`)).status).equal(404);
    expect((await site.get(`/sessions/${id}`)).status).equal(404);
  });

  it('reconnect a server for one session: its own connection only, or the one that all share', async () => {
    const other = await connect();
    defer(() => other.leave());
    const pid = async (asker: TalkingClient): Promise<unknown> => asker.told('x_own_seen');
    await pid(client);
    await pid(other);
    const otherId = (await sessions()).find((one) => one.id !== id)?.id ?? '';
    const stateOf = async (session: string): Promise<string | undefined> =>
      (await site.facts<SessionPage>(`/sessions/${session}`)).connections.find(({ name }) => name === 'own')
        ?.state;
    expect(await stateOf(id)).equal('running');
    const done = await site.post(`/sessions/${id}/servers/own/reconnect`, {}, { accept: 'application/json' });
    expect(done.text).include('own connection to server own was ended');
    expect(await stateOf(id)).equal('none');
    expect(await stateOf(otherId)).equal('running');
    await pid(client);
    expect(await stateOf(id)).equal('running');

    const before = events.length;
    const all = await site.post(`/sessions/${id}/servers/shared/reconnect`);
    expect(all).include({ status: 303 });
    expect(all.headers.location).include(`/sessions/${id}?done=`);
    const states = events
      .slice(before)
      .flatMap((one) => (one.type === 'server.stateChanged' ? one.server : []));
    expect(new Set(states)).deep.equal(new Set(['shared']));
    expect((await site.post(`/sessions/${id}/servers/none/reconnect`)).status).equal(404);
    expect((await site.post('/sessions/none/servers/own/reconnect')).status).equal(404);
  });

  it('list the calls of clients without sessions, which revision 2026-07-28 has, with a button that cancels each', async () => {
    interface Sessions {
      readonly total: number;
      readonly callsWithoutSession: readonly {
        readonly id: number;
        readonly tool: string;
        readonly session?: string;
      }[];
    }
    const read = (): Promise<Sessions> => site.facts<Sessions>('/sessions');
    expect(await read()).deep.include({ total: 1, callsWithoutSession: [] });
    const ofSession = call('x_shared_wait');
    await underWay('x_shared_wait');
    const body = statelessCall('call_tool', { name: 'x_shared_wait', arguments: {} });
    const answered = post(listenerUrl(site.gateway), body);
    const [one] = await until(async () => {
      const { callsWithoutSession: found } = await read();
      return found.length > 0 ? found : undefined;
    });
    expect(one).include({ tool: 'x_shared_wait' }).and.not.have.property('session');
    const path = `/calls/${one?.id ?? 0}/cancel`;
    expect((await site.get('/sessions')).text)
      .include('Callers without a session')
      .and.include(path);
    expect((await site.post(path, { next: '/sessions' })).headers.location).include('/sessions?done=');
    expect((await answered).text).include('operator');
    expect(await read()).deep.include({ total: 1, callsWithoutSession: [] });
    await site.post(`/calls/${(await facts()).calls[0]?.id ?? 0}/cancel`);
    await ofSession.answer();
  });

  it('explain why a session can or cannot call a tool, as its client is told, with what helps', async () => {
    const told = async (tool: string) => {
      const query = new URLSearchParams({ session: id, tool });
      return site.facts<{ explained: { callable: boolean; remedy?: string } }>(
        `/explain?${query.toString()}`,
      );
    };
    expect((await told('x_shared_wait')).explained.callable).equal(true);
    const { explained } = await told('core_service_list');
    expect(explained.callable).equal(false);
    const result = client.request('tools/call', {
      name: 'explain_tool',
      arguments: { name: 'core_service_list' },
    });
    expect(JSON.stringify((await result.answer()).result)).include(
      JSON.stringify(explained.remedy).slice(1, -1),
    );
    const { text } = await site.get(`/explain?session=${id}&tool=core_service_list`);
    expect(text).include('TOOL_OUTSIDE_TOOLSET').and.include('What helps');
    expect((await site.get('/explain?session=&tool=core_service_list')).text).include('allowed');
    expect((await site.get('/explain?session=none&tool=x')).status).equal(404);
  });

  it('count a session as used when the list does', async () => {
    const list = site.gateway.kernel.registry.get(SessionList.id) as SessionList;
    expect(list.all().map(({ session }) => session.id)).deep.equal((await sessions()).map((one) => one.id));
  });
});
