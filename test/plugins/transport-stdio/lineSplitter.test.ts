import { expect } from 'chai';
import fc from 'fast-check';
import { LineSplitter } from '../../../plugins/transport-stdio/lineSplitter.ts';

function split(chunks: readonly Buffer[], maxBytes = 1_000_000): { lines: string[]; tooLong: number } {
  const lines: string[] = [];
  let tooLong = 0;
  const splitter = new LineSplitter(
    () => maxBytes,
    (line) => lines.push(line),
    () => (tooLong += 1),
  );
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return { lines, tooLong };
}

describe('transport-stdio: lines', () => {
  it('are the same however the bytes are cut', () => {
    const text = fc.array(fc.string({ unit: fc.constantFrom('a', '€', '😀', '\r', ' ') }), { maxLength: 6 });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 5 }), (lines, size) => {
        const bytes = Buffer.from(lines.join('\n'));
        const chunks: Buffer[] = [];
        for (let at = 0; at < bytes.length;) {
          chunks.push(bytes.subarray(at, at + size));
          at += size;
        }
        const expected = lines.map((line) => line.trim()).filter((line) => line !== '');
        expect(split(chunks).lines).deep.equal(expected);
      }),
    );
  });

  it('over the limit are reported once and skipped to their end', () => {
    const chunks = ['a'.repeat(6), 'a'.repeat(6), '\nok\n', 'b'.repeat(50)].map((text) => Buffer.from(text));
    expect(split(chunks, 10)).deep.equal({ lines: ['ok'], tooLong: 2 });
  });

  it('at the limit are taken', () => {
    expect(split([Buffer.from('0123456789\n')], 10)).deep.equal({ lines: ['0123456789'], tooLong: 0 });
  });
});
