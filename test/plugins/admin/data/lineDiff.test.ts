import { expect } from 'chai';
import { lineDiff } from '../../../../plugins/admin/data/lineDiff.ts';

function shown(before: string, after: string): readonly string[] {
  return lineDiff(before, after).map(({ sign, text }) => sign + text);
}

describe('plugins/admin: the difference of two texts', () => {
  it('keeps the lines that both have, and removes before it adds', () => {
    expect(shown('a\nb\nc\nd\n', 'a\nx\nc\ny\nd\n')).deep.equal([' a', '-b', '+x', ' c', '+y', ' d']);
    expect(shown('a\n', 'a\n')).deep.equal([' a']);
    expect(shown('', 'a\nb\n')).deep.equal(['+a', '+b']);
    expect(shown('a\na\n', 'a\n')).deep.equal([' a', '-a']);
  });

  it('replaces all between equal ends if there is too much to compare', () => {
    const lines = (prefix: string): string =>
      Array.from({ length: 2_500 }, (_, at) => `${prefix}${at}\n`).join('');
    const diff = shown(`top\n${lines('a')}end\n`, `top\n${lines('b')}end\n`);
    expect(diff.length).equal(5_002);
    expect([diff[0], diff[1], diff[2_501], diff.at(-1)]).deep.equal([' top', '-a0', '+b0', ' end']);
  });
});
