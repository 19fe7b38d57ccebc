import { expect } from 'chai';
import { eventually } from '../contract/index.ts';
import { eventsIn } from '../support/mcpClient.ts';
import { statelessCall } from '../support/stateless.ts';
import { useRelayGateway } from '../support/relayGateway.ts';
import { release } from '../support/relayServer.ts';
import { toldIn } from '../support/talkingClient.ts';
import type { Heard, TalkingClient } from '../support/talkingClient.ts';

type Json = Readonly<Record<string, unknown>>;
const params = { message: 'who are you?', requestedSchema: { type: 'object', properties: {} } };
const ASK = { method: 'elicitation/create', params };
const LOGGED = 'notifications/message';
const LOG = { method: LOGGED, params: { level: 'info', data: 'of which call?' } };
const ANOTHER = /another client is using server child, and the server does not say which of them it asks/;
const CANCELLED =
  /a call of another client that was cancelled \d+ s ago may still run at server child, and the server does not say which of them it asks; try again in \d+ s/;

/** A call of 2026-07-28 without sign-in and owner handle. */
interface Calling {
  /** The name that its client gives itself. */
  readonly client?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly back?: Json;
}
interface Running {
  readonly answer: Promise<Json>;
  /** Its client closes the connection. */
  readonly leave: () => void;
}

describe('e2e: one client of a server whose connection all calls share', () => {
  const gateway = useRelayGateway();
  const running: Running[] = [];
  afterEach(() => {
    for (const { leave } of running.splice(0)) leave();
  });

  function call(
    tool: string,
    args: Json,
    { client = 'one', headers = {}, back = {} }: Calling = {},
  ): Running {
    const leaving = new AbortController();
    const meta = { 'io.modelcontextprotocol/clientInfo': { name: client, version: '1' } };
    const asked = { name: `x_${tool}`, arguments: args };
    const request = statelessCall('call_tool', asked, { capabilities: { elicitation: {} }, meta, back });
    const answer = fetch(`${gateway.url()}/mcp`, {
      method: 'POST',
      headers: { ...request.headers, ...headers },
      body: JSON.stringify(request.body),
      signal: leaving.signal,
    }).then(async (response) => lastIn(await response.text()));
    answer.catch(() => undefined);
    const one = { answer, leave: () => leaving.abort() };
    running.push(one);
    return one;
  }

  /** Begins a call that waits in the server, and waits until it is there. */
  async function waits(onlooker: TalkingClient, how?: Calling): Promise<Running> {
    const before = await timesWaited(onlooker);
    const one = call('child_wait', {}, how);
    await eventually(async () => (await timesWaited(onlooker)) > before, 'the call');
    return one;
  }

  /** Has the server ask, and declines. @returns what the server was told */
  async function declined(): Promise<unknown> {
    const { inputRequests, requestState } = await call('child_ask', ASK).answer;
    expect(Object.values(inputRequests as Json)).deep.equal([ASK]);
    const [key = ''] = Object.keys(inputRequests as Json);
    const back = { requestState, inputResponses: { [key]: { action: 'decline' } } };
    return toldIn({ result: await call('child_ask', ASK, { back }).answer });
  }

  it('without sessions is asked beside a second call of its own, and answers in that call', async () => {
    await waits(await gateway.connect());
    expect(await declined()).deep.equal({ action: 'decline' });
  });

  for (const [what, how] of [
    ['behind a proxy is known by its own address', { headers: { 'x-forwarded-for': '192.0.2.7' } }],
    ['is known by its name too', { client: 'other' }],
  ] as const)
    it(`without sessions ${what}`, async () => {
      const onlooker = await gateway.connect();
      const other = await waits(onlooker, how);
      expect(JSON.stringify(await call('child_ask', ASK).answer)).match(ANOTHER);
      await onlooker.told('x_child_seen', { releaseMs: 1 });
      await other.answer;
    });

  it('is asked although the server never answers a call that it has cancelled', async () => {
    (await waits(await gateway.connect())).leave();
    expect(await declined()).deep.equal({ action: 'decline' });
  });

  it('receives log messages after a cancelled call on its standing stream, and no one else does', async () => {
    const [one, other] = [await gateway.connect(), await gateway.connect()];
    for (const client of [one, other]) {
      await client.listen();
      await client.request('logging/setLevel', { level: 'debug' }).answer();
    }
    const before = await timesWaited(one, 'web');
    const { id } = one.call('x_web_wait');
    await eventually(async () => (await timesWaited(one, 'web')) > before, 'the call');
    await one.notify('notifications/cancelled', { requestId: id });
    await one.call('x_web_notify_later', LOG).answer();
    release();
    const logged = ({ aside }: TalkingClient): readonly Heard[] =>
      aside.filter(({ method }) => method === LOGGED);
    await eventually(() => logged(one).length > 0, 'the log message');
    expect(logged(other)).deep.equal([]);
  });

  it('is not asked while a call that another client has cancelled may run; the server is told since when', async () => {
    const [one, other] = [await gateway.connect({ elicitation: {} }), await gateway.connect()];
    const before = await timesWaited(one);
    const { id } = other.call('x_child_wait');
    await eventually(async () => (await timesWaited(one)) > before, 'the call');
    await other.notify('notifications/cancelled', { requestId: id });
    expect(JSON.stringify(await one.told('x_child_ask', ASK))).match(CANCELLED);
  });
});

async function timesWaited(onlooker: TalkingClient, server = 'child'): Promise<number> {
  const seen = (await onlooker.told(`x_${server}_seen`)) as readonly string[];
  return seen.filter((what) => what === 'waits').length;
}

function lastIn(text: string): Json {
  const message = JSON.parse(text.startsWith('{') ? text : (eventsIn(text).at(-1) ?? '{}')) as Heard;
  return message.result ?? { ...message.error };
}
