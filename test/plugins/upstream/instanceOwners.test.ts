import { expect } from 'chai';
import { eventually } from '../../contract/index.ts';
import { post, statelessCall } from '../../support/stateless.ts';
import { toldIn } from '../../support/talkingClient.ts';
import type { Heard, TalkingClient } from '../../support/talkingClient.ts';
import { ASKABLE, Counters, count } from './counters.ts';
import { UPDATED, change, of, seen, startRelay, two } from './relays.ts';

const LISTED = 'notifications/tools/list_changed';
const MESSAGE = 'notifications/message';
const FORM = { message: 'late?', requestedSchema: { type: 'object', properties: {} } };

describe('upstream: what belongs to the owner of an instance', () => {
  it('is the subscription to a resource: it is made in that instance, and an update there reaches its owner only', async () => {
    const [one, other] = await two((await startRelay()).url());
    const uri = 'child://one';
    for (const client of [one, other])
      expect((await client.request('resources/subscribe', { uri }).answer()).result).to.deep.equal({});
    for (const client of [one, other])
      expect((await seen(client)).filter((what) => what === `subscribe ${uri}`)).to.have.length(1);
    await change(one, uri);
    await eventually(() => of(UPDATED, one).length === 1, 'the update of one');
    await change(other, uri);
    await eventually(() => of(UPDATED, other).length === 1, 'the update of the other');
    expect(of(UPDATED, one)).to.deep.equal([{ uri }]);
    await one.request('resources/unsubscribe', { uri }).answer();
    await eventually(async () => (await seen(one)).includes(`unsubscribe ${uri}`), 'the end');
    expect(await seen(other)).to.not.include(`unsubscribe ${uri}`);
  });

  it('is the cancellation of a call: it reaches the process that runs the call', async () => {
    const [one, other] = await two((await startRelay()).url());
    const late = { method: 'elicitation/create', params: FORM };
    const calls = [one, other].map((client) => client.call('x_relay_late', late));
    for (const client of [one, other])
      await eventually(async () => (await seen(client)).includes('waits to be late'), 'the call');
    const isLate = async (client: TalkingClient): Promise<boolean> =>
      (await seen(client)).some((what) => what.startsWith('late '));
    await one.notify('notifications/cancelled', { requestId: calls[0]!.id });
    await eventually(() => isLate(one), 'the cancellation');
    expect(await isLate(other)).to.equal(false);
    await other.notify('notifications/cancelled', { requestId: calls[1]!.id });
    await eventually(() => isLate(other), 'the other cancellation');
  });

  it('are the log messages of its instance, also those outside of calls', async () => {
    const [one, other] = await two((await startRelay()).url());
    for (const client of [one, other]) await client.request('logging/setLevel', { level: 'debug' }).answer();
    const log = async (client: TalkingClient, data: string): Promise<readonly Heard[]> => {
      const message = { method: MESSAGE, params: { level: 'info', data } };
      const call = client.call('x_relay_notify', message);
      await call.answer();
      await client.told('x_relay_notify_later', { ...message, releaseMs: 100 });
      return call.heard;
    };
    const inCalls = await Promise.all([log(one, 'of one'), log(other, 'of the other')]);
    const texts = (heard: readonly Heard[]): readonly unknown[] =>
      heard.filter(({ method }) => method === MESSAGE).map(({ params }) => params?.['data']);
    expect(inCalls.map(texts)).to.deep.equal([['of one'], ['of the other']]);
    await eventually(() => texts(one.aside).length + texts(other.aside).length === 2, 'both messages');
    expect([texts(one.aside), texts(other.aside)]).to.deep.equal([['of one'], ['of the other']]);
  });

  it('is told the log level that clients want, also after the instance has begun', async () => {
    const [one] = await two((await startRelay()).url());
    expect(await seen(one)).to.deep.equal([]);
    await one.request('logging/setLevel', { level: 'warning' }).answer();
    await eventually(async () => (await seen(one)).includes('level warning'), 'the level');
    await one.request('logging/setLevel', { level: 'debug' }).answer();
    await eventually(async () => (await seen(one)).includes('level debug'), 'the next level');
  });

  it('is not the list of tools: a change of it in an instance is ignored', async () => {
    const gateway = await startRelay({ listDebounceMs: 1 });
    const [one] = await two(gateway.url());
    const shared = async (name: string, args: object): Promise<unknown> => {
      const call = statelessCall('call_tool', { name, arguments: args });
      return toldIn((await post(gateway.url(), call)).json() as Heard);
    };
    await one.told('x_relay_notify_aside', { method: LISTED });
    await shared('x_relay_notify_aside', { method: LISTED });
    const isReread = async (): Promise<boolean> =>
      ((await shared('x_relay_seen', {})) as string[]).filter((what) => what === 'list of tools').length ===
      2;
    await eventually(isReread, 'the list of the shared connection');
    expect(await seen(one)).to.deep.equal([]);
    expect(gateway.log.filter(({ level }) => level === 'warn' || level === 'error')).to.deep.equal([]);
  });

  it('is the end of its instance: the open question is withdrawn, the call fails, and the next call has a new one', async () => {
    const counters = await Counters.start({ instances: 'perSession' });
    const [one, other] = await two(counters.gateway.url(), ASKABLE);
    const [mine, theirs] = [await count(one), await count(other)];
    const asking = [one, other].map((client) => client.call('x_counter_ask'));
    const isAsked = ({ method }: Heard): boolean => method === 'elicitation/create';
    await eventually(() => asking.every(({ heard }) => heard.some(isAsked)), 'both questions');
    process.kill(mine.pid, 'SIGKILL');
    const { result } = await asking[0]!.answer();
    expect(result).to.include({ isError: true });
    expect(JSON.stringify(result)).to.include('server counter').and.include('SIGKILL');
    const withdrawn = (
      client: TalkingClient,
      { heard }: { readonly heard: readonly Heard[] },
    ): Heard | undefined =>
      [...heard, ...client.aside].find(({ method }) => method === 'notifications/cancelled');
    const back = await eventually(() => withdrawn(one, asking[0]!), 'the end of the question');
    expect(back.params).to.have.property('requestId', asking[0]!.heard.find(isAsked)?.id);
    expect(await count(one)).to.have.property('count', 1);
    expect(await count(other)).to.deep.equal({ count: 2, pid: theirs.pid });
    expect(withdrawn(other, asking[1]!)).to.equal(undefined);
    const id = JSON.stringify(asking[1]!.heard.find(isAsked)?.id);
    await other.post(`{"jsonrpc":"2.0","id":${id},"result":{"action":"decline"}}`);
    expect(toldIn(await asking[1]!.answer())).to.deep.equal({ action: 'decline' });
  });
});
