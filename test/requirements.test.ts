import { expect } from 'chai';
import { REQUIREMENTS } from './requirements.ts';
import { testNames } from './support/testNames.ts';

describe('Requirements', () => {
  for (const requirement of REQUIREMENTS) {
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
});
