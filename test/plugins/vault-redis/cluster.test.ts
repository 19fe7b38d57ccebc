import { createConnection, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { newKeyRing } from '../../../plugins/kit/secrets/keyRing.ts';
import { startGateway, vaultContract } from '../../contract/index.ts';
import type { TestGateway } from '../../contract/index.ts';
import { Channel } from '../../../plugins/contracts/processes.ts';
import { defer } from '../../support/cleanup.ts';
import { refusalOf } from '../../support/kernel.ts';
import { clientOf, joinChannel, needRedis, openVault, startCluster } from '../../support/redis.ts';
import type { RedisServer } from '../../support/redis.ts';
import { until } from '../../support/until.ts';

const KEYS = Array.from({ length: 60 }, (_, at) => `note:${at}`);

describe('plugin vault-redis: cluster', function () {
  this.timeout(20_000);
  let nodes: readonly RedisServer[];
  let url: readonly string[];
  let tests = 0;
  before(async function () {
    needRedis(this);
    nodes = await startCluster();
    url = nodes.map((node) => node.url);
  });
  const config = () => ({ url, cluster: true, keyPrefix: `test*[${tests}]:` });
  beforeEach(() => (tests += 1));

  vaultContract(() => ({
    name: 'vault-redis',
    plugins: { 'vault-redis': { config: config() } },
    isLasting: true,
  }));

  it('refuses to use one node of it, Valkey included, as if that had all keys', async () => {
    for (const node of [url[1] ?? '', await asValkey(nodes[1] as RedisServer)]) {
      const { message } = await refusalOf(() => openVault({ url: node }));
      expect(message).include('is a node of a cluster; set plugins.vault-redis.config.cluster: true');
    }
  });

  it('brings messages in order to all other processes', async () => {
    const ring = newKeyRing();
    const [a, b] = await Promise.all(['a', 'b'].map((own) => joinChannel(config(), own, ring)));
    const all = Array.from({ length: 100 }, (_, at) => ({ at }));
    for (const message of all) a?.channel.publish('news', message);
    await until(() => b?.received.length === all.length, { what: 'the messages' });
    expect(b?.received).deep.equal(all);
  });

  it('follows slots that have moved to another master', async () => {
    const { vault } = await openVault(config());
    const [first, second] = nodes.slice(0, 2).map(clientOf);
    await vault.set('moved', 0);
    await vault.delete('moved');
    const slot = (await first?.cluster('KEYSLOT', `test*[${tests}]:moved`)) ?? 0;
    const owner = (await second?.cluster('MYID')) as string;
    for (const client of [first, second, clientOf(nodes[2] as RedisServer)])
      await client?.cluster('SETSLOT', slot, 'NODE', owner);
    await Promise.all(KEYS.map(() => vault.set('moved', 1)));
    expect(await vault.get('moved')).equal(1);
  });

  /** A process that verifies by itself only once in an hour. */
  async function startProcess(more: object): Promise<TestGateway> {
    const settings = { ...config(), secret: 's'.repeat(32), timeoutMs: 400, verifyMs: 3_600_000, ...more };
    const gateway = await startGateway({
      plugins: { 'vault-redis': { config: settings } },
      builtIns: ['vault-redis', 'http'],
    });
    defer(() => gateway.stop());
    return gateway;
  }
  const replicationOf = (node: RedisServer): Promise<string> => clientOf(node).info('replication');

  it('is used with the rights that the README names', async () => {
    const rights =
      '~test* &test* +@read +@write +@connection +@pubsub +@scripting +info +time +cluster|slots';
    for (const node of nodes) await clientOf(node).acl('SETUSER', 'kim', 'on', '>word', ...rights.split(' '));
    await startProcess({ username: 'kim', password: 'word', keyPrefix: 'test:' });
  });

  it('tells others that messages were lost with a master, though their own connections have stayed', async () => {
    const keyPrefix = await prefixAtFirst(clientOf(nodes[1] as RedisServer));
    const settings = { ...config(), keyPrefix, url: url.slice(1, 3) };
    const ring = newKeyRing();
    const [a, b] = await Promise.all(['a', 'b'].map((own) => joinChannel(settings, own, ring)));
    await clientOf(nodes[0] as RedisServer).call('CLIENT', 'PAUSE', 600);
    a?.channel.publish('news', { at: 'late' });
    await a?.log.heard('a message to other processes is lost');
    const verified = (): Promise<boolean> | undefined =>
      a?.channel.verify().then(
        () => true,
        () => false,
      );
    await until(verified, { what: 'the channel' });
    await until(() => (b?.gaps() ?? 0) > 1, { what: 'the gap' });
  });

  it('uses a replica that has become master, and loses no value that it had', async () => {
    const ring = newKeyRing();
    const { vault } = await openVault(config(), ring);
    const { channel } = await joinChannel(config(), 'a', ring);
    const other = await joinChannel(config(), 'b', ring);
    await Promise.all(KEYS.map((key) => vault.set(key, key)));
    await clientOf(nodes[0] as RedisServer).wait(1, 1_000);
    await nodes[0]?.kill();
    const get = () => Promise.all(KEYS.map((key) => vault.get(key)));
    expect(await refusalOf(get)).include({ code: 'STORE_UNREACHABLE' });
    expect(await refusalOf(() => vault.list(''))).include({ code: 'STORE_UNREACHABLE' });
    const all = { what: 'all masters', withinMs: 10_000 };
    expect(await until(() => get().catch(() => undefined), all)).deep.equal(KEYS);
    expect(await until(() => vault.list('').catch(() => undefined), all)).deep.equal([...KEYS].sort());
    await until(() => other.gaps() > 1, { what: 'the gap' });
    channel.publish('news', { at: 'new' });
    await until(() => other.received.length > 0, { what: 'a message' });
  });

  for (const how of ['on request', 'after its end'])
    it(`is verified when another master takes the place of one ${how}, and what was missed is read`, async () => {
      const [one, other] = [nodes[0], nodes[3]] as [RedisServer, RedisServer];
      const isSecond = (await replicationOf(other)).includes('role:master');
      const [former, next] = isSecond ? [other, one] : [one, other];
      await next.restart();
      await until(async () => (await replicationOf(next)).includes('link_status:up'), {
        what: 'the replica',
      });
      const client = clientOf(next);
      await client.config('SET', 'maxmemory', '100mb');
      await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
      const keyPrefix = await prefixAtFirst(client);
      // Its subscription is at a master that stays.
      const process = await startProcess({ keyPrefix, url: url.slice(1, 3) });
      const channel = process.get(Channel);
      let gaps = 0;
      channel.subscribe('news', { message: () => undefined, gap: () => (gaps += 1) });
      // Without TAKEOVER the other masters vote, and Redis gives up after 5 s if they are slow, though it has answered OK.
      if (how === 'on request') await client.cluster('FAILOVER', 'TAKEOVER');
      else await former.kill();
      const isReady = async (): Promise<boolean> => (await fetch(`${process.url()}/ready`)).ok;
      const isRefused = async (): Promise<boolean> => {
        channel.publish('news', {});
        return !(await isReady());
      };
      await until(isRefused, { what: 'the refusal', withinMs: 10_000 });
      expect(gaps).equal(0);
      await client.config('SET', 'maxmemory-policy', 'noeviction');
      await until(isReady, { what: 'its end', withinMs: 5_000 });
      expect(gaps).equal(1);
    });
});

/** The server with Valkey's name of its mode, in as many bytes. @returns its url */
async function asValkey({ port }: RedisServer): Promise<string> {
  const proxy = createServer((client) => {
    const redis = createConnection(port, '127.0.0.1');
    const end = (): void => [client, redis].forEach((socket) => void socket.destroy());
    for (const socket of [client, redis]) socket.on('error', end).on('close', end);
    redis.setEncoding('latin1').on('data', (text: string) => {
      client.write(text.replace(/redis_mode([^]*?gcc_versio)n/, 'server_mode$1'), 'latin1');
    });
    client.pipe(redis);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  defer(() => void proxy.close());
  return `redis://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

/** @returns a prefix whose channel is at the first of three masters */
async function prefixAtFirst(client: Redis): Promise<string> {
  const candidates = Array.from({ length: 50 }, (_, at) => `test-${at}:`);
  const slots = await Promise.all(candidates.map((one) => client.cluster('KEYSLOT', `${one}"channel"`)));
  return candidates[slots.findIndex((slot) => slot <= 5_460)] ?? '';
}
