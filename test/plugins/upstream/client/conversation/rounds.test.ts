import { expect } from 'chai';
import { Cancellation } from '../../../../../kernel/index.ts';
import type { ClientAnswer, JsonObject } from '../../../../../kernel/index.ts';
import { AskedClient } from '../../askedClient.ts';
import { Rig, revisions, until } from '../../support.ts';

const FORM = {
  method: 'elicitation/create',
  params: { message: 'who?', requestedSchema: { type: 'object', properties: {} } },
};
const ALL = ['elicitation', 'sampling', 'roots'];
const ROOTS = { method: 'roots/list' };

describe('upstream: rounds of a call', () => {
  let rig: Rig;
  let client: AskedClient;
  beforeEach(() => {
    rig = new Rig();
    client = new AskedClient({ elicitation: { form: {}, url: {} }, roots: {}, sampling: {} });
  });
  afterEach(() => rig.stop());

  const connect = async (
    mode: string,
    config: JsonObject = {},
    more: JsonObject = { questions: ALL },
  ): Promise<void> => {
    await rig.configure(config);
    await rig.define({ s: revisions(mode, more) });
    await rig.hasTool('x_s_echo');
  };
  /** How often the tool was called. */
  const calls = async (): Promise<number> => {
    const seen = JSON.parse(await rig.text('x_s_seen')) as { params?: { name?: string } }[];
    return seen.filter(({ params }) => params?.name === 'echo').length;
  };
  const ask = (inputRequests: JsonObject, state?: string): JsonObject => ({ ask: inputRequests, state });

  it('bring the answers of the client, and the state, to the server', async () => {
    await connect('asks');
    client.answer = ({ method }) => ({ kind: 'result', json: `{"to":"${method}"}` });
    const args = ask({ a: FORM, 'b"\\u0041': ROOTS }, 's\n"1"');
    expect(JSON.parse(await rig.text('x_s_echo', args, { client }))).deep.equal({
      inputResponses: { a: { to: FORM.method }, 'b"\\u0041': { to: ROOTS.method } },
      requestState: 's\n"1"',
    });
    expect(client.asked).deep.equal([
      { method: FORM.method, params: JSON.stringify(FORM.params) },
      { method: ROOTS.method, params: '{}' },
    ]);
    expect(await calls()).equal(2);
  });

  it('without a question repeat the call with the state', async () => {
    await connect('asks');
    const given = await rig.text('x_s_echo', { state: 'patience' }, { client });
    expect([JSON.parse(given), client.asked]).deep.equal([{ requestState: 'patience' }, []]);
  });

  it('are ten at most', async () => {
    await connect('endlessRounds');
    const { code, message } = await rig.refusal('x_s_echo', {}, { client });
    expect([code, message]).deep.equal([
      'UPSTREAM_PROTOCOL',
      'tool echo of server s still requires input after 10 rounds',
    ]);
    expect([await calls(), client.asked.length]).deep.equal([11, 10]);
  });

  it('do not exist in a session of 2025-11-25', async () => {
    await connect('inputRequiredInOld');
    const { code, message } = await rig.refusal('x_s_echo', {}, { client });
    expect([code, message, client.asked]).deep.equal([
      'UPSTREAM_PROTOCOL',
      'tool echo of server s was answered with a result of type "input_required", which is not supported',
      [],
    ]);
  });

  for (const bad of [
    ...['array', 'text', 'unknownMethod', 'noMethod', 'notAnObject', 'oneOfTwo', 'empty', 'nothing'],
    'stateNotText',
  ])
    it(`do not begin if inputRequests are malformed: ${bad}`, async () => {
      await connect('badInputRequests');
      const { code, message } = await rig.refusal('x_s_echo', { bad }, { client });
      expect(code, message).equal('UPSTREAM_PROTOCOL');
      expect(message).match(/^tool echo of server s requires input/);
      expect([client.asked, await calls()]).deep.equal([[], 1]);
    });

  for (const [what, question, capabilities] of [
    ['a form', FORM, { elicitation: { url: {} } }],
    [
      'a url',
      { ...FORM, params: { mode: 'url', url: 'https://a.test/', message: 'm' } },
      { elicitation: {} },
    ],
    ['tools', { method: 'sampling/createMessage', params: { messages: [], tools: [] } }, { sampling: {} }],
    ['anything', ROOTS, {}],
  ] as const)
    it(`do not begin if the client does not support ${what}`, async () => {
      await connect('asks');
      const unable = new AskedClient(capabilities);
      const { code } = await rig.refusal('x_s_echo', ask({ a: question, b: FORM }), { client: unable });
      expect([code, unable.asked, await calls()]).deep.equal(['UPSTREAM_PROTOCOL', [], 1]);
    });

  it('do not begin if the definition allows no such question, or the questions are too large', async () => {
    await connect('asks', { maxQuestionBytes: 1_024 }, { questions: ['elicitation'] });
    const { message } = await rig.refusal('x_s_echo', ask({ a: FORM, b: ROOTS }), { client });
    expect(message).include('roots is not among the questions of this server');
    const large = { ...FORM, params: { ...FORM.params, message: 'x'.repeat(2_000) } };
    const refused = await rig.refusal('x_s_echo', ask({ a: FORM, b: large }), { client });
    expect(refused.message).include('its questions are larger than 1024 bytes');
    expect([client.asked, await calls()]).deep.equal([[], 2]);
  });

  it('do not begin if more than 32 inputs are required at once, which would take long to read', async () => {
    await connect('asks');
    const many = (count: number): JsonObject =>
      ask(Object.fromEntries(Array.from({ length: count }, (_, at) => [`q${at}`, FORM])));
    const { code, message } = await rig.refusal('x_s_echo', many(20_000), { client });
    expect([code, message]).deep.equal([
      'UPSTREAM_PROTOCOL',
      'tool echo of server s requires 20000 inputs at once; at most 32 are asked for',
    ]);
    expect([client.asked, await calls()]).deep.equal([[], 1]);
    await rig.text('x_s_echo', many(32), { client });
    expect(client.asked).length(32);
  });

  it('end when a client answers with an error, which the caller receives', async () => {
    await connect('asks');
    client.answer = () => ({ kind: 'error', json: '{"code":-1,"message":"not today"}' });
    const { code, message } = await rig.refusal('x_s_echo', ask({ a: FORM }), { client });
    expect(code).equal('UPSTREAM_ERROR');
    expect(message).match(
      /^tool echo of server s failed: the client did not answer elicitation\/create: .*not today/,
    );
    expect(await calls()).equal(1);
  });

  it('end when one of two questions fails: the other is withdrawn', async () => {
    await connect('asks');
    client.answer = ({ method }): ClientAnswer | undefined =>
      method === FORM.method ? undefined : { kind: 'error', json: '{}' };
    const { code } = await rig.refusal('x_s_echo', ask({ a: FORM, b: ROOTS }), { client });
    expect([code, client.withdrawn]).deep.equal([
      'UPSTREAM_ERROR',
      ['another question of the call had no answer'],
    ]);
    expect(await calls()).equal(1);
  });

  it('end when the client does not answer within questionTimeoutMs', async () => {
    await connect('asks', { questionTimeoutMs: 20 });
    client.answer = () => undefined;
    const { code, message } = await rig.refusal('x_s_echo', ask({ a: FORM }), { client });
    expect([code, client.withdrawn]).deep.equal(['UPSTREAM_ERROR', ['there was no answer within 20 ms']]);
    expect(message).equal(
      'tool echo of server s failed: the client did not answer elicitation/create: there was no answer within 20 ms',
    );
    expect(await calls()).equal(1);
  });

  it('end when the call is cancelled: the question is withdrawn', async () => {
    await connect('asks');
    client.answer = () => undefined;
    const cancel = new Cancellation();
    const call = rig.refusal('x_s_echo', ask({ a: FORM }), { client, cancel });
    await until('the question', () => client.asked.length === 1);
    cancel.cancel('enough');
    const { code, message, details } = await call;
    expect([code, details['mayHaveRun'], client.withdrawn]).deep.equal(['TOOL_CANCELLED', true, ['enough']]);
    expect(message).match(/^tool echo of server s was cancelled: enough; it may have run/);
    expect(await calls()).equal(1);
  });

  it('end when the call is cancelled before it is repeated with the state', async () => {
    await connect('asks');
    const cancel = new Cancellation();
    const call = rig.refusal('x_s_echo', { state: 'patience' }, { client, cancel });
    await until('the first round', async () => (await calls()) === 1);
    cancel.cancel('enough');
    expect([(await call).code, await calls()]).deep.equal(['TOOL_CANCELLED', 1]);
  });

  for (const [what, next] of [
    ['stopped', {}],
    ['changed', { s: revisions('asks', { questions: ALL }, '99') }],
  ] as const)
    for (const [how, args] of [
      ['while the client is asked', ask({ a: FORM })],
      ['before it is repeated with the state', { state: 'secret' }],
    ] as const)
      it(`end when the server is ${what} ${how}: another one receives neither state nor answers`, async () => {
        await connect('asks');
        client.answer = () => undefined;
        const call = rig.refusal('x_s_echo', args, { client });
        await until('the first round', async () => (await calls()) === 1);
        await rig.define(next);
        const { code, message, details } = await call;
        expect([code, details['mayHaveRun']]).deep.equal(['UPSTREAM_CLOSED', true]);
        expect(message).match(new RegExp(`server s was ${what}; it may have run, check its effect`));
        expect(client.withdrawn).deep.equal(client.asked.map(() => `server s was ${what}`));
        if (what === 'stopped') return;
        await rig.hasTool('x_s_echo');
        await rig.reaches('s', 'running');
        expect(await calls()).equal(0);
      });

  it('continue when the server is restarted while the client is asked', async () => {
    await connect('asks');
    let answer: (given: ClientAnswer) => void = () => undefined;
    client.ask = () => new Promise((resolve) => (answer = resolve));
    const call = rig.text('x_s_echo', ask({ a: FORM }, 'kept'), { client });
    await until('the first round', async () => (await calls()) === 1);
    await rig.service('s').restart?.();
    answer({ kind: 'result', json: '{}' });
    expect(JSON.parse(await call)).deep.equal({ inputResponses: { a: {} }, requestState: 'kept' });
    expect(await calls()).equal(1);
  });

  it('keep the server from being idle while the client is asked', async () => {
    await connect('asks', {}, { idleTimeout: 1 });
    let answer: (given: ClientAnswer) => void = () => undefined;
    client.ask = () => new Promise((resolve) => (answer = resolve));
    const call = rig.text('x_s_echo', ask({ a: FORM }), { client });
    // Connected and called later, it is idle after the time in which the first would be.
    await rig.define({ s: revisions('asks', { idleTimeout: 1 }), t: revisions('older', { idleTimeout: 1 }) });
    await rig.hasTool('x_t_echo');
    await rig.text('x_t_echo');
    await rig.reaches('t', 'idle');
    expect(rig.status('s').state).equal('running');
    answer({ kind: 'result', json: '{}' });
    expect(JSON.parse(await call)).deep.equal({ inputResponses: { a: {} } });
    await rig.reaches('s', 'idle');
    expect(rig.told('server.connected').filter(({ server }) => server === 's')).length(1);
  });
});
