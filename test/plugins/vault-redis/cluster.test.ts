import { expect } from 'chai';
import { newKeyRing } from '../../../plugins/kit/secrets/keyRing.ts';
import { vaultContract } from '../../contract/index.ts';
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

  it('refuses to use one node of it as if that had all keys', async () => {
    const { message } = await refusalOf(() => openVault({ url: url[1] ?? '' }));
    expect(message).include('is a node of a cluster; set plugins.vault-redis.config.cluster: true');
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
});
