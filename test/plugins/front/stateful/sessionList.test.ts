import { expect } from 'chai';
import { ANYONE } from '../../../../kernel/contracts/request.ts';
import { Front } from '../../../../plugins/contracts/mcp.ts';
import { SessionList } from '../../../../plugins/contracts/sessions.ts';
import { callBody, callTool, initialize, startEdge } from '../../../support/edge.ts';
import type { Edge } from '../../../support/edge.ts';
import { openStream } from '../../../support/rawHttp.ts';
import { TalkingClient } from '../../../support/talkingClient.ts';
import { defer } from '../../../support/cleanup.ts';
import { until } from '../../../support/until.ts';

describe('The list of sessions', () => {
  const listOf = ({ gateway }: Edge): SessionList =>
    gateway.kernel.registry.get(SessionList.id) as SessionList;

  it('has each session with its client, revision, time and request, the one used last first, and no handle', async () => {
    const edge = await startEdge();
    const talking = await TalkingClient.connect(edge.url, { elicitation: {} });
    defer(() => talking.leave());
    const handle = await initialize(edge.url);
    await talking.request('tools/list').answer();
    const all = listOf(edge).all();
    expect(all.map(({ client }) => client?.name)).deep.equal(['talking', all[1]?.client?.name]);
    const [first] = all;
    expect(first?.session)
      .include({ revision: '2025-11-25', subject: undefined })
      .and.not.have.property('handle');
    expect(first?.session.capabilities).have.property('elicitation');
    expect(first?.request).include({ transport: 'http', sessionId: first?.session.id });
    expect(first?.lastSeenAt).closeTo(Date.now(), 10_000);
    expect(JSON.stringify(all)).not.include(handle);
  });

  it('lists a session again that a restart has continued, without the name of its client', async () => {
    const edge = await startEdge();
    const handle = await initialize(edge.url);
    await edge.gateway.kernel.move(
      edge.gateway.kernel.running.map((one) =>
        one.plugin.name === 'front' ? { ...one, plugin: { ...one.plugin } } : one,
      ),
    );
    expect(listOf(edge).all()).deep.equal([]);
    expect((await callTool(edge.url, handle, callBody('echo'))).status).equal(200);
    expect(listOf(edge).all()).length(1);
    expect(listOf(edge).all()[0]?.client).equal(undefined);
  });

  it('ends a session with its calls and its stream: its handle opens no more, and it is listed no more', async () => {
    const edge = await startEdge();
    const [handle, other] = [await initialize(edge.url), await initialize(edge.url)];
    const list = listOf(edge);
    const stream = await openStream(`${edge.url}/mcp`, { headers: { 'mcp-session-id': handle } });
    const id = list.all().find(({ hasStream }) => hasStream)?.session.id ?? '';
    expect(await list.end(id)).equal(true);
    await stream.ended;
    expect((await callTool(edge.url, handle, callBody('echo'))).status).equal(404);
    expect((await callTool(edge.url, other, callBody('echo'))).status).equal(200);
    expect(list.all()).length(1);
    expect(await list.end(id)).equal(false);
  });

  it('ends a session over SSE with its connection, and drops one whose client has left', async () => {
    const edge = await startEdge();
    const list = listOf(edge);
    const open = async () => {
      const stream = await openStream(`${edge.url}/sse`);
      const path = await until(() => /data: (message\S+)/.exec(stream.text())?.[1]);
      const post = (message: object) =>
        fetch(new URL(path, `${edge.url}/sse`), {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ jsonrpc: '2.0', ...message }),
        });
      const clientInfo = { name: 'old', version: '1' };
      const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo };
      await post({ id: 1, method: 'initialize', params });
      return { stream, post };
    };
    const [ended, left] = [await open(), await open()];
    const [newest, first] = await until(() => (list.all().length === 2 ? list.all() : undefined));
    expect(first).include({ canEnd: true, hasStream: true });
    expect(await list.end(first?.session.id ?? '')).equal(true);
    await ended.stream.ended;
    expect((await ended.post({ id: 2, method: 'ping' })).status).equal(404);
    expect(list.all().map(({ session }) => session.id)).deep.equal([newest?.session.id]);
    expect((await left.post({ id: 2, method: 'ping' })).status).equal(202);
    left.stream.close();
    await until(() => list.all().length === 0);
  });

  it('does not end a session whose connection its transport cannot end, as over stdio', async () => {
    const edge = await startEdge();
    const handle = await initialize(edge.url);
    const list = listOf(edge);
    const [{ request } = { request: ANYONE }] = list.all();
    const front = edge.gateway.kernel.registry.get(Front.id) as Front;
    const session = front.resume(handle, request);
    const detach = front.attach(session!, { request, write: () => undefined });
    const { id } = session!;
    expect(list.get(id)).include({ canEnd: false, hasStream: true });
    const refused = await list.end(id).catch((error: unknown) => error);
    expect(refused).include({ code: 'REQUEST_FORBIDDEN' });
    expect((await callTool(edge.url, handle, callBody('echo'))).status).equal(200);
    detach();
    expect(await list.end(id)).equal(true);
  });

  it('keeps the sessions that were used last', async () => {
    const edge = await startEdge({ plugins: { front: { config: { maxListedSessions: 2 } } } });
    for (let count = 0; count < 3; count += 1) await initialize(edge.url);
    expect(listOf(edge).all()).length(2);
  });
});
