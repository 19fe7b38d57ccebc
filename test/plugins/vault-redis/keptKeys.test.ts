import { expect } from 'chai';
import type { KeyRing } from '../../../plugins/contracts/vault.ts';
import type { RedisConnection } from '../../../plugins/vault-redis/redisConnection.ts';
import { keptKeys } from '../../../plugins/vault-redis/keptKeys.ts';
import { needRedis, openConnection, startRedis } from '../../support/redis.ts';

const FORMER = 'a former secret of thirty-two characters or more';
const NEW = 'the new secret of thirty-two characters or more';

describe('plugin vault-redis: keys kept in Redis', function () {
  this.timeout(20_000);
  let connection: RedisConnection;
  const keysOf = (...secrets: [string, ...string[]]): Promise<KeyRing> => keptKeys(connection, secrets, 'p:');

  beforeEach(async function () {
    needRedis(this);
    const { url } = await startRedis();
    ({ connection } = await openConnection({ url }));
  });

  it('are made by one process, and those of all processes', async () => {
    const [first, ...others] = await Promise.all(Array.from({ length: 5 }, () => keysOf(FORMER)));
    for (const other of others) expect(other).deep.equal(first);
    const kept = await connection.run((client) => client.getBuffer('p:"keyring"'));
    const [{ key } = { key: '' }] = first ?? [];
    for (const text of [FORMER, key]) expect(kept?.includes(text)).equal(false);
  });

  it('are not opened under another secret, and the error names the key of the configuration', async () => {
    await keysOf(FORMER);
    const error = await keysOf(NEW).catch((thrown: unknown) => thrown);
    const text = String(error);
    expect(text).include('sealed under another secret').and.include('plugins.vault-redis.config.secret');
    expect(text).not.include(NEW);
  });

  it('tell a process that has one secret alone the whole way to another one', async () => {
    await keysOf(FORMER);
    const text = await keysOf(NEW).catch(String);
    const order = ['former one, then the new one, and restart all', 'new one first and restart all'];
    for (const step of [...order, 'remove the former one']) expect(text).include(step);
    await keysOf(NEW, FORMER);
    const late = await keysOf(FORMER).catch(String);
    expect(late).include('has only the former one lists the new one before it').and.not.include(FORMER);
    await keysOf(NEW, FORMER);
    expect(await keysOf(NEW)).length(1);
  });

  it('are sealed under the new secret once a process lists both', async () => {
    const keys = await keysOf(FORMER);
    expect(await keysOf(NEW, FORMER)).deep.equal(keys);
    expect(await keysOf(NEW)).deep.equal(keys);
    expect(await keysOf(FORMER).catch(String)).include('another secret');
  });
});
