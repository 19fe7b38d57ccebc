import { expect } from 'chai';
import fc from 'fast-check';
import type { VaultRedisConfig } from '../../../plugins/vault-redis/config.ts';
import type { RedisConnection } from '../../../plugins/vault-redis/redisConnection.ts';
import type { Draw, Drawn, Quota, Quotas } from '../../../plugins/contracts/processes.ts';
import { RedisQuotas } from '../../../plugins/vault-redis/redisQuotas.ts';
import { needRedis, openConnection, startRedis } from '../../support/redis.ts';

const SLOW: Quota = { callsPerMinute: 1, burst: 4, concurrent: 0 };
const NARROW: Quota = { callsPerMinute: 0, burst: 1, concurrent: 3 };

describe('plugin vault-redis: quotas', function () {
  this.timeout(20_000);
  let connection: RedisConnection;
  /** One for each process. */
  let a: Quotas;
  let b: Quotas;
  const processOf = (own: string): Quotas => new RedisQuotas(connection, config, own);
  let config: () => VaultRedisConfig;
  let lastName = 0;
  const newName = (): string => `tool:${(lastName += 1)}`;
  const draw = (quotas: Quotas, name: string, quota: Quota, part: Partial<Draw>): Promise<Drawn> =>
    quotas.draw(name, quota, { calls: 0, spare: 0, back: 0, hold: 0, ...part });

  beforeEach(async function () {
    needRedis(this);
    const { url } = await startRedis();
    ({ connection, config } = await openConnection({ url, keyPrefix: 'p:' }));
    [a, b] = [processOf('a'), processOf('b')];
  });

  it('grant all processes together one burst, and say when the next call can be made', async () => {
    const name = newName();
    const drawn = await Promise.all([a, b, a, b, a, b].map((one) => draw(one, name, SLOW, { calls: 1 })));
    expect(drawn.map(({ calls }) => calls)).deep.equal([1, 1, 1, 1, 0, 0]);
    expect(drawn[5]?.waitMs).within(55_000, 60_000);
    expect((await draw(a, newName(), SLOW, { calls: 1 })).calls).equal(1);
  });

  it('refill at the rate by the clock of Redis', async () => {
    const name = newName();
    const fast = { ...SLOW, callsPerMinute: 600 };
    expect((await draw(a, name, fast, { calls: 10 })).calls).equal(4);
    const { waitMs } = await draw(b, name, fast, { calls: 1 });
    expect(waitMs).within(1, 100);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    expect((await draw(b, name, fast, { calls: 1 })).calls).equal(1);
  });

  it('grant in advance at most half of what remains, and take back what was not used', async () => {
    const name = newName();
    expect((await draw(a, name, SLOW, { calls: 1, spare: 9 })).calls).equal(2);
    expect((await draw(b, name, SLOW, { calls: 9 })).calls).equal(2);
    await draw(a, name, SLOW, { back: 1 });
    expect((await draw(b, name, SLOW, { calls: 9 })).calls).equal(1);
  });

  it('let no more calls run at a time than all processes together may hold', async () => {
    const name = newName();
    expect((await draw(a, name, NARROW, { hold: 2 })).held).equal(2);
    expect((await draw(b, name, NARROW, { hold: 2 })).held).equal(1);
    expect((await draw(a, name, NARROW, { hold: 0 })).held).equal(0);
    expect((await draw(b, name, NARROW, { hold: 5 })).held).equal(3);
  });

  it('free the running calls of a process that has ended', async () => {
    const name = newName();
    await draw(a, name, NARROW, { hold: 3 });
    expect((await draw(b, name, NARROW, { hold: 1 })).held).equal(0);
    // As it is 30 s later.
    await connection.run((client) => client.hset(`p:"quota":${name}`, 'a', '3 1'));
    expect((await draw(b, name, NARROW, { hold: 3 })).held).equal(3);
  });

  it('keep no key of a limit that is not used any more', async () => {
    const name = newName();
    await draw(a, name, { ...SLOW, concurrent: 1 }, { calls: 4, hold: 1 });
    expect(await connection.run((client) => client.pttl(`p:"quota":${name}`))).within(1, 240_000);
  });

  it('never grant more than the burst, whatever processes draw and give back', async () => {
    const processes = ['a', 'b', 'c'].map(processOf);
    const step = fc.record({ at: fc.nat(2), calls: fc.nat(5), spare: fc.nat(9), returned: fc.nat(9) });
    const rule = fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const name = newName();
      const unused = [0, 0, 0];
      for (const { at, calls, spare, returned } of steps) {
        const back = Math.min(returned, unused[at] ?? 0);
        const one = processes[at] ?? a;
        const drawn = await draw(one, name, { ...SLOW, callsPerMinute: 0.001 }, { calls, spare, back });
        unused[at] = (unused[at] ?? 0) - back + drawn.calls;
        expect(unused.reduce((sum, count) => sum + count)).at.most(4);
      }
    });
    await fc.assert(rule, { numRuns: 50 });
  });
});
