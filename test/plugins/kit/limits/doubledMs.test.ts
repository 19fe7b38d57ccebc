import { expect } from 'chai';
import fc from 'fast-check';
import { doubledMs } from '../../../../plugins/kit/limits/doubledMs.ts';

describe('plugins/kit/limits/doubledMs', () => {
  it('begins with the first wait, doubles it, and ends at the longest', () => {
    expect([1, 2, 3, 4, 5].map((failures) => doubledMs(failures, 100, 1_000))).deep.equal([
      100, 200, 400, 800, 1_000,
    ]);
  });

  it('is a number between the two after any number of failures', () => {
    const ms = fc.integer({ min: 1, max: 86_400_000 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e9 }), ms, ms, (failures, one, other) => {
        const [first, longest] = [Math.min(one, other), Math.max(one, other)];
        expect(doubledMs(failures, first, longest)).within(first, longest);
      }),
    );
  });
});
