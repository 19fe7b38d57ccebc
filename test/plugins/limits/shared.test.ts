import { expect } from 'chai';
import type { Call } from '../../../kernel/contracts/call.ts';
import { Leases } from '../../../plugins/limits/leases.ts';
import { Limits } from '../../../plugins/limits/limits.ts';
import type { VaultRedisConfig } from '../../../plugins/vault-redis/config.ts';
import type { RedisConnection } from '../../../plugins/vault-redis/redisConnection.ts';
import { RedisQuotas } from '../../../plugins/vault-redis/redisQuotas.ts';
import { defer } from '../../support/cleanup.ts';
import { needRedis, openConnection, startRedis } from '../../support/redis.ts';
import type { RedisServer } from '../../support/redis.ts';
import { until } from '../../support/until.ts';
import { META, READ, WRITE, callOf, configOf, inner } from './calls.ts';

describe('limits that processes share', function () {
  this.timeout(20_000);
  let redis: RedisServer;
  let connection: RedisConnection;
  let config: () => VaultRedisConfig;

  /** Another process with these limits. */
  const processOf = (own: string, limits: object): Limits => {
    const quotas = new RedisQuotas(connection, config, own);
    const leases = new Leases(() => quotas);
    defer(() => leases.close());
    return new Limits(configOf({ ...limits, shared: true }), leases);
  };
  const admit = async (limits: Limits, call: Call): Promise<string> => {
    try {
      await limits.admit(call, performance.now());
      return 'admitted';
    } catch (error) {
      return (error as Error).message;
    }
  };

  beforeEach(async function () {
    needRedis(this);
    redis = await startRedis();
    ({ connection, config } = await openConnection({ url: redis.url }));
  });

  it('admit one burst at all processes together, and say when to try again', async () => {
    const rate = { perTool: { callsPerMinute: 1, burst: 5 } };
    const processes = ['a', 'b', 'c'].map((own) => processOf(own, rate));
    const asked = processes.flatMap((one) => Array.from({ length: 4 }, () => admit(one, inner(READ))));
    const answers = await Promise.all(asked);
    expect(answers.filter((answer) => answer === 'admitted')).length(5);
    const refused = answers.find((answer) => answer !== 'admitted');
    expect(refused).match(/^tool x_github_read is limited to 1 call a minute; try again in (59.\d|60) s$/);
    expect(await Promise.all(processes.map((one) => admit(one, inner(WRITE))))).deep.equal(
      Array(3).fill('admitted'),
    );
  });

  it('let no more calls run at a time than one process might alone', async () => {
    const width = { perServer: { concurrent: 3 }, busyRetrySeconds: 2 };
    const [a, b] = [processOf('a', width), processOf('b', width)];
    const calls = Array.from({ length: 3 }, () => inner(READ));
    for (const call of calls) expect(await admit(a, call)).equal('admitted');
    expect(await admit(b, inner(READ))).equal('server github is limited to 3 at a time; try again in 2 s');
    for (const call of calls) a.settle(call);
    await until(async () => (await admit(b, inner(READ))) === 'admitted', { what: 'they are given back' });
  });

  it('cost a round trip a window and limit, not one a call', async () => {
    const wide = { perServer: { callsPerMinute: 60_000, burst: 60_000, concurrent: 100 } };
    const limits = processOf('a', wide);
    for (let at = 0; at < 1_000; at += 1) {
      const call = inner(READ);
      expect(await admit(limits, call)).equal('admitted');
      limits.settle(call);
    }
    const stats = await connection.run((client) => client.info('commandstats'));
    // Each draw is twice as large as the one before: ten of them, and one for each second of a slow machine.
    expect(Number(/cmdstat_eval:calls=(\d+)/.exec(stats)?.[1])).within(1, 30);
  });

  it('refuse a call while the store is away, and admit it when it is back', async () => {
    const limits = processOf('a', { perCaller: { callsPerMinute: 60, burst: 5 } });
    await redis.kill();
    expect(await admit(limits, callOf(META))).match(/^Redis at .* does not answer/);
    await redis.restart();
    await until(async () => (await admit(limits, callOf(META))) === 'admitted', { what: 'it is back' });
  });

  it('show neither sessions nor callers in the store', async () => {
    const limits = processOf('a', { perSession: { concurrent: 5 }, perCaller: { concurrent: 5 } });
    const request = { sessionId: 'session-of-ada', remoteAddress: '192.0.2.7' };
    expect(await admit(limits, callOf(META, request))).equal('admitted');
    const names = await connection.run((client) => client.keys('*'));
    expect(names).length(2);
    expect(names.join(' ')).not.match(/ada|192/);
  });
});
