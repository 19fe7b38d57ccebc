import { expect } from 'chai';
import { RateLimit } from '../../../../plugins/kit/http/rateLimit.ts';
import { heapUsed } from '../../../support/heap.ts';

describe('plugins/kit: a limit of requests', () => {
  const many = 10_000;

  it('admits so many of each address, and forgets the address that was away longest once there are very many', () => {
    const limit = new RateLimit(() => 2, 60);
    const twice = (key: string): void => {
      limit.admits(key);
      limit.admits(key);
    };
    twice('first');
    twice('second');
    expect(limit.admits('first')).equal(false);
    for (let at = 2; at < many; at += 1) limit.admits(`address ${at}`);
    expect(limit.admits('first')).equal(false);
    limit.admits('one more');
    expect([limit.admits('first'), limit.admits('second')]).deep.equal([false, true]);
  });

  it('takes no room for addresses that never came', () => {
    const before = heapUsed();
    const limits = Array.from({ length: 100 }, () => new RateLimit(() => 2, 60));
    expect(heapUsed() - before).below(2_000_000);
    expect(limits.every((limit) => limit.admits('a'))).equal(true);
  });
});
