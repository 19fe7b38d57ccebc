import { expect } from 'chai';
import { bestOf } from '../../../../plugins/metatools/search/bestOf.ts';

describe('metatools: bestOf', () => {
  const scores = Float64Array.from([0, 3, 5, 3, 0, 5, 1]);

  it('returns the places of the highest scores; of equal scores the earlier place', () => {
    expect(bestOf(scores, 3)).to.deep.equal([2, 5, 1]);
    expect(bestOf(scores, 10)).to.deep.equal([2, 5, 1, 3, 6]);
    expect(bestOf(new Float64Array(3), 2)).to.deep.equal([]);
  });

  it('orders equal scores by isFirst', () => {
    expect(bestOf(scores, 3, (at, other) => at > other)).to.deep.equal([5, 2, 3]);
  });

  it('returns the same order as sorting all scores', () => {
    const many = Float64Array.from({ length: 500 }, (_, at) => (at * 7919) % 31);
    const sorted = [...many.keys()].filter((at) => many[at] !== 0);
    sorted.sort((a, b) => (many[b] ?? 0) - (many[a] ?? 0));
    expect(bestOf(many, 64)).to.deep.equal(sorted.slice(0, 64));
  });
});
