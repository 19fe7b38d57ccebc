import { expect } from 'chai';
import fc from 'fast-check';
import { backoffMs } from '../../../../plugins/upstream/client/backoffMs.ts';

describe('backoffMs', () => {
  it('doubles from firstMs up to maxMs, jittered over the upper half', () => {
    const options = { firstMs: 100, maxMs: 1_000 };
    const upper = [1, 2, 3, 4, 5, 6].map((attempt) => backoffMs(attempt, options, 1));
    const lower = [1, 2, 3, 4, 5, 6].map((attempt) => backoffMs(attempt, options, 0));
    expect(upper).to.deep.equal([100, 200, 400, 800, 1_000, 1_000]);
    expect(lower).to.deep.equal([50, 100, 200, 400, 500, 500]);
  });

  it('stays within half the ceiling and maxMs for any attempt', () => {
    const attempts = fc.integer({ min: 1, max: 1_000_000 });
    const chance = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(
        attempts,
        fc.integer({ min: 1, max: 10_000 }),
        fc.integer({ min: 1, max: 600_000 }),
        chance,
        (attempt, firstMs, maxMs, random) => {
          const ms = backoffMs(attempt, { firstMs, maxMs }, random);
          const ceiling = Math.min(maxMs, firstMs * 2 ** Math.min(attempt - 1, 30));
          expect(ms).within(Math.floor(ceiling / 2), ceiling);
        },
      ),
    );
  });
});
