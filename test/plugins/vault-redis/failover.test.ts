import { expect } from 'chai';
import { startGateway } from '../../contract/index.ts';
import { defer } from '../../support/cleanup.ts';
import { clientOf, needRedis, slowRedis, startRedis } from '../../support/redis.ts';
import { until } from '../../support/until.ts';

describe('plugin vault-redis: a failover behind one name', function () {
  this.timeout(20_000);
  before(function () {
    needRedis(this);
  });

  it('is followed by a process whose connection has stayed, which asks for the name seldom until then', async () => {
    const former = await startRedis();
    const next = await startRedis(['--replicaof', `127.0.0.1 ${former.port}`]);
    const name = await slowRedis(former);
    const settings = { url: name.url, secret: 'one secret of thirty-two characters or more', verifyMs: 500 };
    const gateway = await startGateway({
      plugins: { 'vault-redis': { config: settings } },
      builtIns: ['vault-redis', 'http', 'front', 'transport-http'],
    });
    defer(() => gateway.stop());
    const status = async (): Promise<number> => (await fetch(`${gateway.url()}/ready`)).status;
    const client = clientOf(next);
    const isLinked = async (): Promise<boolean> =>
      (await client.info('replication')).includes('master_link_status:up');
    await until(isLinked, { what: 'the replica', withinMs: 10_000 });
    const before = name.connections();
    await client.replicaof('NO', 'ONE');
    await clientOf(former).replicaof('127.0.0.1', next.port);
    await until(async () => (await status()) === 503, { what: 'the refusal' });
    const refusedAt = Date.now();
    await until(() => name.connections() > before + 1, { what: 'new connections to the former one' });
    expect(await status()).equal(503);
    name.lead(next);
    // Nothing is written meanwhile, which a replica would refuse.
    await until(async () => (await status()) === 200, { what: 'the use of the new one', withinMs: 5_000 });
    expect(name.connections() - before).most(2 + (Date.now() - refusedAt) / 500);
  });
});
