import { expect } from 'chai';
import fc from 'fast-check';
import { createSummarizer } from '../../../../plugins/metatools/entry/summary.ts';

const summaryOf = createSummarizer();

describe('metatools: summaries', () => {
  it('uses the first sentence as the summary', () => {
    expect(summaryOf('\n  First line \nSecond')).to.equal('First line');
    expect(summaryOf('Reads a file. Use it with care.')).to.equal('Reads a file.');
    expect(summaryOf('Reads a text\nfile from disk. More')).to.equal('Reads a text file from disk.');
    expect(summaryOf('Sends mail, e.g. Gmail or vs. Outlook. More')).to.equal(
      'Sends mail, e.g. Gmail or vs. Outlook.',
    );
    expect(summaryOf('Runs v1.2 of node.js scripts! Really')).to.equal('Runs v1.2 of node.js scripts!');
    expect(summaryOf('列出文件。然后读取。')).to.equal('列出文件。');
    expect(summaryOf('')).to.equal('');
  });

  it('removes characters from summaries that hide or reorder text', () => {
    expect(summaryOf('Reads\u202e eteled\u202c a\u0007 file')).to.equal('Reads eteled a file');
  });

  it('cuts summaries at 200 characters, never inside a word or an emoji', () => {
    expect(summaryOf('😀'.repeat(100))).to.equal('😀'.repeat(100));
    const family = '👨‍👩‍👧‍👦';
    expect(summaryOf(family.repeat(60))).to.equal(`${family.repeat(18)}…`);
    expect(summaryOf(`${'a'.repeat(190)} bcdefghijklmn`)).to.equal(`${'a'.repeat(190)}…`);
    expect(summaryOf(`${'word '.repeat(39)}, twelve, and more`)).to.equal(`${'word '.repeat(39).trim()}…`);
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1, maxLength: 30 }), { maxLength: 40 }), (parts) => {
        const text = parts
          .join(' ')
          .replaceAll(/[^\p{L}]+/gu, ' ')
          .trim();
        const summary = summaryOf(text);
        expect(summary.length).to.be.at.most(200);
        if (summary.endsWith('…')) expect(`${text} `.startsWith(`${summary.slice(0, -1)} `)).to.equal(true);
      }),
    );
  });
});
