import { expect } from 'chai';
import { Cancellation, textResult } from '../../../../kernel/index.ts';
import type { ClientAnswer, JsonObject, Progress, Question } from '../../../../kernel/index.ts';
import { ClientQuestions } from '../../../../plugins/front/client/clientQuestions.ts';
import { metaTool, startEdge } from '../../../support/edge.ts';
import { TalkingClient } from '../../../support/talkingClient.ts';
import type { Exchange, Heard } from '../../../support/talkingClient.ts';
import { until } from '../../../support/until.ts';

const PARAMS = '{"message":"m", "n":9007199254740993, "b":1, "a":2}';

describe('front: questions to the client', () => {
  const answers: ClientAnswer[] = [];
  let capabilities: JsonObject | undefined;
  let texts: string[] = [];
  let progress: Question['progress'];
  const tools = [
    metaTool('ask', async (_, { client, cancel }) => {
      capabilities = client?.capabilities;
      const answer = await client?.ask({ method: 'elicitation/create', params: PARAMS, progress }, cancel);
      if (answer !== undefined) answers.push(answer);
      return textResult('asked');
    }),
  ];
  async function open(
    declared: object,
    config: JsonObject = {},
    wanted?: Question['progress'],
  ): Promise<TalkingClient> {
    progress = wanted;
    answers.length = 0;
    texts = [];
    const edge = await startEdge({ tools, plugins: { front: { config } } });
    return TalkingClient.connect(edge.url, declared);
  }
  const ask = (client: TalkingClient): Exchange => client.request('tools/call', { name: 'ask' });
  const questionIn = (call: Exchange): Promise<Heard> =>
    until(() => call.heard.find(({ id, method }) => id !== undefined && method !== undefined), {
      what: 'the question',
    });

  it('pass texts unchanged in both directions', async () => {
    const client = await open({ elicitation: {} });
    client.onText = (text) => texts.push(text);
    client.onAsked = () => '"result" : {"z":1.0, "n":12345678901234567890,"a":[1e2]}';
    await ask(client).answer();
    expect(texts.join('\n')).include(`"params":${PARAMS}`);
    expect(answers).deep.equal([{ kind: 'result', json: '{"z":1.0, "n":12345678901234567890,"a":[1e2]}' }]);
  });

  it('carry the capabilities the client declared, part by part', async () => {
    const declared = { elicitation: { form: {}, other: {} }, sampling: { tools: {} }, tasks: {} };
    const client = await open(declared);
    client.onAsked = () => '"error":{"code":7,"message":"no"}';
    await ask(client).answer();
    expect(capabilities).deep.equal({ elicitation: { form: {} }, sampling: { tools: {} } });
    expect(answers).deep.equal([{ kind: 'error', json: '{"code":7,"message":"no"}' }]);
  });

  it('end with the session', async () => {
    const client = await open({ elicitation: {} });
    const call = ask(client);
    await questionIn(call);
    await fetch(client.url, { method: 'DELETE', headers: client.headers });
    await until(() => call.heard.length > 1 || answers.length === 0, { what: 'the end' });
    expect(answers).deep.equal([]);
  });

  it('receive progress of their own client: increasing, and while they are open', async () => {
    const told: Progress[] = [];
    const client = await open({ elicitation: {} }, {}, { token: 7, tell: (update) => told.push(update) });
    const call = ask(client);
    const { id } = await questionIn(call);
    const say = (params: object): Promise<void> => client.notify('notifications/progress', { ...params });
    await say({ progressToken: 7, progress: 1, total: 9, message: 'half', other: true });
    await say({ progressToken: 7, progress: 1 });
    await say({ progressToken: '7', progress: 2 });
    await say({ progressToken: 7, progress: 3 });
    await (await client.post({ jsonrpc: '2.0', id, result: {} })).arrayBuffer();
    await call.answer();
    await say({ progressToken: 7, progress: 4 });
    expect(told).deep.equal([{ progress: 1, total: 9, message: 'half' }, { progress: 3 }]);
  });

  it('receive no progress under a token that two of them share', async () => {
    const told: Progress[] = [];
    const client = await open({ elicitation: {} }, {}, { token: 7, tell: (update) => told.push(update) });
    const calls = [ask(client), ask(client)];
    for (const call of calls) await questionIn(call);
    await client.notify('notifications/progress', { progressToken: 7, progress: 1 });
    for (const { id } of calls) await client.notify('notifications/cancelled', { requestId: id });
    expect(told).deep.equal([]);
  });

  it('are refused beyond maxQuestions', async () => {
    const client = await open({ elicitation: {} }, { maxQuestions: 1 });
    const first = ask(client);
    await questionIn(first);
    const { result } = await ask(client).answer();
    expect(result).include({ isError: true });
    expect(JSON.stringify(result)).include('1 questions wait');
    await client.notify('notifications/cancelled', { requestId: first.id });
  });

  it('are refused at once when the client cannot be reached', async () => {
    const questions = new ClientQuestions(() => 1);
    const ask = (send: () => boolean): Promise<unknown> =>
      questions
        .ask('s', { method: 'roots/list', params: '{}' }, { cancel: new Cancellation(), send })
        .catch((error: unknown) => (error as Error).message);
    const expected = 'the question was withdrawn: its client has no connection left';
    expect(await ask(() => false)).equal(expected);
    expect(await ask(() => false)).equal(expected);
  });
});
