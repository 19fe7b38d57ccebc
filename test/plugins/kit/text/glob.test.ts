import { expect } from 'chai';
import fc from 'fast-check';
import { compileGlob } from '../../../../plugins/kit/text/glob.ts';

function matches(pattern: string, text: string, caseSensitive = true): boolean {
  return compileGlob(pattern, { caseSensitive })(text);
}

/** The same rules as a backtracking regular expression; only for patterns made of these pieces. */
const PIECES = {
  '*': '[^]*',
  '**': '[^]*[^]*',
  '?': '[^]',
  a: 'a',
  ab: 'ab',
  '.': '\\.',
  $: '\\$',
  '+': '\\+',
  '[ab]': '[ab]',
  '[^a]': '[^a]',
  '[a-c]': '[a-c]',
  '\\*': '\\*',
  '\\[': '\\[',
} as const;

describe('compileGlob', () => {
  it('matches whole strings: * any run, ? one character, classes, and escapes', () => {
    for (const [pattern, text] of [
      ['*', ''],
      ['*', 'anything at all\nreally'],
      ['x_*_read', 'x_files_read'],
      ['x_*_read', 'x__read'],
      ['a?c', 'abc'],
      ['a?c', 'a😀c'],
      ['[a-c]', 'b'],
      ['[^a-c]', 'd'],
      ['[abc-e]', 'd'],
      ['\\*', '*'],
      ['[\\]]', ']'],
      ['[à-ü]x[^é]', 'éxe'],
      ['[😀-😂][^😀]', '😁a'],
      ['a.c', 'a.c'],
      ['', ''],
    ] as const) {
      expect(matches(pattern, text), `${pattern} on ${text}`).to.equal(true);
    }
    for (const [pattern, text] of [
      ['x_*_read', 'x_files_read_all'],
      ['a?c', 'ac'],
      ['[a-c]', 'B'],
      ['[^a-c]', 'b'],
      ['\\*', 'x'],
      ['a.c', 'abc'],
      ['a', 'ab'],
      ['', 'a'],
    ] as const) {
      expect(matches(pattern, text), `${pattern} on ${text}`).to.equal(false);
    }
  });

  it('folds case on both sides when asked', () => {
    expect(matches('GitHub_*', 'github_LIST')).to.equal(false);
    expect(matches('GitHub_*', 'github_LIST', false)).to.equal(true);
    expect(matches('[A-C]x', 'bX', false)).to.equal(true);
  });

  it('throws a SyntaxError that names the fault', () => {
    for (const [pattern, fault] of [
      ['a\\', 'trailing backslash'],
      ['[a', 'unterminated character class'],
      ['[]', 'empty character class'],
      ['[a-]', 'unterminated range'],
      ['[a-', 'unterminated character class'],
    ] as const) {
      expect(() => compileGlob(pattern), pattern).to.throw(SyntaxError, fault);
    }
  });

  it('agrees with a naive regular expression', () => {
    const patterns = fc.array(fc.constantFrom(...(Object.keys(PIECES) as (keyof typeof PIECES)[])), {
      maxLength: 7,
    });
    const texts = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '.', '*', '[', '$', '\n'), maxLength: 9 });
    fc.assert(
      fc.property(patterns, texts, (pieces, text) => {
        const naive = new RegExp(`^${pieces.map((piece) => PIECES[piece]).join('')}$`);
        expect(matches(pieces.join(''), text)).to.equal(naive.test(text));
      }),
      { numRuns: 1_000 },
    );
  });

  it('matches any text literally once every character is escaped', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...Array.from('a*?[]^-\\😀é ')), maxLength: 12 }),
        (text) => {
          expect(matches(Array.from(text, (char) => `\\${char}`).join(''), text)).to.equal(true);
        },
      ),
    );
  });

  it('terminates on patterns that make a backtracker explode', () => {
    expect(matches(`${'*a'.repeat(40)}*b`, 'a'.repeat(10_000))).to.equal(false);
    expect(matches('*'.repeat(5_000), 'a'.repeat(1_000))).to.equal(true);
    expect(matches(`${'?*'.repeat(500)}b`, 'a'.repeat(2_000))).to.equal(false);
  });
});
