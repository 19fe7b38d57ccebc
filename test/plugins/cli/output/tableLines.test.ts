import { expect } from 'chai';
import { tableLines } from '../../../../plugins/cli/output/tableLines.ts';

const ROWS = [
  ['a', 'one', 'A long text that does not fit'],
  ['name', '', 'two\nlines\u001b[31m'],
];

describe('tables', () => {
  it('align their columns and keep a row on one line, without control characters', () => {
    expect(tableLines(['name', 'x', 'text'], ROWS, { hasHeaders: true, columns: undefined })).equal(
      'NAME   X     TEXT\na      one   A long text that does not fit\nname         two lines [31m\n',
    );
  });

  it('cut the last column to the width of the terminal', () => {
    const lines = tableLines(['name', 'x', 'text'], ROWS, { hasHeaders: false, columns: 30 }).split('\n');
    expect(lines[0]).equal('a      one   A long text that…');
    const narrow = tableLines(['n', 'x', 't'], ROWS, { hasHeaders: true, columns: 10 }).split('\n');
    expect(narrow[1]).equal('a   …   A…');
  });
});
