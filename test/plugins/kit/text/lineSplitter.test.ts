import { expect } from 'chai';
import fc from 'fast-check';
import { LineSplitter } from '../../../../plugins/kit/text/lineSplitter.ts';

interface Found {
  readonly lines: string[];
  tooLong: number;
}

function split(chunks: readonly Buffer[], maxBytes = 1_000_000): Found {
  const found: Found = { lines: [], tooLong: 0 };
  const splitter = new LineSplitter(
    () => maxBytes,
    (line) => found.lines.push(line),
    () => (found.tooLong += 1),
  );
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return found;
}

/** Cuts bytes at any places, also inside characters. */
function pieces(text: string, cuts: readonly number[]): Buffer[] {
  const bytes = Buffer.from(text);
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...places, bytes.length].map((end, at) => bytes.subarray(places[at - 1] ?? 0, end));
}

const CUTS = fc.array(fc.nat(), { maxLength: 8 });

describe('lib: lines', () => {
  it('are the same however the bytes are cut', () => {
    const line = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ''));
    fc.assert(
      fc.property(fc.array(line), CUTS, (lines, cuts) => {
        const text = lines.map((one) => `${one}\n`).join('');
        expect(split(pieces(text, cuts))).deep.equal({ lines, tooLong: 0 });
      }),
    );
  });

  it('over the limit are reported once and skipped to their end, however the bytes are cut', () => {
    const line = fc.string({ unit: fc.constantFrom('a', '€', '😀', '\r'), maxLength: 9 });
    const end = fc.constantFrom('', '\n');
    fc.assert(
      fc.property(fc.array(line, { minLength: 1 }), end, CUTS, (lines, last, cuts) => {
        const whole = last === '' && lines.at(-1) === '' ? lines.slice(0, -1) : lines;
        const kept = whole.filter((one) => Buffer.byteLength(one) <= 10);
        expect(split(pieces(lines.join('\n') + last, cuts), 10)).deep.equal({
          lines: kept,
          tooLong: whole.length - kept.length,
        });
      }),
    );
    const chunks = ['a'.repeat(6), 'a'.repeat(6), 'a'.repeat(20), '\nok\n', 'b'.repeat(50)];
    expect(
      split(
        chunks.map((text) => Buffer.from(text)),
        10,
      ),
    ).deep.equal({ lines: ['ok'], tooLong: 2 });
  });
});
