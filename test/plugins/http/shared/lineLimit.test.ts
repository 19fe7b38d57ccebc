import { expect } from 'chai';
import { LineLimit } from '../../../../plugins/http/shared/lineLimit.ts';
import { movableClock } from '../../../support/clock.ts';

describe('plugins/http: log lines about one source', () => {
  it('are so many a minute; the first of a later minute says how many were left out', () => {
    const clock = movableClock();
    const limit = new LineLimit(() => 2);
    const told = (source: string, times: number): readonly unknown[] =>
      Array.from({ length: times }, () => limit.admit(source)).filter((line) => line !== undefined);
    expect(told('a', 1_000)).to.deep.equal([{}, {}]);
    expect(told('b', 1)).to.deep.equal([{}]);
    clock.later(30_000);
    expect(told('a', 1)).to.deep.equal([]);
    clock.later(30_001);
    expect(told('a', 1_000)).to.deep.equal([{ leftOut: 999 }, {}]);
    expect(told('b', 1)).to.deep.equal([{}]);
    clock.later(60_001);
    expect(told('b', 1)).to.deep.equal([{}]);
  });
});
