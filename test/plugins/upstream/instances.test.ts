import { expect } from 'chai';
import { eventually } from '../../contract/index.ts';
import type { RawAnswer } from '../../support/rawHttp.ts';
import { post, statelessCall } from '../../support/stateless.ts';
import { toldIn } from '../../support/talkingClient.ts';
import type { Heard, TalkingClient } from '../../support/talkingClient.ts';
import { ASKABLE, Counters, count, named } from './counters.ts';
import type { Count } from './counters.ts';
import { isAlive } from './support.ts';

describe('upstream: instances', () => {
  it('are one for all by default', async () => {
    const counters = await Counters.start({});
    const [one, other] = [await counters.connect(), await counters.connect()];
    const first = await count(one);
    expect(await count(other)).to.deep.equal({ count: 2, pid: first.pid });
  });

  it('perSession: give each session a process of its own, and keep it', async () => {
    const counters = await Counters.start({ instances: 'perSession' });
    const clients = await Promise.all(Array.from({ length: 5 }, () => counters.connect()));
    const firsts = await Promise.all(clients.map(count));
    expect(new Set(firsts.map(({ pid }) => pid)).size).to.equal(5);
    const seconds = await Promise.all(clients.map(count));
    expect(seconds).to.deep.equal(firsts.map(({ pid }) => ({ count: 2, pid })));
  });

  it('perSession: ask the client of the session, although others are calling', async () => {
    const counters = await Counters.start({ instances: 'perSession' });
    const names = ['ann', 'bob', 'cyd'];
    const clients = await Promise.all(
      names.map(async (name) => named(await counters.connect(ASKABLE), name)),
    );
    const asked = await Promise.all(clients.map((client) => client.told('x_counter_ask')));
    expect(asked).to.deep.equal(names.map((name) => ({ action: 'accept', content: { name } })));
    const roots = await Promise.all(clients.map((client) => client.told('x_counter_roots')));
    expect(roots).to.deep.equal(names.map((name) => ({ roots: [{ uri: `file:///${name}` }] })));
  });

  it('perSession: declare to the server what the client of the session declares', async () => {
    const counters = await Counters.start({ instances: 'perSession' });
    const [none, some] = [await counters.connect(), await counters.connect({ elicitation: {} })];
    expect(await none.told('x_counter_declared')).to.deep.equal({});
    expect(await some.told('x_counter_declared')).to.have.keys('elicitation');
  });

  it('perSession: show what they write on standard error to their session only', async () => {
    const counters = await Counters.start({ instances: 'perSession' });
    const [one, other] = [await counters.connect(), await counters.connect()];
    const logs = (client: TalkingClient): Promise<unknown> =>
      client.told('core_server_logs', { server: 'counter' });
    const none = await logs(one);
    expect(none).to.deep.include({ lines: [], instance: 'perSession; your next call begins one' });
    const [mine, theirs] = await Promise.all([one.told('x_counter_say'), other.told('x_counter_say')]);
    await eventually(async () => JSON.stringify(await logs(one)).includes('said'), 'the line');
    await eventually(async () => JSON.stringify(await logs(other)).includes('said'), 'the other line');
    expect(JSON.stringify(await logs(one)))
      .to.contain(`said in ${Number(mine)}`)
      .and.not.contain(String(theirs));
    expect(JSON.stringify(await logs(other)))
      .to.contain(`said in ${Number(theirs)}`)
      .and.not.contain(String(mine));
    const shared = post(
      counters.gateway.url(),
      statelessCall('call_tool', { name: 'core_server_logs', arguments: { server: 'counter' } }),
    );
    expect(toldIn((await shared).json() as Heard)).to.deep.include({ lines: [] });
  });

  it('that die hurt their owner only, who gets a new one', async () => {
    const counters = await Counters.start({ instances: 'perSession' });
    const [one, other] = [await counters.connect(), await counters.connect()];
    const [mine, theirs] = [await count(one), await count(other)];
    process.kill(mine.pid, 'SIGKILL');
    const ended = (): boolean => counters.gateway.log.some(({ text }) => text === 'server disconnected');
    await eventually(ended, 'the end of the process');
    expect(await count(other)).to.deep.equal({ count: 2, pid: theirs.pid });
    const next = await count(one);
    expect(next, JSON.stringify(next)).to.have.property('count', 1);
    expect(next.pid).to.not.equal(mine.pid);
  });

  it('beyond maxInstances are refused, with the numbers and the setting', async () => {
    const counters = await Counters.start({ instances: 'perSession', maxInstances: 2 });
    const clients = await Promise.all(Array.from({ length: 3 }, () => counters.connect()));
    await Promise.all(clients.slice(0, 2).map(count));
    const { result } = await clients[2]!.call('x_counter_count').answer();
    expect(result?.['isError']).to.equal(true);
    expect(JSON.stringify(result)).to.include('has 2 of 2 instances').and.include('maxInstances');
  });

  it('end when they are idle, and begin again', async () => {
    const counters = await Counters.start({ instances: 'perSession', instanceIdleTimeout: 1 });
    const client = await counters.connect();
    const first = await count(client);
    await eventually(() => !isAlive(first.pid), 'the end of the process', 5_000);
    expect((await count(client)).count).to.equal(1);
  });

  it('end with their server, and begin again with it', async () => {
    const counters = await Counters.start({ instances: 'perSession' });
    const client = await counters.connect();
    const first = await count(client);
    await client.call('core_service_restart', { name: 'counter' }).answer();
    expect(isAlive(first.pid)).to.equal(false);
    const second = await count(client);
    expect(second.count).to.equal(1);
    await client.call('core_service_stop', { name: 'counter' }).answer();
    expect(isAlive(second.pid)).to.equal(false);
    const { result } = await client.call('x_counter_count').answer();
    expect(result?.['isError']).to.equal(true);
    await counters.gateway.stop();
  });

  it('end with the gateway', async () => {
    const counters = await Counters.start({ instances: 'perSession' });
    const { pid } = await count(await counters.connect());
    await counters.gateway.stop();
    expect(isAlive(pid)).to.equal(false);
  });

  it('stay when the definition changes in other ways, and follow it', async () => {
    const counters = await Counters.start({ instances: 'perSession', idleTimeout: 600 });
    const client = await counters.connect();
    const first = await count(client);
    await client.call('core_mcpserver_update', { name: 'counter', callTimeout: 7 }).answer();
    expect(await count(client)).to.deep.equal({ count: 2, pid: first.pid });
    await client.call('core_mcpserver_update', { name: 'counter', env: { A: 'b' } }).answer();
    expect(await count(client)).to.have.property('count', 1);
  });

  it('end when the mode changes, once their calls have ended', async () => {
    const counters = await Counters.start({ instances: 'perSession' });
    const [one, other] = [await counters.connect(ASKABLE), await counters.connect()];
    const [mine, theirs] = [await count(one), await count(other)];
    const asking = one.call('x_counter_ask');
    const isAsked = ({ method }: Heard): boolean => method === 'elicitation/create';
    const question = await eventually(() => asking.heard.find(isAsked), 'the question');
    await other.call('core_mcpserver_update', { name: 'counter', instances: 'perCaller' }).answer();
    const status = await other.call('core_service_status', { name: 'counter' }).answer();
    expect(toldIn(status))
      .to.have.nested.property('metadata.instances')
      .that.deep.equals({ mode: 'perCaller', running: 0, max: 20 });
    await eventually(() => !isAlive(theirs.pid), 'the end of the process without calls', 5_000);
    expect(isAlive(mine.pid)).to.equal(true);
    const id = JSON.stringify(question.id);
    await one.post(`{"jsonrpc":"2.0","id":${id},"result":{"action":"decline"}}`);
    expect(toldIn(await asking.answer())).to.deep.equal({ action: 'decline' });
    await eventually(() => !isAlive(mine.pid), 'the end of the process with a call', 5_000);
    const next = await count(one);
    expect(next.count).to.equal(1);
    await other.call('core_mcpserver_update', { name: 'counter', instances: 'shared' }).answer();
    await eventually(() => !isAlive(next.pid), 'the end of the last instance', 5_000);
    expect((await count(one)).pid).to.equal((await count(other)).pid);
  });

  it('end with their session', async () => {
    const counters = await Counters.start({ instances: 'perSession' });
    const [one, other] = [await counters.connect(), await counters.connect()];
    const [mine, theirs] = [await count(one), await count(other)];
    await fetch(one.url, { method: 'DELETE', headers: one.headers });
    await eventually(() => !isAlive(mine.pid), 'the end of the process', 5_000);
    expect(await count(other)).to.deep.equal({ count: 2, pid: theirs.pid });
  });

  it('perCaller: are shared by the sessions of one caller, and by no one else', async () => {
    const counters = await Counters.start({ instances: 'perCaller' }, { isIdentified: true });
    const [one, two] = [await counters.connect({}, 'acme ann'), await counters.connect({}, 'acme ann')];
    const [other, namesake] = [
      await counters.connect({}, 'acme bob'),
      await counters.connect({}, 'evil ann'),
    ];
    const first = await count(one);
    expect(await count(two)).to.deep.equal({ count: 2, pid: first.pid });
    const others = [await count(other), await count(namesake)];
    expect(others.map((own) => own.count)).to.deep.equal([1, 1]);
    expect(new Set([first, ...others].map(({ pid }) => pid)).size).to.equal(3);
  });

  it('beyond maxInstancesPerOwner are refused to that caller, and to no one else', async () => {
    const counters = await Counters.start({ instances: 'perSession' }, { isIdentified: true });
    const own = await Promise.all(Array.from({ length: 3 }, () => counters.connect({}, 'acme ann')));
    await Promise.all(own.slice(0, 2).map(count));
    const { result } = await own[2]!.call('x_counter_count').answer();
    expect(JSON.stringify(result)).to.include('2 of 2 instances').and.include('maxInstancesPerOwner');
    expect((await count(await counters.connect({}, 'acme bob'))).count).to.equal(1);
    await fetch(own[0]!.url, { method: 'DELETE', headers: own[0]!.headers });
    expect((await count(own[2]!)).count).to.equal(1);
  });

  it('of clients without sessions belong to the handle in _meta; without one they use the shared connection', async () => {
    const counters = await Counters.start({ instances: 'perSession' });
    const modern = (meta: object = {}): Promise<RawAnswer> => {
      const call = { name: 'x_counter_count', arguments: {} };
      return post(counters.gateway.url(), statelessCall('call_tool', call, { meta: { ...meta } }));
    };
    const shared = await modern();
    const { result } = shared.answer() as Heard;
    const meta = result?.['_meta'] as Readonly<Record<string, unknown>>;
    const handle = meta['pegboard.dev/owner'];
    expect(handle).to.be.a('string');
    const counts = [shared, await modern(), await modern({ 'pegboard.dev/owner': handle })].map((answer) =>
      toldIn(answer.answer() as Heard),
    ) as readonly Count[];
    expect(counts.map((one) => one.count)).to.deep.equal([1, 2, 1]);
    const again = toldIn((await modern({ 'pegboard.dev/owner': handle })).answer() as Heard) as Count;
    expect(again).to.deep.equal({ count: 2, pid: counts[2]!.pid });
  });

  it('of clients without an instance ask no one', async () => {
    const counters = await Counters.start({ instances: 'perSession' });
    const call = { name: 'x_counter_ask', arguments: {} };
    const request = statelessCall('call_tool', call, { capabilities: { elicitation: {} } });
    const { text } = await post(counters.gateway.url(), request);
    expect(text).to.include('no instance of server counter of its own');
  });

  it('are recommended by the status of a shared server that asks its clients', async () => {
    const counters = await Counters.start({});
    const client = named(await counters.connect(ASKABLE), 'ann');
    await client.told('x_counter_ask');
    const answer = await client.call('core_service_status', { name: 'counter' }).answer();
    expect(toldIn(answer)).to.have.nested.property(
      'metadata.recommended',
      'instances: perSession, because it asks its clients (elicitation)',
    );
  });

  it('are recommended where a tool is described, once its server has asked for roots and got none', async () => {
    const counters = await Counters.start({});
    const client = named(await counters.connect(ASKABLE), 'ann');
    const described = async (): Promise<unknown> => {
      const params = { name: 'describe_tool', arguments: { name: 'x_counter_roots' } };
      return (toldIn(await client.request('tools/call', params).answer()) as Record<string, unknown>)[
        'server_note'
      ];
    };
    expect(await described()).to.equal(undefined);
    expect(JSON.stringify(await client.call('x_counter_roots').answer())).to.include(
      'roots/list is not offered',
    );
    expect(await described())
      .to.include('what it asks of one may be refused')
      .and.include('an operator can set instances: perSession, because it asks its clients (roots)');
  });

  it('are in explain_tool for the one who asks, unless the server is shared', async () => {
    const counters = await Counters.start({ instances: 'perSession' });
    const [one, other] = [await counters.connect(), await counters.connect()];
    await count(one);
    const explained = async (client: TalkingClient): Promise<unknown> => {
      const params = { name: 'explain_tool', arguments: { name: 'x_counter_count' } };
      return (toldIn(await client.request('tools/call', params).answer()) as { server: object }).server;
    };
    const server = { name: 'counter', state: 'running', health: 'healthy' };
    expect(await explained(one)).to.deep.equal({ ...server, instances: 'perSession; you have one' });
    expect(await explained(other)).to.deep.equal({
      ...server,
      instances: 'perSession; your next call begins one',
    });
    const call = statelessCall('explain_tool', { name: 'x_counter_count' });
    const { text } = await post(counters.gateway.url(), call);
    expect(text).to.include('perSession; without session, sign-in or handle you share one');
    await one.call('core_mcpserver_update', { name: 'counter', instances: null }).answer();
    expect(await explained(one)).to.deep.equal(server);
  });

  it('are counted by the status of the server', async () => {
    const counters = await Counters.start({ instances: 'perSession' });
    const client = await counters.connect();
    await count(client);
    const answer = await client.call('core_service_status', { name: 'counter' }).answer();
    expect(toldIn(answer)).to.have.nested.property('metadata.instances').that.deep.equals({
      mode: 'perSession',
      running: 1,
      max: 20,
    });
  });
});
