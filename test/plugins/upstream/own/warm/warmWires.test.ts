import { expect } from 'chai';
import { eventually } from '../../../../contract/index.ts';
import { toldIn } from '../../../../support/talkingClient.ts';
import type { TalkingClient } from '../../../../support/talkingClient.ts';
import { Counters, count, countShared, counterProcesses } from '../../counters.ts';
import { isAlive } from '../../support.ts';

const WITHIN_MS = 10_000;
const ENDED = 'a process that was started ahead has ended';

interface Numbers {
  readonly mode: string;
  readonly running: number;
  readonly max: number;
  readonly warm?: number;
}

async function numbers(client: TalkingClient): Promise<Numbers> {
  const answer = await client.call('core_service_status', { name: 'counter' }).answer();
  const { metadata } = toldIn(answer) as { readonly metadata: { readonly instances: Numbers } };
  return metadata.instances;
}

/** Waits for so many instances and warm processes. */
async function reaches(client: TalkingClient, running: number, warm: number): Promise<void> {
  const isSo = async (): Promise<boolean> => {
    const found = await numbers(client);
    return found.running === running && found.warm === warm;
  };
  await eventually(isSo, `${running} instances and ${warm} warm processes`, WITHIN_MS);
}

/** Starts the gateway, and connects a client that has no instance yet. */
async function start(definition: object, config: object = {}): Promise<[Counters, TalkingClient]> {
  const counters = await Counters.start({ instances: 'perSession', ...definition }, { config });
  return [counters, await counters.connect()];
}

/** All of the server, once there are so many. */
async function processes(amount: number): Promise<readonly number[]> {
  await eventually(() => counterProcesses().length === amount, `${amount} processes`, WITHIN_MS);
  return counterProcesses();
}

describe('upstream: processes that are started ahead', () => {
  it('are not there by default', async () => {
    const [, client] = await start({});
    await count(client);
    expect(await numbers(client)).to.deep.equal({ mode: 'perSession', running: 1, max: 20 });
    expect(counterProcesses()).to.have.length(2);
  });

  it('wait for sessions, and each that is taken is followed by another', async () => {
    const [counters, client] = await start({ warmInstances: 2 });
    await reaches(client, 0, 2);
    const ahead = await processes(3);
    const clients = [client, await counters.connect()];
    const counts = await Promise.all(clients.map(count));
    expect(new Set(counts.map(({ pid }) => pid)).size).to.equal(2);
    expect(ahead).to.include.members(counts.map(({ pid }) => pid));
    await reaches(client, 2, 2);
    expect(await Promise.all(clients.map(count))).to.deep.equal(counts.map((one) => ({ ...one, count: 2 })));
    await processes(5);
  });

  it('are told what the client of their session declares', async () => {
    const [counters, client] = await start({ warmInstances: 1 });
    await reaches(client, 0, 1);
    expect(await client.told('x_counter_declared')).to.deep.equal({});
    await reaches(client, 1, 1);
    const other = await counters.connect({ elicitation: {} });
    expect(await other.told('x_counter_declared')).to.have.keys('elicitation');
  });

  it('never exceed maxInstances together with the instances', async () => {
    const [counters, client] = await start({ warmInstances: 2, maxInstances: 2 });
    await reaches(client, 0, 2);
    await count(client);
    await reaches(client, 1, 1);
    const other = await counters.connect();
    await count(other);
    await reaches(client, 2, 0);
    await processes(3);
    await fetch(other.url, { method: 'DELETE', headers: other.headers });
    await reaches(client, 1, 1);
    await processes(3);
  });

  it('that die are replaced', async () => {
    const [counters, client] = await start({ warmInstances: 1 }, { backoffFirstMs: 1 });
    await reaches(client, 0, 1);
    const { pid: shared } = await countShared(counters);
    const [first] = (await processes(2)).filter((pid) => pid !== shared);
    process.kill(first!, 'SIGKILL');
    await eventually(() => counters.gateway.log.some(({ text }) => text === ENDED), ENDED);
    await reaches(client, 0, 1);
    expect(counterProcesses()).to.have.length(2).and.not.include(first);
    expect((await count(client)).count).to.equal(1);
  });

  it('that die are replaced after the back-off only, while sessions start their own', async () => {
    const [counters, client] = await start(
      { warmInstances: 2 },
      { backoffFirstMs: 600_000, backoffMaxMs: 600_000 },
    );
    await reaches(client, 0, 2);
    const { pid: shared } = await countShared(counters);
    for (const pid of (await processes(3)).filter((one) => one !== shared)) process.kill(pid, 'SIGKILL');
    await reaches(client, 0, 0);
    expect(counters.gateway.log.filter(({ text }) => text === ENDED)).to.have.length(1);
    expect((await count(client)).count).to.equal(1);
    await reaches(client, 1, 0);
    await processes(2);
  });

  it('end with their server, its suspension, and the gateway', async () => {
    const [counters, client] = await start({ warmInstances: 2 });
    await reaches(client, 0, 2);
    const first = await processes(3);
    await client.call('core_service_restart', { name: 'counter' }).answer();
    expect(first.filter(isAlive)).to.deep.equal([]);
    await reaches(client, 0, 2);
    const second = await processes(3);
    await client.call('core_service_stop', { name: 'counter' }).answer();
    expect(second.filter(isAlive)).to.deep.equal([]);
    expect((await numbers(client)).warm).to.equal(0);
    await client.call('core_service_start', { name: 'counter' }).answer();
    await reaches(client, 0, 2);
    await processes(3);
    await counters.gateway.stop();
    expect(counterProcesses()).to.deep.equal([]);
  });

  it('follow the definition', async () => {
    const [, client] = await start({ warmInstances: 1, idleTimeout: 600 });
    const update = (more: object): Promise<unknown> =>
      client.call('core_mcpserver_update', { name: 'counter', ...more }).answer();
    await reaches(client, 0, 1);
    const first = await processes(2);
    await update({ env: { A: 'b' } });
    await eventually(() => first.every((pid) => !isAlive(pid)), 'the end of both', WITHIN_MS);
    await reaches(client, 0, 1);
    await update({ warmInstances: 3, idleTimeout: null });
    await reaches(client, 0, 3);
    const second = await processes(4);
    await update({ warmInstances: 1 });
    await reaches(client, 0, 1);
    expect(second).to.include.members([...(await processes(2))]);
    await update({ instances: 'shared' });
    await processes(1);
  });
});
