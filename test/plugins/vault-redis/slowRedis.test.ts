import { expect } from 'chai';
import { newKeyRing } from '../../../plugins/kit/secrets/keyRing.ts';
import { refusalOf } from '../../support/kernel.ts';
import { joinChannel, needRedis, openVault, slowRedis, startRedis } from '../../support/redis.ts';
import type { RedisServer } from '../../support/redis.ts';
import { until } from '../../support/until.ts';

describe('plugin vault-redis: slow Redis', function () {
  this.timeout(20_000);
  let server: RedisServer;
  let tests = 0;
  before(async function () {
    needRedis(this);
    server = await startRedis();
  });
  const keyPrefix = (): string => `test${(tests += 1)}:`;

  it('performs every operation if each answer takes 300 ms', async () => {
    const { url, delay } = await slowRedis(server);
    delay(300);
    const { vault } = await openVault({ url, keyPrefix: keyPrefix(), timeoutMs: 1_500 });
    await Promise.all([vault.set('note:a', 1), vault.putIfAbsent('note:b', 1), vault.set('note:c', 1)]);
    expect(await vault.list('note:')).deep.equal(['note:a', 'note:b', 'note:c']);
    const swapped = vault.compareAndSwap('note:a', 1, 2);
    expect(await Promise.all([vault.take('note:c'), swapped])).deep.equal([1, true]);
  });

  it('fails operations whose answer takes too long, and works again once answers are faster', async () => {
    const { url, delay } = await slowRedis(server);
    const { vault } = await openVault({ url, keyPrefix: keyPrefix(), timeoutMs: 200 });
    await vault.set('note:a', 1);
    delay(600);
    const refused = await Promise.all([
      refusalOf(() => vault.get('note:a')),
      refusalOf(() => vault.set('note:b', 1)),
      refusalOf(() => vault.compareAndSwap('note:a', 1, 2)),
      refusalOf(() => vault.list('')),
    ]);
    expect(refused.map(({ code }) => code)).deep.equal(Array(4).fill('STORE_UNREACHABLE'));
    delay(0);
    await until(() => vault.get('note:a').catch(() => undefined), { what: 'an answer' });
    expect(await vault.get('note:b')).equal(1, 'a write without an answer may have taken effect');
  });

  it('replaces connections that carry nothing more without a word', async () => {
    const { url, swallow } = await slowRedis(server);
    const ring = newKeyRing();
    const change = { url, keyPrefix: keyPrefix(), timeoutMs: 200 };
    const { vault } = await openVault(change, ring);
    const { gaps } = await joinChannel(change, 'a', ring, 100);
    await vault.set('note:a', 1);
    swallow();
    await until(() => vault.get('note:a').catch(() => undefined), { what: 'an answer' });
    await until(() => gaps() > 1, { what: 'the subscription' });
  });

  it('receives its own messages again, and refuses nothing, though its subscription carries nothing more', async () => {
    const { url, swallow } = await slowRedis(server);
    const change = { url, keyPrefix: keyPrefix(), timeoutMs: 400 };
    const { channel, connection, gaps } = await joinChannel(change, 'a', newKeyRing());
    swallow();
    connection.reopen();
    await channel.verify();
    expect(gaps()).equal(2);
  });
});
