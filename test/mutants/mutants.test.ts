import { expect } from 'chai';
import { faultsIn } from './faultsIn.ts';
import { MUTANTS } from './mutants.ts';

describe('the mutants', () => {
  it('are each a mistake in one place of a source that exists, with tests that exist', () => {
    expect(MUTANTS.flatMap(faultsIn)).to.deep.equal([]);
    expect(new Set(MUTANTS.map(({ does }) => does)).size).to.equal(MUTANTS.length);
  });
});
