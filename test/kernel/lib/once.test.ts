import { expect } from 'chai';
import { once } from '../../../kernel/index.ts';

describe('once', () => {
  it('makes a value when it is first asked for, and no other', () => {
    const made: object[] = [];
    const value = once(() => {
      made.push({});
      return made[0]!;
    });
    expect(made).to.deep.equal([]);
    expect(value()).to.equal(value());
    expect(made).to.have.length(1);
  });
});
