import { expect } from 'chai';
import { setNewest } from '../../../../plugins/kit/limits/setNewest.ts';

describe('setNewest', () => {
  it('keeps the newest, counts a repeated one as new, and applies a lower limit at once', () => {
    const map = new Map<string, number>();
    for (const [at, key] of ['a', 'b', 'c', 'a', 'd'].entries()) setNewest(map, [key, at], 3);
    expect([...map]).to.deep.equal([
      ['c', 2],
      ['a', 3],
      ['d', 4],
    ]);
    setNewest(map, ['e', 5], 1);
    expect([...map]).to.deep.equal([['e', 5]]);
  });
});
