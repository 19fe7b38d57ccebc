import { expect } from 'chai';
import { escapeUnprintable, holdsUnprintable, plainText } from '../../../kernel/lib/plainText.ts';

/** One of each kind that could mislead a terminal or a person. */
const UNPRINTABLE = [
  ...[
    '\u0000',
    '\u001b',
    '\u007f',
    '\u009b',
    '\u00ad',
    '\u061c',
    '\u200b',
    '\u200d',
    '\u200f',
    '\u2028',
    '\u2029',
  ],
  ...['\u202e', '\u2060', '\u2066', '\ufeff', '\u{e0041}'],
];

describe('plainText', () => {
  it('finds any control or format character unprintable, and no letter of any script', () => {
    for (const char of UNPRINTABLE)
      expect(holdsUnprintable(`a${char}b`), String(char.codePointAt(0))).to.equal(true);
    for (const text of ['', 'echo', 'größe', 'эхо', '検索', 'a b', '🎈']) {
      expect(holdsUnprintable(text), text).to.equal(false);
    }
  });

  it('removes terminal sequences and unprintable characters, lines and tabs included', () => {
    const text = `\u001b[31mred\u001b[0m \u001b]0;title\u0007${UNPRINTABLE.join('')}a\r\n\tb 検索`;
    expect(plainText(text)).to.equal('red a\n\tb 検索');
  });

  it('escapes characters so that JSON reads the original text', () => {
    const text = `a${UNPRINTABLE.join('')}b`;
    const escaped = escapeUnprintable(text);
    expect(escaped).to.match(/^[ -~]*$/);
    expect(JSON.parse(`"${escaped}"`)).to.equal(text);
  });
});
