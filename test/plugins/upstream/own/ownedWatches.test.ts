import { expect } from 'chai';
import { eventually } from '../../../contract/index.ts';
import { RELAY } from '../../../support/relayGateway.ts';
import { post, stateless, statelessCall, stream } from '../../../support/stateless.ts';
import { toldIn } from '../../../support/talkingClient.ts';
import type { Heard, TalkingClient } from '../../../support/talkingClient.ts';
import { ASKABLE } from '../counters.ts';
import { UPDATED, change, of, seen, startRelay, two } from '../relays.ts';

const URI = 'child://one';
const FORM = { message: 'now?', requestedSchema: { type: 'object', properties: {} } };
/** A log message that no client wants; the answer is what was declared to the server. */
const QUIET = { method: 'notifications/message', params: { level: 'info', data: 'hello' } };
const WITHIN_MS = 10_000;

interface Status {
  readonly state: string;
  readonly metadata: { readonly instances?: { readonly running: number } };
}

async function status(client: TalkingClient): Promise<Status> {
  return toldIn(await client.call('core_service_status', { name: 'relay' }).answer()) as Status;
}

async function stateOf(client: TalkingClient): Promise<string> {
  return (await status(client)).state;
}

/** How many instances run. */
async function running(client: TalkingClient): Promise<number> {
  return (await status(client)).metadata.instances?.running ?? 0;
}

async function operate(client: TalkingClient, what: string): Promise<void> {
  const { result } = await client.call(`core_service_${what}`, { name: 'relay' }).answer();
  expect(result?.['isError'], JSON.stringify(result)).to.not.equal(true);
}

async function update(client: TalkingClient, edit: object): Promise<void> {
  const { result } = await client.call('core_mcpserver_update', { name: 'relay', ...edit }).answer();
  expect(result?.['isError'], JSON.stringify(result)).to.not.equal(true);
}

async function subscribe(client: TalkingClient, uri = URI): Promise<void> {
  expect((await client.request('resources/subscribe', { uri }).answer()).result).to.deep.equal({});
}

async function reaches(client: TalkingClient, amount: number): Promise<void> {
  await eventually(async () => (await running(client)) === amount, `${amount} instances`, WITHIN_MS);
}

/** The process that the client's calls reach has the subscription, and its updates reach the client. */
async function receives(client: TalkingClient, uri = URI): Promise<void> {
  const isThere = async (): Promise<boolean> => (await seen(client)).includes(`subscribe ${uri}`);
  await eventually(isThere, 'the subscription', WITHIN_MS);
  const before = of(UPDATED, client).length;
  await change(client, uri);
  await eventually(() => of(UPDATED, client).length > before, 'the update', WITHIN_MS);
}

