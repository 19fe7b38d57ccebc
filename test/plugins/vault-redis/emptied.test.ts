import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { startGateway } from '../../contract/index.ts';
import type { TestGateway } from '../../contract/index.ts';
import { SharedKeys } from '../../../plugins/contracts/processes.ts';
import { Vault } from '../../../plugins/contracts/vault.ts';
import { defer } from '../../support/cleanup.ts';
import { McpClient } from '../../support/mcpClient.ts';
import { clientOf, needRedis, startRedis } from '../../support/redis.ts';
import type { RedisServer } from '../../support/redis.ts';
import { until } from '../../support/until.ts';

const SECRET = 'one secret of thirty-two characters or more';
/** A verification that does not wait for its minute is caused by something else. */
const RARELY = 3_600_000;

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

describe('plugin vault-redis: a Redis that has lost everything', function () {
  this.timeout(20_000);
  let server: RedisServer;
  let redis: Redis;
  beforeEach(async function () {
    needRedis(this);
    server = await startRedis(['--appendonly', 'no']);
    redis = clientOf(server);
  });

  async function start(config: object = {}): Promise<TestGateway> {
    const settings = { url: server.url, secret: SECRET, timeoutMs: 400, ...config };
    const plugins = { 'vault-redis': { config: settings } };
    const gateway = await startGateway({
      plugins,
      builtIns: ['vault-redis', 'http', 'front', 'transport-http'],
    });
    defer(() => gateway.stop());
    return gateway;
  }
  const ready = async (gateway: TestGateway): Promise<unknown> => {
    const response = await fetch(`${gateway.url()}/ready`);
    return [response.status, await response.json()];
  };
  const said = (gateway: TestGateway, text: string): readonly string[] =>
    gateway.log.filter((record) => record.text.includes(text)).map(({ level }) => level);
  const held = (): Promise<number> => redis.exists('pegboard:"keyring"', 'pegboard:"keys"');

  it('is given the keys of a running process again, once it is back or its minute has passed', async () => {
    const slow = await start({ verifyMs: RARELY });
    const keys = slow.get(SharedKeys).keys();
    await server.restart();
    await until(async () => (await held()) === 2, { what: 'the keys after a new connection' });
    const quick = await start({ verifyMs: 100 });
    await redis.flushall();
    await until(async () => (await held()) === 2, { what: 'the keys after a minute' });
    expect(quick.get(SharedKeys).keys()).deep.equal(keys);
    await until(() => said(quick, 'Redis has lost what it held').length === 1, { what: 'the warning' });
    expect(await ready(quick)).deep.equal([200, { status: 'ready' }]);
  });

  it('is used with the keys of all, if another process has begun before them', async () => {
    const running = await start({ verifyMs: RARELY });
    await running.get(Vault).set('note:a', 1);
    const client = await McpClient.connect(running.url());
    const [own] = running.get(SharedKeys).keys() ?? [];
    await redis.flushall();
    const begun = await start({ verifyMs: 100 });
    const [made] = begun.get(SharedKeys).keys() ?? [];
    expect(made).not.deep.equal(own);
    const both = [made, own];
    // What the new one says to itself on the channel was not sealed with the keys of the other.
    await until(() => running.get(SharedKeys).keys()?.length === 2, { what: 'the keys of the other' });
    expect(running.get(SharedKeys).keys()).deep.equal(both);
    await until(() => begun.get(SharedKeys).keys()?.length === 2, { what: 'the keys of the first' });
    expect(begun.get(SharedKeys).keys()).deep.equal(both);
    for (const [one, other] of [
      [running, begun],
      [begun, running],
    ] as const) {
      await one.get(Vault).set('note:b', 2);
      expect(await other.get(Vault).get('note:b')).equal(2);
      expect(await client.movedTo(one.url()).request('ping')).deep.equal({});
    }
  });

  it('continues with open sessions while its plugin restarts', async () => {
    const running = await start();
    const client = await McpClient.connect(running.url());
    const pings: Promise<unknown>[] = [];
    const often = setInterval(() => void pings.push(client.request('ping').catch(String)), 2);
    try {
      await running.restart('vault-redis');
    } finally {
      clearInterval(often);
    }
    expect(await Promise.all(pings)).deep.equal(Array(pings.length).fill({}));
    expect(pings.length).above(1);
    expect(await client.request('ping')).deep.equal({});
  });

  it('learns the ended sessions of running processes again', async () => {
    const running = await start({ verifyMs: 100 });
    const client = await McpClient.connect(running.url());
    expect(await client.end()).equal(204);
    await redis.flushall();
    await until(async () => (await redis.keys('pegboard:ended-session:*')).length === 1, { what: 'the end' });
    const { status } = await client.movedTo((await start()).url()).post(PING);
    expect(status).equal(404);
  });

  it('makes a process with other keys not ready, and says so, until they are the same', async () => {
    const running = await start({ verifyMs: 100 });
    await redis.del('pegboard:"keyring"', 'pegboard:"keys"');
    await redis.set('pegboard:"keyring"', 'sealed under another secret');
    await until(() => said(running, 'not ready until it can').length > 0, { what: 'the error' });
    expect(said(running, 'not ready until it can')).deep.equal(['error']);
    const reason = 'its Redis cannot be used; the log says why';
    expect(await ready(running)).deep.equal([503, { status: 'not ready', reason }]);
    await redis.flushall();
    await until(() => said(running, 'can be used again').length > 0, { what: 'the recovery' });
    expect(await ready(running)).deep.equal([200, { status: 'ready' }]);
  });

  it('is refused where it has come to drop entries, and used again once it does not', async () => {
    const running = await start({ verifyMs: 100 });
    await redis.config('SET', 'maxmemory', '50mb', 'maxmemory-policy', 'allkeys-lru');
    await until(async () => (await fetch(`${running.url()}/ready`)).status === 503, { what: 'the refusal' });
    await redis.config('SET', 'maxmemory-policy', 'noeviction');
    await until(async () => (await fetch(`${running.url()}/ready`)).status === 200, { what: 'the use' });
  });
});
