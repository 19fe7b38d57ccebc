import { expect } from 'chai';
import { REQUIREMENTS } from './requirements.ts';
import { testNames } from './support/testNames.ts';

describe('Requirements', () => {
  for (const requirement of REQUIREMENTS.filter((one) => 'tests' in one)) {
    it(`${requirement.id} is covered by tests that exist`, () => {
      expect(requirement.tests).not.deep.equal([]);
      for (const test of requirement.tests) {
        const [path = '', name] = test.split(/: (.*)/s);
        expect(testNames(path), path).include(name);
      }
    });
  }

  it('have unique ids', () => {
    const ids = REQUIREMENTS.map(({ id }) => id);
    expect(ids).deep.equal([...new Set(ids)]);
  });

  it('without a test name the work that brings them', () => {
    for (const requirement of REQUIREMENTS)
      if ('later' in requirement) expect(requirement.later, requirement.id).not.equal('');
  });
});