describe('upstream: subscriptions of the owner of an instance', () => {
  for (const [what, act] of [
    ['a restart of the server', (client) => operate(client, 'restart')],
    [
      'a stop and a start of the server',
      async (client) => {
        await operate(client, 'stop');
        await operate(client, 'start');
      },
    ],
    ['a change of its endpoint', (client) => update(client, { env: { A: 'b' } })],
  ] as readonly (readonly [string, (client: TalkingClient) => Promise<void>])[])
    it(`continue after ${what}, with an instance that no call has to begin`, async () => {
      const gateway = await startRelay();
      const [one, other] = await two(gateway.url());
      await subscribe(one);
      expect(await seen(other)).to.deep.equal([]);
      await seen(one);
      const isUp = (): number => gateway.log.filter(({ text }) => text === 'server connected').length;
      const before = isUp();
      await act(other);
      await eventually(() => isUp() > before, 'the next connection of the server', WITHIN_MS);
      await reaches(other, 1);
      await receives(one);
      expect((await seen(one)).filter((text) => text.startsWith('subscribe'))).to.have.length(1);
      expect(of(UPDATED, other)).to.deep.equal([]);
      await one.request('resources/unsubscribe', { uri: URI }).answer();
      await eventually(async () => (await seen(one)).includes(`unsubscribe ${URI}`), 'the end');
    });

  it('continue although the process of the server cannot be started at first', async () => {
    const gateway = await startRelay({ backoffFirstMs: 10, backoffMaxMs: 10 });
    const [one] = await two(gateway.url());
    await subscribe(one);
    await update(one, { command: ['/nowhere/to/be/found'] });
    await eventually(
      () => gateway.log.some(({ text }) => text === 'server could not be connected'),
      'the failure',
    );
    await update(one, { command: [process.execPath, ...RELAY, 'stdio'] });
    await receives(one);
  });

  it('begin an instance that declares what the client declares, and so does the next', async () => {
    const gateway = await startRelay();
    const [one, other] = await two(gateway.url(), { elicitation: {} });
    await subscribe(one);
    await reaches(other, 1);
    expect(await one.told('x_relay_notify_aside', QUIET)).to.have.all.keys('elicitation');
    await operate(other, 'restart');
    await reaches(other, 1);
    expect(await one.told('x_relay_notify_aside', QUIET)).to.have.all.keys('elicitation');
  });

  it('continue with the connections of another mode, one after the other', async () => {
    const gateway = await startRelay();
    const [one, other] = await two(gateway.url());
    for (const client of [one, other]) await subscribe(client);
    for (const instances of ['perCaller', 'shared', 'perSession']) {
      await update(one, { instances });
      await reaches(one, instances === 'shared' ? 0 : 2);
      for (const client of [one, other]) await receives(client);
    }
    const shared = (
      await post(gateway.url(), statelessCall('call_tool', { name: 'x_relay_seen' }))
    ).answer() as Heard;
    const changes = (toldIn(shared) as string[]).filter((text) => text.endsWith(`subscribe ${URI}`));
    expect(changes).to.deep.equal([`subscribe ${URI}`, `unsubscribe ${URI}`]);
  });

  it('do not start a server that is stopped while the instances of the former mode end', async () => {
    const gateway = await startRelay();
    const [one, other] = await two(gateway.url(), ASKABLE);
    await subscribe(one);
    const asking = one.call('x_relay_ask', { method: 'elicitation/create', params: FORM });
    const isAsked = ({ method }: Heard): boolean => method === 'elicitation/create';
    const question = await eventually(() => asking.heard.find(isAsked), 'the question');
    await update(other, { instances: 'shared' });
    const stopping = operate(other, 'stop');
    const isStopping = async (): Promise<boolean> => (await stateOf(other)).startsWith('stop');
    await eventually(isStopping, 'the stop', WITHIN_MS);
    await one.post(`{"jsonrpc":"2.0","id":${JSON.stringify(question.id)},"result":{"action":"decline"}}`);
    await Promise.all([asking.answer(), stopping]);
    expect(await stateOf(other)).to.equal('stopped');
    await operate(other, 'start');
    await receives(one);
  });

  it('for which there is no room any more are reported, and continue once there is', async () => {
    const gateway = await startRelay();
    const [one, other] = await two(gateway.url());
    for (const client of [one, other]) await subscribe(client);
    await update(one, { maxInstances: 1 });
    await operate(one, 'restart');
    const lost = (): readonly unknown[] =>
      gateway.log.flatMap(({ level, data }) => (level === 'warn' ? [data['uri']] : []));
    await eventually(() => lost().length === 1, 'the report', WITHIN_MS);
    expect(lost()).to.deep.equal([URI]);
    expect(await running(one)).to.equal(1);
    await update(one, { maxInstances: 2 });
    await operate(one, 'restart');
    await reaches(one, 2);
    for (const client of [one, other]) await receives(client);
  });

  it('do not outlive their session, which ended while the server was stopped', async () => {
    const gateway = await startRelay();
    const [one, other] = await two(gateway.url());
    for (const client of [one, other]) await subscribe(client);
    await operate(other, 'stop');
    await fetch(one.url, { method: 'DELETE', headers: one.headers });
    await operate(other, 'start');
    await receives(other);
    expect(await running(other)).to.equal(1);
  });

  it('without a session continue too, as long as their stream is open', async () => {
    const gateway = await startRelay();
    const [operator] = await two(gateway.url());
    const call = async (name: string, args: object = {}, meta: object = {}): Promise<Heard> => {
      const request = statelessCall('call_tool', { name, arguments: args }, { meta: { ...meta } });
      return (await post(gateway.url(), request)).answer() as Heard;
    };
    const { _meta: given } = (await call('x_relay_seen')).result as { readonly _meta: object };
    const capabilities = { elicitation: {} };
    const wanted = { notifications: { resourceSubscriptions: [URI] } };
    const request = stateless('subscriptions/listen', wanted, { capabilities, meta: { ...given } });
    const open = await stream(gateway.url(), request);
    await eventually(() => open.text().includes('subscriptions/acknowledged'), 'the subscription', WITHIN_MS);
    expect(toldIn(await call('x_relay_notify_aside', QUIET, given))).to.have.all.keys('elicitation');
    await operate(operator, 'restart');
    await reaches(operator, 1);
    const isThere = async (): Promise<boolean> =>
      (toldIn(await call('x_relay_seen', {}, given)) as string[]).includes(`subscribe ${URI}`);
    await eventually(isThere, 'the next subscription', WITHIN_MS);
    await call('x_relay_notify_aside', { method: UPDATED, params: { uri: URI } }, given);
    await eventually(() => open.text().includes(UPDATED), 'the update', WITHIN_MS);
  });
});
