import { expect } from 'chai';
import fc from 'fast-check';
import { TextPage, sliceText } from '../../../../plugins/metatools/results/textPage.ts';
import type { AskedText } from '../../../../plugins/metatools/results/textPage.ts';

/** Expected offset and text of a page, computed from the whole text. */
function plainly(text: string, { offset, limit, lines }: AskedText): readonly [number | undefined, string] {
  if (lines === undefined) return [offset, text.slice(offset, offset + limit)];
  const all = text.split('\n').map((line, at, { length }) => (at < length - 1 ? `${line}\n` : line));
  if (lines.first > all.length) return [undefined, ''];
  const shown = all.slice(lines.first - 1, lines.last).join('');
  return [all.slice(0, lines.first - 1).join('').length, shown.slice(0, limit)];
}

describe('metatools: a page of a text', () => {
  const small = fc.integer({ min: 0, max: 12 });
  const texts = fc.string({ unit: fc.constantFrom('a', 'b', '\n', 'é'), maxLength: 30 });
  const asked = fc.record({
    offset: small,
    limit: small.map((limit) => limit + 1),
    first: small,
    more: small,
  });

  it('does not depend on how the text is split into pieces, and only counts the text before it', () => {
    fc.assert(
      fc.property(texts, asked, fc.boolean(), fc.infiniteStream(small), (text, numbers, byLines, cuts) => {
        const { offset, limit, first, more } = numbers;
        const lines = { first: first + 1, last: first + 1 + more };
        const wanted: AskedText = byLines ? { offset: 0, limit, lines } : { offset, limit };
        const page = new TextPage(wanted);
        for (let at = 0; at < text.length;) {
          const end = at + 1 + (cuts.next().value as number);
          page.add(text.slice(at, end));
          at = end;
        }
        expect([page.offset, page.shown]).to.deep.equal(plainly(text, wanted));
        expect(page.counted).to.deep.equal({ chars: text.length, newLines: text.split('\n').length - 1 });
      }),
      { numRuns: 2_000 },
    );
  });

  it('is full as soon as later pieces cannot change it', () => {
    const page = new TextPage({ offset: 2, limit: 3 });
    page.add('01234');
    expect([page.isFull, page.shown]).to.deep.equal([false, '234']);
    page.add('5');
    expect([page.isFull, page.shown]).to.deep.equal([true, '234']);
    const line = new TextPage({ offset: 0, limit: 9, lines: { first: 2, last: 2 } });
    line.add('a\nbc\nd');
    expect([line.isFull, line.shown]).to.deep.equal([true, 'bc\n']);
  });

  it('ends between characters when the next piece holds the rest of one', () => {
    const page = new TextPage({ offset: 0, limit: 2 });
    page.add('a\ud83d');
    page.add('\ude00');
    expect(page.shown).to.equal('a');
  });

  it('is never split inside a character, and every page advances', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 5 }), (text, limit) => {
        const pages: string[] = [];
        for (let at = 0; at < text.length; at += pages.at(-1)?.length ?? 1)
          pages.push(sliceText(text, at, limit));
        expect(pages.join('')).to.equal(text);
        expect(pages.every((page) => !/^[\udc00-\udfff]|[\ud800-\udbff]$/.test(page))).to.equal(true);
      }),
    );
  });
});
