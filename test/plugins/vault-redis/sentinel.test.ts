import { expect } from 'chai';
import { newKeyRing } from '../../../plugins/kit/secrets/keyRing.ts';
import { vaultContract } from '../../contract/index.ts';
import { refusalOf } from '../../support/kernel.ts';
import { clientOf, joinChannel, needRedis, openVault, startSentinel } from '../../support/redis.ts';
import type { Watched } from '../../support/redis.ts';
import { until } from '../../support/until.ts';

describe('plugin vault-redis: sentinel', function () {
  this.timeout(20_000);
  let watched: Watched;
  let tests = 0;
  before(async function () {
    needRedis(this);
    watched = await startSentinel();
  });
  const config = () => ({
    url: [watched.sentinel.url],
    sentinelMaster: 'main',
    keyPrefix: `test*[${tests}]:`,
  });
  beforeEach(() => (tests += 1));

  vaultContract(() => ({
    name: 'vault-redis',
    plugins: { 'vault-redis': { config: config() } },
    isLasting: true,
  }));

  it('refuses to use a sentinel as if that had keys', async () => {
    const { message } = await refusalOf(() => openVault({ url: watched.sentinel.url }));
    expect(message).include('is a sentinel; set plugins.vault-redis.config.sentinelMaster');
  });

  it('uses a replica that has become master, and loses no value that it had', async () => {
    const ring = newKeyRing();
    const { vault } = await openVault(config(), ring);
    const { channel } = await joinChannel(config(), 'a', ring);
    const other = await joinChannel(config(), 'b', ring);
    await Promise.all([1, 2, 3].map((at) => vault.set(`note:${at}`, at)));
    await clientOf(watched.master).wait(1, 1_000);
    await watched.master.kill();
    const get = () => Promise.all([1, 2, 3].map((at) => vault.get(`note:${at}`)));
    expect(
      await until(() => get().catch(() => undefined), { what: 'the new master', withinMs: 10_000 }),
    ).deep.equal([1, 2, 3]);
    await vault.set('note:4', 4);
    expect(await vault.list('')).length(4);
    await until(() => other.gaps() > 1, { what: 'the gap' });
    channel.publish('news', { at: 'new' });
    await until(() => other.received.length > 0, { what: 'a message' });
  });
});
