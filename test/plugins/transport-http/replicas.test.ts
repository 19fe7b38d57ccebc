import { expect } from 'chai';
import { newKeyRing } from '../../../plugins/kit/secrets/keyRing.ts';
import { callBody, initialize, MCP_HEADERS, metaTool, startEdge, testTools } from '../../support/edge.ts';
import type { Edge, TestTools } from '../../support/edge.ts';
import { textResult } from '../../../kernel/index.ts';
import type { Call, JsonObject } from '../../../kernel/index.ts';
import { Channel } from '../../../plugins/contracts/processes.ts';
import { FakeBus } from '../../support/fakeBus.ts';
import { peerOn } from '../../support/peers.ts';
import { openStream, send } from '../../support/rawHttp.ts';
import type { OpenStream } from '../../support/rawHttp.ts';
import { until, within } from '../../support/until.ts';

describe('transport-http: a stream that another process holds', () => {
  let bus: FakeBus;
  let tests: TestTools;
  let steps: { readonly call: Call; readonly finish: () => void }[];
  let a: Edge;
  let b: Edge;
  let handle: string;
  beforeEach(async () => {
    bus = new FakeBus();
    tests = testTools();
    steps = [];
    const step = metaTool('step', (_, call) => {
      return new Promise((resolve) => steps.push({ call, finish: () => resolve(textResult('stepped')) }));
    });
    const keys = newKeyRing();
    const config = { slowAnswerMs: 10, retryMs: 250, maxBufferedBytes: 65_536 };
    const plugins = { 'transport-http': { config } };
    const start = (own: string): Promise<Edge> =>
      startEdge({ tools: [...tests.tools, step], plugins, plugin: peerOn(bus, own, keys) });
    [a, b] = [await start('a'), await start('b')];
    handle = await initialize(a.url);
  });
  const call = (name: string, more: object = {}): Promise<OpenStream> =>
    openStream(`${a.url}/mcp`, {
      method: 'POST',
      headers: { ...MCP_HEADERS, 'mcp-session-id': handle },
      body: JSON.stringify(callBody(name, {}, { id: 7, ...more })),
    });
  const resume = (lastId: string, at = b): Promise<OpenStream> =>
    openStream(`${at.url}/mcp`, { headers: { 'mcp-session-id': handle, 'last-event-id': lastId } });
  const refusalOf = (lastId: string, session = handle) =>
    send(`${b.url}/mcp`, {
      headers: { accept: 'text/event-stream', 'mcp-session-id': session, 'last-event-id': lastId },
    });
  const idsOf = (stream: OpenStream): readonly string[] =>
    [...stream.text().matchAll(/^id: (.*)$/gm)].map(([, id = '']) => id);
  const firstIdOf = (stream: OpenStream): Promise<string> =>
    until(() => idsOf(stream)[0], { what: 'an event id' });

  it('delivers the answer of a call whose connection was cut, with what came before it, once', async () => {
    const first = await call('step', { _meta: { progressToken: 't' } });
    const id = await firstIdOf(first);
    expect(id).match(/^a[\w-]{16}\.a_0$/);
    first.close();
    await within(first.ended, { what: 'the connection is gone' });
    const [step] = steps;
    step?.call.progress?.({ progress: 1 });
    const again = await resume(id);
    await again.heard(1);
    step?.call.progress?.({ progress: 2 });
    await again.heard(2);
    step?.finish();
    await within(again.ended, { what: 'the stream ends with the answer' });
    expect(again.messages().map(({ params }) => params?.['progress'])).deep.equal([1, 2, undefined]);
    expect(JSON.stringify(again.messages()[2])).include('stepped');
    // In the middle, after the end.
    const rest = await resume(idsOf(again)[1] ?? '');
    await within(rest.ended, { what: 'the stream ends' });
    expect(rest.messages()).deep.equal(again.messages().slice(2));
  });

  it('is read by the last connection of the client only, wherever it is', async () => {
    const first = await call('slow');
    const id = await firstIdOf(first);
    const second = await resume(id);
    await within(first.ended, { what: 'the first connection ends' });
    const third = await resume(id);
    await within(second.ended, { what: 'the second connection ends' });
    const fourth = await resume(id, a);
    await within(third.ended, { what: 'the third connection ends' });
    (await tests.started(1))[0]?.finish('kept');
    await within(fourth.ended, { what: 'the stream ends' });
    expect(JSON.stringify(fourth.messages())).include('kept');
    expect([...second.messages(), ...third.messages()]).deep.equal([]);
  });

  it("sends large events at the reader's pace", async () => {
    const first = await call('step', { _meta: { progressToken: 't' } });
    const id = await firstIdOf(first);
    first.close();
    const [step] = steps;
    const message = 'x'.repeat(100_000);
    for (let progress = 1; progress <= 50; progress += 1) step?.call.progress?.({ progress, message });
    step?.finish();
    const again = await resume(id);
    await within(again.ended, { what: 'the stream ends with the answer' });
    expect(again.messages()).length(51);
  });

  it('is sent between processes in parts that are measured in bytes, not in characters', async () => {
    const counts: number[] = [];
    const [channel] = bus.scopeOf('c').all(Channel) as readonly Channel[];
    channel?.subscribe('resumed-stream', {
      message: (message) => {
        const passed = (message['answer'] as JsonObject | undefined)?.['passed'] as JsonObject | undefined;
        if (passed) counts.push((passed['events'] as unknown[]).length);
      },
    });
    const first = await call('step', { _meta: { progressToken: 't' } });
    const id = await firstIdOf(first);
    first.close();
    const message = 'é'.repeat(15_000);
    for (let progress = 1; progress <= 10; progress += 1) steps[0]?.call.progress?.({ progress, message });
    steps[0]?.finish();
    const again = await resume(id);
    await within(again.ended, { what: 'the stream ends with the answer' });
    expect(counts.slice(0, 2)).deep.equal([8, 3]);
  });

  it('is refused with an event that is too large for a message between processes', async () => {
    const first = await call('step', { _meta: { progressToken: 't' } });
    const id = await firstIdOf(first);
    first.close();
    steps[0]?.call.progress?.({ progress: 1, message: 'é'.repeat(2_100_000) });
    const refused = await refusalOf(id);
    expect([refused.status, refused.text.includes('more than the 4194304 bytes')]).deep.equal([404, true]);
    expect(await (await resume(id, a)).heard(1)).length(1);
  });

  it('is not taken back by a connection that another has replaced', async () => {
    const questions: JsonObject[] = [];
    const [channel] = bus.scopeOf('c').all(Channel) as readonly Channel[];
    channel?.subscribe('resumed-stream', { message: (message) => void questions.push(message) });
    const first = await call('step', { _meta: { progressToken: 't' } });
    const id = await firstIdOf(first);
    await resume(id);
    steps[0]?.call.progress?.({ progress: 1 });
    const later = await until(() => questions.filter(({ kind }) => kind === 'question')[1], {
      what: 'the second question',
    });
    const last = await resume(id, a);
    await last.heard(1);
    channel?.publish('resumed-stream', later);
    steps[0]?.finish();
    await within(last.ended, { what: 'the stream ends' });
    expect(last.messages()).length(2);
  });

  it('is the standing stream, too', async () => {
    const headers = { 'mcp-session-id': handle };
    const stream = await openStream(`${a.url}/mcp`, { headers });
    const id = await firstIdOf(stream);
    const called = await call('step');
    await until(() => steps[0], { what: 'the call' });
    steps[0]?.finish();
    await within(called.ended, { what: 'the call is over' });
    stream.close();
    await within(stream.ended, { what: 'the connection is gone' });
    steps[0]?.call.client?.tell('notifications/test', '{"n":1}');
    const again = await resume(id);
    expect((await again.heard(1))[0]).include({ method: 'notifications/test' });
    steps[0]?.call.client?.tell('notifications/test', '{"n":2}');
    expect(await again.heard(2)).length(2);
    await send(`${a.url}/mcp`, { method: 'DELETE', headers });
    await within(again.ended, { what: 'the stream ends with its session' });
  });

  it('is refused to other sessions, and says what has become of it', async () => {
    const first = await call('slow');
    const id = await firstIdOf(first);
    const stranger = await initialize(b.url);
    expect((await refusalOf(id, stranger)).status).equal(400);
    expect((await refusalOf(id.replace(/0$/, '5'))).status).equal(400);
    bus.isDeaf = true;
    const silent = await refusalOf(id);
    expect([silent.status, silent.headers['retry-after']]).deep.equal([503, '2']);
    bus.ended.add('a');
    const gone = await refusalOf(id);
    expect(gone.status).equal(404);
    expect(gone.text).include('the call may have run').and.include('-32001');
    // A standing stream begins anew.
    const standing = await resume(id.replace(/^a/, 's'));
    const methods = (await standing.heard(3)).map(({ method }) => method);
    expect(methods[0]).equal('notifications/tools/list_changed');
  });

  it('does not begin anew in a session that has ended while its process was asked', async () => {
    const stream = await openStream(`${a.url}/mcp`, { headers: { 'mcp-session-id': handle } });
    const id = await firstIdOf(stream);
    bus.isDeaf = true;
    const late = refusalOf(id);
    await until(() => bus.lost > 0, { what: 'the question' });
    await send(`${b.url}/mcp`, { method: 'DELETE', headers: { 'mcp-session-id': handle } });
    expect((await late).status).equal(404);
  });
});
