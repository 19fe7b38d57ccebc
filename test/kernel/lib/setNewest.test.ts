import { expect } from 'chai';
import { setNewest } from '../../../kernel/lib/setNewest.ts';

describe('setNewest', () => {
  it('keeps the newest, counts one that comes again as new, and heeds a lower limit at once', () => {
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
