import { expect } from 'chai';
import { tableBelow } from '../schemas/markdown.ts';
import { decisions, markdown, rowsOfIndex } from './decisions.ts';

describe('kernel/DECISIONS.md', () => {
  it('has the index that npm run tables writes', () => {
    expect(rowsOfIndex()).deep.equal(tableBelow(`# Index\n\n${markdown()}`, 'Index'));
  });

  it('has an area for each decision; write it into the index', () => {
    expect(rowsOfIndex().filter(([, , area]) => area === '')).deep.equal([]);
  });

  it('replaces entries by later ones that are in force', () => {
    const all = decisions();
    const wrong = all.filter(({ number, supersededBy }) => {
      if (supersededBy === undefined) return false;
      const by = all.find((one) => one.number === supersededBy);
      return supersededBy <= number || by === undefined || by.supersededBy !== undefined;
    });
    expect(wrong).deep.equal([]);
  });
});
