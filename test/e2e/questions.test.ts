import { expect } from 'chai';
import { eventually } from '../contract/index.ts';
import { useRelayGateway } from '../support/relayGateway.ts';
import { TalkingClient, toldIn } from '../support/talkingClient.ts';
import type { Heard } from '../support/talkingClient.ts';

type Json = Readonly<Record<string, unknown>>;
const ALL = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
const FORM = { message: 'who are you?', requestedSchema: { type: 'object', properties: {} } };

const elicit = (message: string): Json => ({ method: 'elicitation/create', params: { ...FORM, message } });
const questionsIn = (heard: readonly Heard[]): readonly Heard[] =>
  heard.filter(({ id, method }) => id !== undefined && method !== undefined);
const echo = ({ params }: Heard): string =>
  `"result":{"action":"accept","content":{"to":${JSON.stringify(params?.['message'])}}}`;

describe('e2e: questions of servers', () => {
  const gateway = useRelayGateway();
  const client = (capabilities: object = ALL): Promise<TalkingClient> => gateway.connect(capabilities);

  for (const name of ['web', 'child']) {
    it(`of ${name}: elicitation, sampling and roots arrive with their parameters and are answered unchanged`, async () => {
      const one = await client();
      const asked: Heard[] = [];
      one.onAsked = (question) => {
        asked.push(question);
        return `"result":{"action":"accept","content":{"n":12345678901234567890}, "_meta":{"x":1}}`;
      };
      const sample = { messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 5 };
      const tool = `x_${name}_ask`;
      expect(await one.told(tool, elicit('a'))).deep.equal({
        action: 'accept',
        content: { n: 12345678901234567000 },
        _meta: { x: 1 },
      });
      await one.told(tool, { method: 'sampling/createMessage', params: sample });
      await one.told(tool, { method: 'roots/list' });
      expect(asked.map(({ method, params }) => ({ method, params }))).deep.equal([
        { method: 'elicitation/create', params: { ...FORM, message: 'a' } },
        { method: 'sampling/createMessage', params: sample },
        { method: 'roots/list', params: {} },
      ]);
    });

    it(`of ${name}: progress of the client reaches the server`, async () => {
      const one = await client();
      let asked: Heard | undefined;
      one.onAsked = (question) => void (asked = question);
      const call = one.call(`x_${name}_ask`, { ...elicit('long'), progress: true });
      const question = await eventually(() => asked, 'the question');
      const { progressToken } = question.params?.['_meta'] as { progressToken: number };
      await one.notify('notifications/progress', { progressToken, progress: 1, message: name });
      const progress = `progress {\\"progress\\":1,\\"message\\":\\"${name}\\"}`;
      // Before the answer: the SDK drops progress that arrives in one chunk with it.
      const seen = async (): Promise<string> => JSON.stringify(await one.told(`x_${name}_seen`));
      await eventually(async () => (await seen()).includes(progress), 'the progress');
      const id = JSON.stringify(question.id);
      await (await one.post(`{"jsonrpc":"2.0","id":${id},"result":{"action":"decline"}}`)).arrayBuffer();
      expect(toldIn(await call.answer())).deep.equal({ action: 'decline' });
    });

    it(`of ${name}: an error of the client reaches the server`, async () => {
      const one = await client();
      one.onAsked = () => '"error":{"code":-1,"message":"rejected"}';
      expect(await one.told(`x_${name}_ask`, elicit('a'))).include({ code: -1 });
    });

    it(`of ${name}: a question the client has not declared support for is refused and never shown`, async () => {
      const one = await client({ elicitation: {} });
      const refused = async (args: Json): Promise<{ code: number; message: string }> => {
        const call = one.call(`x_${name}_ask`, args);
        const told = toldIn(await call.answer()) as { code: number; message: string };
        expect(questionsIn(call.heard)).deep.equal([]);
        return told;
      };
      expect(await refused({ method: 'roots/list' })).include({ code: -32601 });
      expect(await refused({ method: 'sampling/createMessage', params: {} })).include({ code: -32601 });
      const byUrl = { ...FORM, mode: 'url', url: 'https://a.test', elicitationId: '1' };
      expect(await refused({ method: 'elicitation/create', params: byUrl })).include({ code: -32602 });
      expect(await refused({ method: 'tasks/list' })).include({ code: -32601 });
    });
  }

  it('of child: line breaks in an answer do not become messages to the server', async () => {
    const one = await client();
    const smuggled = `{"jsonrpc":"2.0","id":"s","method":"resources/subscribe","params":{"uri":"child://smuggled"}}`;
    one.onAsked = () => `"result":{"action":"accept","content":{"x":\n${smuggled}\r\n}}`;
    const told = one.told('x_child_ask', elicit('a'));
    expect(await told).deep.include({ action: 'accept', content: { x: JSON.parse(smuggled) as Json } });
    expect(await one.told('x_child_seen')).not.include('subscribe child://smuggled');
  });

  it('are sent on the stream of their own call, not swapped between two', async () => {
    const one = await client();
    one.onAsked = echo;
    const calls = ['A', 'B'].map((marker) => ({ marker, call: one.call('x_web_ask', elicit(marker)) }));
    for (const { marker, call } of calls) {
      const told = toldIn(await call.answer()) as { content: { to: string } };
      expect(told.content.to).equal(marker);
      expect(questionsIn(call.heard).map(({ params }) => params?.['message'])).deep.equal([marker]);
    }
  });

  it('reach their own client with 50 calls of 5 clients in flight on one server', async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => client()));
    for (const one of all) one.onAsked = echo;
    const calls = Array.from({ length: 50 }, (_, at) => {
      const owner = at % 5;
      return { marker: `${owner}-${at}`, call: all[owner]!.call('x_web_ask', elicit(`${owner}-${at}`)) };
    });
    for (const { marker, call } of calls) {
      expect((toldIn(await call.answer()) as { content: { to: string } }).content.to).equal(marker);
      expect(questionsIn(call.heard).map(({ params }) => params?.['message'])).deep.equal([marker]);
    }
  });

  it('reach the one client that has 50 calls in flight on a server whose connection all calls share', async () => {
    const one = await client();
    one.onAsked = echo;
    const markers = Array.from({ length: 50 }, (_, at) => String(at));
    const told = await Promise.all(markers.map((marker) => one.told('x_child_ask', elicit(marker))));
    expect(told.map((answer) => (answer as { content: { to: string } }).content.to)).deep.equal(markers);
  });

  it('are refused when either of two clients could be meant', async () => {
    const [one, other] = [await client(), await client()];
    const idle = other.call('x_child_wait');
    await eventually(async () => {
      const told = (await one.told('x_child_ask', elicit('?'))) as { code?: number };
      return told.code === -32000;
    }, 'a refusal');
    expect(questionsIn(idle.heard)).deep.equal([]);
    await other.notify('notifications/cancelled', { requestId: idle.id });
  });

  it('that arrive late, for a cancelled call, are not shown to any client', async () => {
    const [one, other] = [await client(), await client()];
    const said = async (): Promise<string> => JSON.stringify(await one.told('x_child_seen'));
    const cancelled = one.call('x_child_late', elicit('late'));
    await eventually(async () => (await said()).includes('waits to be late'), 'the call');
    const idle = other.call('x_child_wait');
    await one.notify('notifications/cancelled', { requestId: cancelled.id });
    await eventually(async () => (await said()).includes('late {\\"code\\":-32000'), 'the refusal');
    expect(questionsIn([...idle.heard, ...cancelled.heard])).deep.equal([]);
    await other.notify('notifications/cancelled', { requestId: idle.id });
  });

  it('that arrive on the standing stream of a server reach the one client that has a call there', async () => {
    const one = await client();
    one.onAsked = echo;
    expect(await one.told('x_web_ask_aside', elicit('aside'))).deep.include({ action: 'accept' });
  });

  it('by URL are sent only to a client that supports them, with an address a browser should open', async () => {
    const one = await client({ elicitation: { url: {} } });
    one.onAsked = () => '"result":{"action":"accept"}';
    const ask = (url: string): Promise<unknown> =>
      one.told('x_web_ask', {
        method: 'elicitation/create',
        params: { mode: 'url', message: 'sign in', url, elicitationId: 'e1' },
      });
    expect(await ask('https://a.test/x?y=1')).deep.equal({ action: 'accept' });
    for (const url of ['javascript:alert(1)', 'file:///etc/passwd', 'nonsense'])
      expect(await ask(url)).include({ code: -32602 });
    expect(await one.told('x_web_ask', elicit('form'))).include({ code: -32602 });
  });

  it('by URL: the completion that the server reports reaches the client that was asked', async () => {
    const [one, other] = [await client(), await client()];
    await one.listen();
    await other.listen();
    one.onAsked = () => '"result":{"action":"accept"}';
    const params = { mode: 'url', message: 'm', url: 'https://a.test', elicitationId: 'e2' };
    await one.told('x_web_ask', { method: 'elicitation/create', params });
    const done = { method: 'notifications/elicitation/complete', params: { elicitationId: 'e2' } };
    await other.told('x_web_notify', done);
    await eventually(() => one.aside.some(({ method }) => method === done.method), 'the end');
    expect(one.aside.find(({ method }) => method === done.method)?.params).deep.equal(done.params);
    expect(other.aside.some(({ method }) => method === done.method)).equal(false);
  });

  it('by URL that must be answered before a call stay an error with their data for clients that support them', async () => {
    const data = { elicitations: [{ mode: 'url', elicitationId: 'e', url: 'https://a.test', message: 'm' }] };
    const call = async (capabilities: object): Promise<Heard> =>
      (await client(capabilities)).call('x_web_fail', { code: -32042, data }).answer();
    expect((await call(ALL)).error).deep.include({ code: -32042, data: { ...data, code: 'UPSTREAM_ERROR' } });
    expect((await call({})).result).include({ isError: true });
  });

  it('are withdrawn when their call is cancelled', async () => {
    const one = await client();
    const call = one.call('x_web_ask', elicit('slow'));
    const [question] = await eventually(() => {
      const found = questionsIn(call.heard);
      return found.length > 0 ? found : undefined;
    }, 'the question');
    await one.listen();
    await one.notify('notifications/cancelled', { requestId: call.id });
    const back = await eventually(
      () => [...call.heard, ...one.aside].find(({ method }) => method === 'notifications/cancelled'),
      'the question to be taken back',
    );
    expect(back.params?.['requestId']).equal(question!.id);
  });

  it('accept no answer from another session', async () => {
    const [one, thief] = [await client(), await client()];
    const call = one.call('x_web_ask', elicit('mine'));
    const [question] = await eventually(() => {
      const found = questionsIn(call.heard);
      return found.length > 0 ? found : undefined;
    }, 'the question');
    const answer = (who: string): string =>
      `{"jsonrpc":"2.0","id":${JSON.stringify(question!.id)},"result":{"action":"accept","content":{"to":"${who}"}}}`;
    await (await thief.post(answer('thief'))).arrayBuffer();
    await (await one.post(answer('owner'))).arrayBuffer();
    expect(toldIn(await call.answer())).deep.include({ content: { to: 'owner' } });
  });
});

describe('e2e: roots of clients', () => {
  const gateway = useRelayGateway('default');

  for (const name of ['web', 'child']) {
    it(`are not offered to ${name} by default: a shared server gets no folders of a client`, async () => {
      const one = await gateway.connect(ALL);
      one.onAsked = echo;
      const note = { method: 'notifications/message', params: { level: 'info', data: 'x' } };
      const declared = await one.told(`x_${name}_notify`, note);
      expect(declared).have.all.keys('elicitation', 'sampling');
      const call = one.call(`x_${name}_ask`, { method: 'roots/list' });
      expect(toldIn(await call.answer())).deep.equal({
        code: -32601,
        message:
          'MCP error -32601: roots/list is not offered: roots is not among the questions of this server, which an operator may change',
      });
      expect(questionsIn(call.heard)).deep.equal([]);
      expect(await one.told(`x_${name}_ask`, elicit('a'))).deep.include({ action: 'accept' });
    });
  }
});
