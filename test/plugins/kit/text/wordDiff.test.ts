import { expect } from 'chai';
import fc from 'fast-check';
import { wordDiff, wordDiffText } from 'pegboard/kit';

function text(before: string, after: string): string {
  return wordDiffText(wordDiff(before, after));
}

describe('wordDiff', () => {
  it('says which words go and which come, and leaves the others as they are', () => {
    expect(text('Reads a file.', 'Reads a secret file.')).to.equal('Reads a {+secret +}file.');
    expect(text('Reads a file.', 'Deletes a file.')).to.equal('[-Reads-]{+Deletes+} a file.');
    expect(text('', 'new')).to.equal('{+new+}');
    expect(text('old', '')).to.equal('[-old-]');
    expect(text('same', 'same')).to.equal('same');
  });

  it('shows what is invisible, or would be obeyed by a terminal, as an escape', () => {
    expect(text('read file', 'read\u200b file')).to.equal('read{+\\u200b+} file');
    expect(text('read file', 'read \u001b[31m file')).to.equal('read {+\\u001b[31m +}file');
  });

  it('does not take marks in a text for its own', () => {
    expect(text('a', 'a [-b-]{+c+}')).to.equal('a{+ \\[-b-\\]\\{+c+\\}+}');
  });

  it('gives both texts again, whatever they are', () => {
    const words = fc.array(fc.constantFrom('a', 'b', 'ä', ' ', '.', '\n', '-'), { maxLength: 30 });
    fc.assert(
      fc.property(words, words, (one, other) => {
        const [before, after] = [one.join(''), other.join('')];
        const changes = wordDiff(before, after);
        const without = (change: string): string =>
          changes.flatMap((part) => (part.change === change ? [] : [part.text])).join('');
        expect(without('added')).to.equal(before);
        expect(without('removed')).to.equal(after);
      }),
    );
  });

  it('compares long texts as a whole where they differ', () => {
    const [before, after] = ['a ', 'b '].map((word) => `same ${word.repeat(100_000)}end`);
    const changes = wordDiff(before ?? '', after ?? '');
    expect(changes.map(({ change }) => change)).to.deep.equal(['same', 'removed', 'added', 'same']);
  });

  it('compares as a whole what is beyond the work that several comparisons may take', () => {
    const work = { pairs: 10 };
    const kinds = (): readonly string[] => wordDiff('a b c', 'x b y', work).map(({ change }) => change);
    expect(kinds()).to.deep.equal(['removed', 'added']);
    work.pairs = 25;
    expect(kinds()).to.have.length(5);
    expect(work.pairs).to.equal(0);
  });
});
