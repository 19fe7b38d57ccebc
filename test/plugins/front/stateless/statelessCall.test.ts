import { expect } from 'chai';
import { Cancellation, GatewayError, messageOf, textResult } from '../../../../kernel/index.ts';
import type { Client, JsonObject, Question, Tool } from '../../../../kernel/index.ts';
import { heapUsed } from '../../../support/heap.ts';
import { identify } from '../../../support/identify.ts';
import { metaTool, startEdge, testTools } from '../../../support/edge.ts';
import type { Edge, TestTools } from '../../../support/edge.ts';
import { send } from '../../../support/rawHttp.ts';
import type { RawAnswer } from '../../../support/rawHttp.ts';
import { post, statelessCall, stream } from '../../../support/stateless.ts';
import { until } from '../../../support/until.ts';

type Json = Readonly<Record<string, unknown>>;
type Headers = Readonly<Record<string, string | undefined>>;
const TAKES = { capabilities: { elicitation: {}, roots: {} } };

/** Asks its questions at once, or one after the other with `inTurn`, and answers with the replies. */
const asks = metaTool('asks', async ({ questions, inTurn }, { client, cancel }) => {
  const heard: unknown[] = [];
  const ask = async (one: unknown): Promise<void> => void heard.push(await answerOf(one, client, cancel));
  const all = (questions as readonly unknown[]).map((one) => (inTurn === true ? one : ask(one)));
  for (const one of all) await (inTurn === true ? ask(one) : one);
  return { json: JSON.stringify({ content: [], heard }), value: () => ({ content: [] }) };
});
async function answerOf(
  one: unknown,
  client: Client | undefined,
  cancel: Parameters<Client['ask']>[1],
): Promise<unknown> {
  const { method, params } = one as { method: Question['method']; params: JsonObject };
  if (client?.capabilities['elicitation'] === undefined)
    throw new GatewayError('TOOL_ARGUMENTS', 'the client cannot be asked');
  return JSON.parse((await client.ask({ method, params: JSON.stringify(params) }, cancel)).json);
}
const form = (message: string): Json => ({ method: 'elicitation/create', params: { message } });

/** `asks`, and the reasons of its cancellations. */
function waiting(): { readonly waits: Tool; readonly reasons: readonly string[] } {
  const reasons: string[] = [];
  const waits = metaTool('asks', (args, call) => {
    call.cancel.onCancel((reason) => reasons.push(reason));
    return asks.invoke(args, call);
  });
  return { waits, reasons };
}

/** The questions of an unfinished call and its requestState. */
function askedIn(answer: RawAnswer): { readonly requests: Record<string, Json>; readonly state: string } {
  const { result } = answer.json();
  expect(result, answer.text).include({ resultType: 'input_required' });
  return {
    requests: result?.['inputRequests'] as Record<string, Json>,
    state: String(result?.['requestState']),
  };
}

