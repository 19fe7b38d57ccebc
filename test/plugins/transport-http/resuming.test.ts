import { expect } from 'chai';
import { callBody, initialize, MCP_HEADERS, metaTool, startEdge, testTools } from '../../support/edge.ts';
import type { Edge, TestTools } from '../../support/edge.ts';
import { textResult } from '../../../kernel/index.ts';
import type { Call, JsonObject } from '../../../kernel/index.ts';
import { openStream, send } from '../../support/rawHttp.ts';
import type { OpenStream } from '../../support/rawHttp.ts';
import { until, within } from '../../support/until.ts';

const FAST = { slowAnswerMs: 10, retryMs: 250 };

describe('transport-http: resuming a stream', () => {
  let edge: Edge;
  let tests: TestTools;
  let steps: { readonly call: Call; readonly finish: () => void }[];

  async function open(config: JsonObject = {}): Promise<string> {
    tests = testTools();
    steps = [];
    const step = metaTool('step', (_, call) => {
      return new Promise((resolve) => steps.push({ call, finish: () => resolve(textResult('stepped')) }));
    });
    edge = await startEdge({
      tools: [...tests.tools, step],
      plugins: { 'transport-http': { config: { ...FAST, ...config } } },
    });
    return initialize(edge.url);
  }
  const post = (handle: string, body: object): Promise<OpenStream> =>
    openStream(`${edge.url}/mcp`, {
      method: 'POST',
      headers: { ...MCP_HEADERS, 'mcp-session-id': handle },
      body: JSON.stringify(body),
    });
  const resume = (handle: string, lastId: string): Promise<OpenStream> =>
    openStream(`${edge.url}/mcp`, { headers: { 'mcp-session-id': handle, 'last-event-id': lastId } });
  const idsOf = (stream: OpenStream): readonly string[] =>
    [...stream.text().matchAll(/^id: (.*)$/gm)].map(([, id = '']) => id);
  const stepCall = { ...callBody('step'), params: { name: 'step', _meta: { progressToken: 't' } } };

  it('delivers the answer of a call that continued while its client was away, once', async () => {
    const handle = await open();
    const first = await post(handle, callBody('slow', {}, { id: 7 }));
    await until(() => idsOf(first)[0], { what: 'an event id' });
    expect(first.text()).match(/^id: \S+\ndata: \n\n/);
    first.close();
    const [waiting] = await tests.started(1);
    waiting!.finish('kept');
    const again = await resume(handle, idsOf(first)[0]!);
    await within(again.ended, { what: 'the stream ends with the answer' });
    expect(again.messages()).length(1);
    expect(again.messages()[0]).deep.include({ id: 7 });
    expect(JSON.stringify(again.messages()[0])).include('kept');
  });

  it('continues behind the last event that arrived', async () => {
    const handle = await open();
    const first = await post(handle, stepCall);
    const [step] = await until(() => (steps.length > 0 ? steps : undefined), { what: 'the call' });
    step!.call.progress?.({ progress: 1 });
    step!.call.progress?.({ progress: 2 });
    await first.heard(2);
    first.close();
    step!.call.progress?.({ progress: 3 });
    const again = await resume(handle, idsOf(first).at(-2)!);
    await again.heard(2);
    step!.finish();
    await within(again.ended, { what: 'the stream ends with the answer' });
    const heard = again.messages().map(({ params }) => params?.['progress']);
    expect(heard).deep.equal([2, 3, undefined]);
    expect(new Set([...idsOf(first), ...idsOf(again)]).size).equal(5);
  });

  it('works for the standing stream too', async () => {
    const handle = await open({});
    const stream = await openStream(`${edge.url}/mcp`, { headers: { 'mcp-session-id': handle } });
    const [id] = await until(() => (idsOf(stream).length > 0 ? idsOf(stream) : undefined), { what: 'an id' });
    const call = await post(handle, stepCall);
    const [step] = await until(() => (steps.length > 0 ? steps : undefined), { what: 'the call' });
    step!.finish();
    await within(call.ended, { what: 'the call is over' });
    stream.close();
    await within(stream.ended, { what: 'the connection is gone' });
    // After its call is over a client is notified on the standing stream.
    step!.call.client?.tell('notifications/test', '{"n":1}');
    const again = await resume(handle, id!);
    expect((await again.heard(1))[0]).include({ method: 'notifications/test' });
    step!.call.client?.tell('notifications/test', '{"n":2}');
    expect(await again.heard(2)).length(2);
  });

  it('begins a new standing stream when events of the last one are gone, and announces that all lists may have changed', async () => {
    const handle = await open({});
    const headers = { 'mcp-session-id': handle };
    const stream = await openStream(`${edge.url}/mcp`, { headers });
    const [id] = await until(() => (idsOf(stream).length > 0 ? idsOf(stream) : undefined), { what: 'an id' });
    expect(stream.text()).contain('\nretry: 250\ndata: \n\n');
    // As after a restart, which loses all streams and no session.
    const again = await resume(handle, id!.replace(/^(.).*_/, '$10123456789abcdef_'));
    const methods = (await again.heard(3)).map(({ method }) => method);
    expect(methods).deep.equal(
      ['tools', 'resources', 'prompts'].map((list) => `notifications/${list}/list_changed`),
    );
    await within(stream.ended, { what: 'the one before has ended' });
    expect(idsOf(again)[0]).not.equal(id);
  });

  it("sends at the reader's pace, so that more than maxBufferedBytes can be resent", async () => {
    const handle = await open({ maxBufferedBytes: 100_000 });
    const first = await post(handle, stepCall);
    await until(() => idsOf(first)[0], { what: 'an event id' });
    first.close();
    await within(first.ended, { what: 'the connection is gone' });
    const [step] = steps;
    const message = 'x'.repeat(10_000);
    for (let progress = 1; progress <= 300; progress += 1) step!.call.progress?.({ progress, message });
    const again = await resume(handle, idsOf(first)[0]!);
    await again.heard(10);
    step!.call.progress?.({ progress: 301 });
    step!.finish();
    await within(again.ended, { what: 'the stream ends with the answer' });
    const heard = again.messages().map(({ params }) => params?.['progress']);
    expect(heard.slice(0, -1)).deep.equal(Array.from({ length: 301 }, (_, at) => at + 1));
  });

  it('ends for a reader that is too slow for what is kept', async () => {
    const handle = await open({ maxStreamReplayBytes: 16_000_000 });
    const first = await post(handle, stepCall);
    await until(() => idsOf(first)[0], { what: 'an event id' });
    first.close();
    const [step] = steps;
    const message = 'x'.repeat(1_000_000);
    const say = (from: number, to: number): void => {
      for (let progress = from; progress <= to; progress += 1) step!.call.progress?.({ progress, message });
    };
    say(1, 15);
    const again = await resume(handle, idsOf(first)[0]!);
    // In one turn: nothing is read in between.
    say(16, 31);
    step!.finish();
    await within(again.ended, { what: 'the stream ends' });
    expect(again.messages().length).below(31);
  });

  it('is limited to the session itself, and to events that are still kept', async () => {
    const handle = await open({ maxStreamReplayBytes: 100 });
    const stranger = await initialize(edge.url);
    const stream = await post(handle, stepCall);
    const [id] = await until(() => (idsOf(stream).length > 0 ? idsOf(stream) : undefined), { what: 'an id' });
    const statusOf = async (session: string, lastId: string): Promise<number> => {
      const headers = { accept: 'text/event-stream', 'mcp-session-id': session, 'last-event-id': lastId };
      return (await send(`${edge.url}/mcp`, { headers })).status;
    };
    expect(await statusOf(stranger, id!)).equal(400);
    expect(await statusOf(handle, id!.replace(/0$/, '5'))).equal(400);
    const [step] = steps;
    step!.call.progress?.({ progress: 1, message: 'x'.repeat(200) });
    step!.finish();
    await within(stream.ended, { what: 'the stream ends' });
    expect(await statusOf(handle, id!)).equal(400);
    await send(`${edge.url}/mcp`, { method: 'DELETE', headers: { 'mcp-session-id': handle } });
    expect(await statusOf(handle, id!)).equal(404);
  });

  it('sends clients of older revisions no event without data', async () => {
    await open();
    const handle = await initialize(edge.url, '2025-06-18');
    const stream = await post(handle, stepCall);
    const [step] = await until(() => (steps.length > 0 ? steps : undefined), { what: 'the call' });
    step!.call.progress?.({ progress: 1 });
    await stream.heard(1);
    expect(stream.text()).match(/^: keep-alive\n\nevent: message\nid: \S+_1\ndata: \{/);
    step!.finish();
  });

  it('answers at once as JSON when the answer is quick', async () => {
    const handle = await open({ slowAnswerMs: 1_000 });
    const headers = { ...MCP_HEADERS, 'mcp-session-id': handle };
    const body = JSON.stringify(callBody('echo'));
    const answer = await send(`${edge.url}/mcp`, { method: 'POST', headers, body });
    expect(answer.headers['content-type']).equal('application/json');
  });
});
