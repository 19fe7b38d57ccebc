import { expect } from 'chai';
import fc from 'fast-check';
import { hasShare, surplus } from '../../../../plugins/kit/limits/shares.ts';

const MAX = 120;

/** Units each owner holds when all take as many as they can, in turn. */
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

  it('has room for an owner that holds nothing until everything is taken', () => {
    fc.assert(
      fc.property(fc.nat(MAX - 1), (kept) => {
        expect(hasShare({ held: 0, kept, max: MAX })).to.equal(true);
        expect(hasShare({ held: 0, kept: MAX, max: MAX })).to.equal(false);
      }),
    );
  });
});

describe('surplus', () => {
  const letters = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 60 });
  const of = {
    owner: ({ owner }: { owner: string }) => owner,
    weight: ({ weight }: { weight: number }) => weight,
  };
  const items = (owners: string, weights: readonly number[] = []) =>
    Array.from(owners, (owner, at) => ({ owner, weight: weights[at] ?? 1, at }));
  const gone = (owners: string, max: number, weights?: readonly number[]): readonly number[] =>
    surplus(items(owners, weights), max, of).map(({ at }) => at);

  it('is empty while there is room, and the oldest of a single owner', () => {
    expect(gone('aab', 3)).to.deep.equal([]);
    expect(gone('aaaa', 1)).to.deep.equal([0, 1, 2]);
  });

  it('is the oldest of the owner that holds most, and the oldest of equal owners', () => {
    expect(gone('bbaaaa', 5)).to.deep.equal([2]);
    expect(gone('bbaaaa', 3)).to.deep.equal([2, 3, 0]);
    expect(gone('cab', 2)).to.deep.equal([0]);
  });

  it('counts weight: one heavy item outweighs many light ones', () => {
    expect(gone('aaab', 10, [1, 1, 1, 9])).to.deep.equal([3]);
  });

  it('equals the result of removing one item at a time', () => {
    fc.assert(
      fc.property(letters, fc.nat(60), (owners, max) => {
        const left = items(owners.join(''));
        const steps: number[] = [];
        while (left.length > max) {
          const held = (owner: string): number => left.filter((one) => one.owner === owner).length;
          const most = Math.max(...left.map(({ owner }) => held(owner)));
          const oldest = left.findIndex(({ owner }) => held(owner) === most);
          steps.push(...left.splice(oldest, 1).map(({ at }) => at));
        }
        expect(gone(owners.join(''), max)).to.deep.equal(steps);
      }),
    );
  });
});