describe('front, revision 2026-07-28: a call', () => {
  let edge: Edge;
  let tools: TestTools;
  before(async () => {
    tools = testTools();
    edge = await startEdge({
      tools: [...tools.tools, asks],
      plugin: identify,
      plugins: {
        front: { config: { parkedCallMs: 60_000 } },
        'transport-http': { config: { slowAnswerMs: 50, keepAliveMs: 100 } },
      },
    });
  });
  const ask = (args: Json, more: object = {}): ReturnType<typeof statelessCall> =>
    statelessCall('asks', args, { ...TAKES, ...more });

  it('is cancelled when its client closes the stream, and nothing more is sent', async () => {
    const call = statelessCall('slow', {}, { meta: { progressToken: 7 } });
    const open = await stream(edge.url, call);
    const [waiting] = await tools.started(1);
    waiting?.call.progress?.({ progress: 1 });
    await open.heard(1);
    open.close();
    await until(() => waiting?.call.cancel.reason, { what: 'the call is cancelled' });
    expect(waiting?.call.cancel.reason).include('left');
    waiting?.call.progress?.({ progress: 2 });
    expect(open.messages()).have.length(1);
  });

  it('is cancelled when its client closes the connection before anything was sent', async () => {
    const quick = await startEdge({ tools: tools.tools });
    const leaving = new AbortController();
    const { body, headers } = statelessCall('slow');
    const sent = fetch(`${quick.url}/mcp`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      signal: leaving.signal,
    });
    sent.catch(() => undefined);
    const [waiting] = await tools.started(1);
    leaving.abort();
    await until(() => waiting?.call.cancel.reason, { what: 'the call is cancelled' });
  });

  it('that takes long is answered on a stream, which proxies keep open', async () => {
    const open = await stream(edge.url, statelessCall('slow'));
    expect(open.headers).include({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
    await until(() => open.text().includes(': keep-alive'), { what: 'a comment' });
    tools.waiting[0]?.finish('at last');
    const [answer] = await open.heard(1);
    expect(answer?.result).deep.include({ content: [{ type: 'text', text: 'at last' }] });
    expect(open.text()).not.include('id:');
    await open.ended;
  });

  it('reports progress under its own token, before the answer', async () => {
    const call = statelessCall('progress', {}, { meta: { progressToken: 'p' } });
    const events = (await post(edge.url, call)).events();
    expect(events.slice(0, -1).map(({ params }) => params)).deep.equal(
      [1, 2, 3].map((progress) => ({ progressToken: 'p', progress, total: 3 })),
    );
    expect(events.at(-1)).property('id', 1);
  });

  it('ends with its questions, and continues with their answers unchanged', async () => {
    const args = { questions: [form('a'), form('b')] };
    const { requests, state } = askedIn(await post(edge.url, ask(args)));
    expect(Object.values(requests)).deep.equal([form('a'), form('b')]);
    const [first = '', second = ''] = Object.keys(requests);
    const inputResponses = {
      [second]: { action: 'decline' },
      [first]: { action: 'accept', content: { n: 1 } },
      x: {},
    };
    const back = { back: { requestState: state, inputResponses }, id: 2 };
    const answer = (await post(edge.url, ask(args, back))).json();
    expect(answer).include({ id: 2 });
    expect(answer.result).deep.include({
      resultType: 'complete',
      heard: [{ action: 'accept', content: { n: 1 } }, { action: 'decline' }],
    });
  });

  it('asks again for answers its client left out, in as many rounds as there are questions', async () => {
    const args = { questions: [form('a'), form('b')], inTurn: true };
    let { requests, state } = askedIn(await post(edge.url, ask(args)));
    const seen: unknown[] = [];
    for (let round = 0; round < 4; round += 1) {
      seen.push(Object.values(requests).map(({ params }) => (params as Json)['message']));
      const [key = ''] = Object.keys(requests);
      const inputResponses = round % 2 === 0 ? { [key]: 'no object' } : { [key]: { action: 'accept' } };
      const answer = await post(edge.url, ask(args, { back: { requestState: state, inputResponses } }));
      if (answer.json().result?.['resultType'] === 'complete') break;
      ({ requests, state } = askedIn(answer));
    }
    expect(seen).deep.equal([['a'], ['a'], ['b'], ['b']]);
  });

  it('keeps waiting for a client that returns something other than answers', async () => {
    const args = { questions: [form('a')] };
    const { requests, state } = askedIn(await post(edge.url, ask(args)));
    for (const inputResponses of [null, 5, true, 'x', '{}', [], [requests]]) {
      const answer = await post(
        edge.url,
        ask(args, { back: { requestState: state, inputResponses }, id: 'r' }),
      );
      expect(answer.status, answer.text).equal(400);
      expect(answer.json()).include({ id: 'r' });
      expect(answer.json().error).include({ code: -32602 });
      expect(answer.json().error?.message).include('inputResponses');
    }
    const inputResponses = { [Object.keys(requests)[0] ?? '']: { action: 'accept' } };
    const answer = await post(edge.url, ask(args, { back: { requestState: state, inputResponses } }));
    expect(answer.json().result).deep.include({ heard: [{ action: 'accept' }] });
  });

  it('does not ask a client that declared nothing', async () => {
    const answer = await post(edge.url, statelessCall('asks', { questions: [form('a')] }));
    expect(answer.json().result).include({ isError: true, resultType: 'complete' });
  });

  it('is not resumed by a changed, foreign, used or expired state, and its server receives nothing', async () => {
    const args = { questions: [form('a')], z: { b: 1, a: 2 } };
    const mine = { 'x-caller': 'us ann' };
    const { requests, state } = askedIn(await post(edge.url, ask(args), mine));
    const inputResponses = Object.fromEntries(
      Object.keys(requests).map((key) => [key, { action: 'accept' }]),
    );
    const come = (requestState: unknown, given: Json = args, headers: Headers = mine): Promise<RawAnswer> =>
      post(edge.url, ask(given, { back: { requestState, inputResponses } }), headers);
    const flipped = (at: number): string =>
      `${state.slice(0, at)}${state[at] === 'A' ? 'B' : 'A'}${state.slice(at + 1)}`;
    const flips = Array.from({ length: state.length }, (_, at) => flipped(at));
    const refused = [
      ...flips.map((other) => come(other)),
      ...['', 'x'.repeat(100_000), 5, null, {}, [state]].map((other) => come(other)),
      come(state, args, { 'x-caller': 'us bob' }),
      come(state, args, { 'x-caller': undefined }),
      come(state, { ...args, questions: [form('b')] }),
      post(edge.url, statelessCall('echo', args, { back: { requestState: state } }), mine),
    ];
    for (const answer of await Promise.all(refused)) {
      expect(answer.status, answer.text).equal(400);
      expect(answer.json().error).include({ code: -32602 });
      expect(answer.json().error?.message).include('repeat the call');
    }
    // Arguments are compared independent of the order of keys.
    const given = { z: { a: 2, b: 1 }, questions: args.questions };
    expect((await come(state, given)).json().result).deep.include({ heard: [{ action: 'accept' }] });
    expect((await come(state)).json().error).include({ code: -32602 });
  });

  it('is cancelled when its client does not return in time, and cannot be resumed then', async () => {
    const { waits, reasons } = waiting();
    const short = await startEdge({ tools: [waits], plugins: { front: { config: { parkedCallMs: 10 } } } });
    const args = { questions: [form('a')] };
    const { state } = askedIn(await post(short.url, ask(args)));
    await until(() => reasons.length === 1, { what: 'the call is cancelled' });
    expect(reasons).deep.equal(['its client did not return']);
    const answer = await post(short.url, ask(args, { back: { requestState: state } }));
    expect(answer.json().error).include({ code: -32602 });
  });

  it('waits for no client that it could not recognise: arguments at the limit of depth', async () => {
    const { waits, reasons } = waiting();
    const own = await startEdge({ tools: [waits], plugins: { front: { config: { maxDepth: 3000 } } } });
    const { body, headers } = ask({ questions: [form('a')], deep: 'DEEP' });
    const text = JSON.stringify(body).replace('"DEEP"', `${'['.repeat(2_990)}${']'.repeat(2_990)}`);
    const answer = (await send(`${own.url}/mcp`, { method: 'POST', headers, body: text })).json();
    expect(answer).include({ id: 1 });
    // The engine determines the depth at which serialisation fails.
    if (answer.error === undefined) expect(answer.result).include({ resultType: 'input_required' });
    else expect(reasons).deep.equal(['its request failed']);
  });

  it('that waits for its client ends when Pegboard stops', async () => {
    const { waits, reasons } = waiting();
    const stopping = await startEdge({ tools: [waits] });
    askedIn(await post(stopping.url, ask({ questions: [form('a')] })));
    await stopping.gateway.stop();
    expect(reasons).deep.equal(['Pegboard stops']);
  });

  it('is not asked when as many calls wait for their clients as allowed', async () => {
    const full = await startEdge({ tools: [asks], plugins: { front: { config: { maxParkedCalls: 1 } } } });
    const args = { questions: [form('a')] };
    askedIn(await post(full.url, ask(args)));
    const answer = await post(full.url, ask(args));
    expect(answer.json().result).include({ isError: true });
  });

  it('is not asked when the last places were taken after it began', async () => {
    const begun: (() => void)[] = [];
    const together = metaTool('asks', async (args, call) => {
      await new Promise<void>((resolve) => begun.push(resolve));
      return asks.invoke(args, call);
    });
    const full = await startEdge({
      tools: [together],
      plugins: { front: { config: { maxParkedCalls: 2 } } },
    });
    const all = Array.from({ length: 8 }, () => post(full.url, ask({ questions: [form('a'), form('b')] })));
    await until(() => begun.length === all.length, { what: 'all calls' });
    for (const go of begun) go();
    const results = (await Promise.all(all)).map((answer) => answer.json().result);
    expect(results.filter((result) => result?.['resultType'] === 'input_required')).have.length(2);
    const refused = results.filter((result) => result?.['isError'] === true);
    expect(refused).have.length(6);
    expect(JSON.stringify(refused[0])).include('maxParkedCalls');
  });

  it('withdraws its questions once it is over, or its client has left', async () => {
    const heard: string[] = [];
    const forgetful = metaTool('asks', (_, { client, cancel }) => {
      const own = new Cancellation();
      const asking = (): void =>
        void client?.ask({ method: 'roots/list', params: '{}' }, own).catch((error: unknown) => {
          heard.push(messageOf(error));
        });
      asking();
      cancel.onCancel(asking);
      return new Promise(() => undefined);
    });
    const short = await startEdge({
      tools: [forgetful],
      plugins: { front: { config: { parkedCallMs: 10 } } },
    });
    askedIn(await post(short.url, ask({})));
    await until(() => heard.length === 2, { what: 'both questions are withdrawn' });
    expect(new Set(heard)).deep.equal(new Set(['the question was withdrawn: its client did not return']));
  });

  it("sends logs to the request that waits for it, from that request's level", async () => {
    const logs = metaTool('asks', async (args, call) => {
      const result = await asks.invoke(args, call);
      call.client?.log('info', '{"level":"info","data":"x"}');
      return result;
    });
    const own = await startEdge({ tools: [logs] });
    const level = { 'io.modelcontextprotocol/logLevel': 'info' };
    for (const [first, second] of [
      [level, {}],
      [{}, level],
    ]) {
      const args = { questions: [form('a')] };
      const { requests, state } = askedIn(await post(own.url, ask(args, { meta: first })));
      const inputResponses = { [Object.keys(requests)[0] ?? '']: { action: 'accept' } };
      const back = { back: { requestState: state, inputResponses }, meta: second };
      const { headers } = await post(own.url, ask(args, back));
      expect(headers['content-type']).equal(second === level ? 'text/event-stream' : 'application/json');
    }
  });

  it('sends nothing that this revision does not define: the end of a question in a browser, events', async () => {
    const told: (boolean | undefined)[] = [];
    const talks = metaTool('talks', (_, { client }) => {
      told.push(client?.tell('notifications/elicitation/complete', '{"elicitationId":"e"}'));
      return textResult('');
    });
    const own = await startEdge({ tools: [talks] });
    const { headers } = await post(own.url, statelessCall('talks'));
    expect(headers['content-type']).equal('application/json');
    expect(told).deep.equal([false]);
  });

  it('keeps neither request nor answer alive through references to its client', async () => {
    const clients: (Client | undefined)[] = [];
    const known = metaTool('known', ({ text }, { client }) => {
      clients.push(client);
      return textResult(String(text));
    });
    const own = await startEdge({ tools: [known] });
    const text = 'x'.repeat(1_000_000);
    await post(own.url, statelessCall('known', { text }));
    const before = heapUsed();
    for (let call = 0; call < 20; call += 1) await post(own.url, statelessCall('known', { text }));
    expect(heapUsed() - before).below(10_000_000);
    expect(clients).have.length(21);
  });

  it('has one client with the other calls of its caller, and without sign-in of its address and name', async () => {
    const ids: (string | undefined)[] = [];
    const who = metaTool('who', (_, { client }) => {
      ids.push(client?.id);
      return textResult('');
    });
    const own = await startEdge({ tools: [who], plugin: identify });
    const idOf = async (headers: Headers, name = 'agent'): Promise<string | undefined> => {
      const meta = { 'io.modelcontextprotocol/clientInfo': { name, version: '1' } };
      await post(own.url, statelessCall('who', {}, { meta }), headers);
      return ids.pop();
    };
    const others = [
      await idOf({ 'x-caller': 'us ann' }),
      await idOf({ 'x-caller': 'us bob' }),
      await idOf({}),
      await idOf({}, 'other'),
      await idOf({ 'x-forwarded-for': '192.0.2.7' }),
      await idOf({ forwarded: 'for=192.0.2.8' }),
    ];
    expect(new Set(others)).have.length(others.length).and.not.include(undefined);
    expect(await idOf({ 'x-caller': 'us ann' }, 'other')).equal(others[0]);
    expect(await idOf({})).equal(others[2]);
    expect(await idOf({ 'x-forwarded-for': '192.0.2.7' })).equal(others[4]);
  });

  it('that ends while its client reads a question still takes the answer, which another call may wait for', async () => {
    const asking: Promise<unknown>[] = [];
    const ends = metaTool('ends', (_, { client }) => {
      asking.push(answerOf(form('a'), client, new Cancellation()));
      return new Promise((resolve) => (end = () => resolve(textResult('done'))));
    });
    let end = (): void => undefined;
    const own = await startEdge({ tools: [ends] });
    const call = (back: object = {}) => post(own.url, statelessCall('ends', {}, { ...TAKES, ...back }));
    const { requests, state } = askedIn(await call());
    end();
    const inputResponses = { [Object.keys(requests)[0] ?? '']: { action: 'accept' } };
    const back = await call({ back: { requestState: state, inputResponses } });
    expect(back.text).include('done');
    expect(await asking[0]).deep.equal({ action: 'accept' });
  });

  it('that ends while its client reads a question takes it back if the client returns without an answer', async () => {
    const reasons: Promise<unknown>[] = [];
    const ends = metaTool('ends', (_, { client }) => {
      reasons.push(answerOf(form('a'), client, new Cancellation()).catch(messageOf));
      return new Promise((resolve) => (end = () => resolve(textResult('done'))));
    });
    let end = (): void => undefined;
    const own = await startEdge({ tools: [ends] });
    const call = (back: object = {}) => post(own.url, statelessCall('ends', {}, { ...TAKES, ...back }));
    const { state } = askedIn(await call());
    end();
    expect((await call({ back: { requestState: state, inputResponses: {} } })).text).include('done');
    expect(await reasons[0]).include('the call is over');
  });
});
