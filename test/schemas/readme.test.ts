import { expect } from 'chai';
import { tableBelow } from './markdown.ts';
import { sections } from './table.ts';
import { textOf } from '../support/sources.ts';

const README = textOf('schemas/README.md');

describe('schemas/README.md', () => {
  it('has a section for every schema and no other', () => {
    const linked = [...README.matchAll(/^### (.+)\n\n\[(.+)\]\(\2\)$/gm)].map(([, heading, file]) => [
      heading,
      file,
    ]);
    expect(linked).to.deep.equal(sections().map(({ heading, file }) => [heading, file]));
  });

  for (const { heading, rows } of sections()) {
    it(`lists every key, default and meaning of ${heading}, and no other`, () => {
      expect(tableBelow(README, heading)).to.deep.equal(rows);
    });
  }

  it('has a meaning for every key', () => {
    const without = sections().flatMap(({ file, rows }) =>
      rows.filter(([, , , meaning]) => meaning === '').map(([key]) => `${file} ${key ?? ''}`),
    );
    expect(without).to.deep.equal([]);
  });
});
