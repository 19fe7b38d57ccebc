import { expect } from 'chai';
import fc from 'fast-check';
import { hasShare } from '../../../kernel/lib/shares.ts';

const MAX = 120;

/** What each holds when they all take whatever they get, in turn. */
function greedy(count: number): readonly number[] {
  const held = Array.from({ length: count }, () => 0);
  const kept = (): number => held.reduce((sum, one) => sum + one, 0);
  for (let isTaking = true; isTaking;) {
    isTaking = false;
    for (const [at, own] of held.entries()) {
      if (!hasShare({ held: own, kept: kept(), max: MAX })) continue;
      held[at] = own + 1;
      isTaking = true;
    }
  }
  return held;
}

describe('hasShare', () => {
  it('leaves one part for a newcomer: one owner gets half, two a third each, three a quarter', () => {
    for (const count of [1, 2, 3, 4, 5])
      expect(greedy(count)).to.deep.equal(Array(count).fill(MAX / (count + 1)));
  });

  it('has room for whoever holds nothing until everything is taken', () => {
    fc.assert(
      fc.property(fc.nat(MAX - 1), (kept) => {
        expect(hasShare({ held: 0, kept, max: MAX })).to.equal(true);
        expect(hasShare({ held: 0, kept: MAX, max: MAX })).to.equal(false);
      }),
    );
  });
});
