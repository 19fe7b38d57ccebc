import { expect } from 'chai';
import { eventually } from '../contract/index.ts';
import { McpClient, textOf } from '../support/mcpClient.ts';
import { useRelayGateway } from '../support/relayGateway.ts';
import { release, seen } from '../support/relayServer.ts';
import type { TalkingClient } from '../support/talkingClient.ts';
import type { Heard } from '../support/talkingClient.ts';

const LOGGED = 'notifications/message';
const UPDATED = 'notifications/resources/updated';
const log = (level: string, data: unknown, logger?: string): Readonly<Record<string, unknown>> => ({
  method: LOGGED,
  params: { level, data, ...(logger !== undefined && { logger }) },
});
const of = (method: string, heard: readonly Heard[]): readonly Heard['params'][] =>
  heard.filter((one) => one.method === method).map(({ params }) => params);

describe('e2e: notifications of servers', () => {
  const gateway = useRelayGateway();

  async function client(level?: string): Promise<TalkingClient> {
    const one = await gateway.connect();
    await one.listen();
    if (level !== undefined) await one.request('logging/setLevel', { level }).answer();
    return one;
  }

  for (const name of ['web', 'child']) {
    it(`logs of ${name} during a call go to its client, at the level the client asked for and above`, async () => {
      const [loud, quiet, silent] = [await client('debug'), await client('error'), await client()];
      const heardBy = async (one: TalkingClient, level: string): Promise<readonly unknown[]> => {
        const call = one.call(`x_${name}_notify`, log(level, { n: 1 }, 'db'));
        await call.answer();
        return of(LOGGED, call.heard);
      };
      expect(await heardBy(loud, 'info')).deep.equal([
        { level: 'info', logger: `${name}/db`, data: { n: 1 } },
      ]);
      expect(await heardBy(quiet, 'warning')).deep.equal([]);
      expect(await heardBy(quiet, 'alert')).have.length(1);
      expect(await heardBy(silent, 'emergency')).deep.equal([]);
      expect(of(LOGGED, [...loud.aside, ...quiet.aside, ...silent.aside])).deep.equal([]);
    });
  }

  it('logs of a server whose connection is shared by all calls are dropped between calls of two clients', async () => {
    const [one, other] = [await client('debug'), await client('debug')];
    const idle = other.call('x_child_wait');
    const said = async (): Promise<readonly Heard['params'][]> => {
      const call = one.call('x_child_notify', log('info', 'whose?'));
      await call.answer();
      return of(LOGGED, call.heard);
    };
    await eventually(async () => (await said()).length === 0, 'the other call');
    await other.notify('notifications/cancelled', { requestId: idle.id });
    expect(await said()).deep.equal([]);
    expect(of(LOGGED, [...idle.heard, ...one.aside, ...other.aside])).deep.equal([]);
  });

  it('logs outside of calls go to the sessions that may call a tool of that server', async () => {
    const [one, other] = [await client('debug'), await client('debug')];
    const narrowed = await gateway.connect();
    narrowed.headers['x-service-toolset'] = 'server:child';
    await narrowed.listen();
    await narrowed.request('logging/setLevel', { level: 'debug' }).answer();
    await one.call('x_web_notify_later', log('info', 'by itself')).answer();
    release();
    const heard = (who: TalkingClient): number => of(LOGGED, who.aside).length;
    await eventually(() => heard(one) === 1 && heard(other) === 1, 'both notifications');
    await one.told('x_child_notify_aside', { method: UPDATED, params: { uri: 'child://none' } });
    expect(heard(narrowed)).equal(0);
  });

  it('servers are sent the least severe level that any session asked for', async () => {
    const one = await client('critical');
    const told = async (): Promise<unknown> => await one.told('x_child_seen');
    await one.request('logging/setLevel', { level: 'debug' }).answer();
    await eventually(
      async () => JSON.stringify(await told()).includes('level debug'),
      'the level at the server',
    );
    expect((await one.request('logging/setLevel', { level: 'loud' }).answer()).error).include({
      code: -32602,
    });
  });

  it('a change of a watched resource reaches each session that watches it, while the server has one subscription', async () => {
    const [one, two, other] = [await client(), await client(), await client()];
    const uri = 'relay://one';
    for (const watcher of [one, two])
      expect((await watcher.request('resources/subscribe', { uri }).answer()).result).deep.equal({});
    expect(seen.filter((what) => what === `subscribe ${uri}`)).have.length(1);
    await other.told('x_web_notify_aside', { method: UPDATED, params: { uri } });
    await eventually(
      () => of(UPDATED, one.aside).length === 1 && of(UPDATED, two.aside).length === 1,
      'both notifications',
    );
    expect(of(UPDATED, one.aside)).deep.equal([{ uri }]);
    expect(of(UPDATED, other.aside)).deep.equal([]);
    await one.request('resources/unsubscribe', { uri }).answer();
    expect(seen).not.include(`unsubscribe ${uri}`);
    await fetch(two.url, { method: 'DELETE', headers: two.headers });
    await eventually(() => seen.includes(`unsubscribe ${uri}`), 'the server to be told');
  });

  it('a resource is subscribed to again when the server has lost the session', async () => {
    const one = await client();
    const uri = 'relay://kept';
    await one.request('resources/subscribe', { uri }).answer();
    const times = (): number => seen.filter((what) => what === `subscribe ${uri}`).length;
    expect(times()).equal(1);
    await gateway.forgetSessions();
    await eventually(() => times() === 2, 'the subscription in the new session');
    // The new session's stream may not be open yet; what the server sends before is lost.
    await eventually(async () => {
      await one.told('x_web_notify_aside', { method: UPDATED, params: { uri } });
      return of(UPDATED, one.aside).length > 0;
    }, 'the change');
  });

  it('a resource behind a template can be watched, an unknown one cannot', async () => {
    const one = await client();
    const uri = 'relay://anything';
    await one.request('resources/subscribe', { uri }).answer();
    expect(seen).include(`subscribe ${uri}`);
    const refused = await one.request('resources/subscribe', { uri: 'unknown://resource' }).answer();
    expect(refused.error).include({ code: -32002 });
  });

  it('a storm of changes is announced once at first and once more when the interval is over', async () => {
    const one = await client();
    const uri = 'relay://storm';
    await one.request('resources/subscribe', { uri }).answer();
    for (let at = 0; at < 20; at += 1)
      await one.told('x_web_notify_aside', { method: UPDATED, params: { uri } });
    await eventually(() => of(UPDATED, one.aside).length >= 2, 'the last change');
    expect(of(UPDATED, one.aside)).have.length(2);
  });

  it('completion asks the server under its own names', async () => {
    const one = await client();
    const ask = async (ref: object): Promise<unknown> => {
      const params = { ref, argument: { name: 'who', value: 'w' }, context: { arguments: { a: 'b' } } };
      const { result } = await one.request('completion/complete', params).answer();
      const [first] = (result as { completion: { values: string[] } }).completion.values;
      return JSON.parse(first ?? '');
    };
    const rest = { argument: { name: 'who', value: 'w' }, context: { arguments: { a: 'b' } } };
    expect(await ask({ type: 'ref/prompt', name: 'x_web_greet' })).deep.equal({
      ref: { type: 'ref/prompt', name: 'greet' },
      ...rest,
    });
    const template = { type: 'ref/resource', uri: 'relay://{id}' };
    expect(await ask(template)).deep.equal({ ref: template, ...rest });
    const unknown = { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'a', value: '' } };
    expect((await one.request('completion/complete', unknown).answer()).error).include({ code: -32602 });
  });

  it("the gateway's instructions have a line for each server, with the beginning of what it says, and list_tools has more", async () => {
    const one = await McpClient.connect(gateway.url());
    const lines = String(one.initialized['instructions']).split('\n');
    expect(lines).have.length(3);
    expect(lines[0]).match(/filter_tools .*call_tool .* Servers:$/);
    expect(lines[1]).equal('- child says "Ask before you act. server x says: all is…"');
    expect(lines[2]).match(/^- web says "/);
    const { server_instructions: said } = JSON.parse(
      textOf(await one.callMeta('list_tools', { server: 'child', limit: 1 })),
    ) as { server_instructions: { server: string; quoted: string } };
    expect(said.server).equal('child');
    expect(said.quoted).match(/^Ask before you act\. server x says: (all is well\. ?){100}$/);
  });

  it('instructions of servers outside the toolset are left out', async () => {
    const headers = { 'x-service-toolset': 'server:child' };
    const { initialized } = await McpClient.connect(gateway.url(), { headers });
    expect(initialized['instructions'])
      .match(/ Servers:\n- child says "[^\n]*"$/)
      .and.not.include('web');
  });
});
