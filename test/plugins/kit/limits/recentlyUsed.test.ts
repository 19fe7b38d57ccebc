import { expect } from 'chai';
import { recentlyUsed } from '../../../../plugins/kit/limits/recentlyUsed.ts';
import { heapUsed } from '../../../support/heap.ts';

describe('plugins/kit: a map of what was used recently', () => {
  it('drops what was used longest ago', () => {
    const map = recentlyUsed<number>(2);
    map.set('a', 1).set('b', 2);
    expect(map.get('a')).equal(1);
    map.set('c', 3);
    expect([...map.keys()]).deep.equal(['c', 'a']);
  });

  it('keeps its number of entries when one is set again', () => {
    const map = recentlyUsed<number>(2);
    map.set('a', 1).set('b', 2).set('a', 3).set('a', 4);
    expect([...map.entries()]).deep.equal([
      ['a', 4],
      ['b', 2],
    ]);
  });

  it('takes no room for entries that never came', () => {
    const before = heapUsed();
    const maps = Array.from({ length: 100 }, () => recentlyUsed<string>(10_000, 1_000));
    expect(heapUsed() - before).below(2_000_000);
    expect(maps.every((map) => map.size === 0)).equal(true);
  });
});
