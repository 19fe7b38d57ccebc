import { expect } from 'chai';
import fc from 'fast-check';
import { EventReader } from '../../../../../plugins/upstream/client/wire/eventReader.ts';
import type { EventReaderParts } from '../../../../../plugins/upstream/client/wire/eventReader.ts';

/** Cuts bytes at arbitrary places, also inside characters. */
function pieces(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...places, bytes.length].map((end, at) => bytes.subarray(places[at - 1] ?? 0, end));
}

/** A reader of whatever arrives. */
function reader(parts: Partial<EventReaderParts> = {}): EventReader {
  return new EventReader({
    maxChars: 67_108_864,
    maxIdBytes: 100,
    flow: { took: () => undefined },
    take: () => 0,
    overflow: () => expect.fail(),
    ...parts,
  });
}

const CUTS = fc.array(fc.nat(), { maxLength: 8 });

describe('upstream: framing', () => {
  it('finds the same events wherever the bytes are cut and with any line ending', () => {
    const end = fc.constantFrom('\n', '\r\n', '\r');
    const data = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n]/g, ''));
    const event = fc.record({
      data: fc.array(data, { minLength: 1, maxLength: 3 }),
      name: fc.constantFrom('', 'ping'),
    });
    fc.assert(
      fc.property(fc.array(event), end, CUTS, (events, newline, cuts) => {
        const found: { event: string; data: string }[] = [];
        const stream = reader({ take: (one) => found.push(one) });
        const text = events.map(({ data: rows, name }) => {
          const head = name === '' ? [': comment'] : [`event: ${name}`];
          return [...head, ...rows.map((row) => `data: ${row}`), '', ''].join(newline);
        });
        const closed = `${text.join('')}${newline}.`;
        for (const piece of pieces(Buffer.from(closed), cuts)) stream.push(piece);
        expect(found).to.deep.equal(
          events.map(({ data: rows, name }) => ({ event: name || 'message', data: rows.join('\n') })),
        );
      }),
    );
  });

  it('keeps the last id and the retry time', () => {
    const stream = reader();
    stream.push(Buffer.from('id: 7\nretry: 250\ndata:\n\nretry: soon\nid:8\n\n'));
    expect(stream).to.include({ lastId: '8', retryMs: 250 });
  });

  it('keeps the id of the last whole event, in any encoding', () => {
    const stream = reader();
    const ids = ['7', '事件-1', 'a\tb', 'é'.repeat(50)];
    for (const id of ids) {
      stream.push(Buffer.from(`id: ${id}\ndata: x\n\nid: next\ndata: of an event that was cut`));
      expect(stream.lastId).to.equal(id);
      stream.push(Buffer.from(`\nid: ${id}\n\n`));
    }
    stream.push(Buffer.from('id\ndata:\n\n'));
    expect(stream.lastId).to.equal('');
  });

  it('ignores an id that a header cannot carry, or that is longer than maxIdBytes', () => {
    const stream = reader();
    stream.push(Buffer.from('id: 7\ndata:\n\n'));
    for (const id of ['a\0b', 'a\u001b[31m', 'a\u007f', 'é'.repeat(51)]) {
      stream.push(Buffer.from(`id: ${id}\ndata:\n\n`));
      expect(stream.lastId).to.equal('7');
    }
  });

  it('reports an event beyond the limit', () => {
    let overflows = 0;
    const stream = reader({ maxChars: 100, overflow: () => (overflows += 1) });
    stream.push(Buffer.from(`data: ${'x'.repeat(60)}\ndata: ${'x'.repeat(60)}\n`));
    expect(overflows).to.equal(1);
  });

  it('reports an event of too many empty lines', () => {
    let overflows = 0;
    const stream = reader({ maxChars: 100, overflow: () => (overflows += 1) });
    stream.push(Buffer.from('data\n'.repeat(101)));
    expect(overflows).to.equal(1);
  });

  it('visits each byte of a long event only a few times', () => {
    // Joining and searching the text anew for each chunk took 50 seconds of CPU time here.
    let chars = 0;
    const stream = reader({ take: ({ data }) => (chars = data.length) });
    const piece = Buffer.alloc(65_536, 'x');
    stream.push(Buffer.from('data: '));
    for (let at = 0; at < 1_000; at += 1) stream.push(piece);
    stream.push(Buffer.from('\n\n'));
    for (let at = 0; at < 32; at += 1) stream.push(Buffer.alloc(65_536, '\n'));
    expect(chars).to.equal(65_536_000);
  });
});
