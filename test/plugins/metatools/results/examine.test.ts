import { expect } from 'chai';
import fc from 'fast-check';
import { examine } from '../../../../plugins/metatools/results/examine.ts';

function parses(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}
function resultOf(...items: readonly unknown[]): string {
  return JSON.stringify({ content: items });
}

describe('metatools: examining a result', () => {
  it('takes one text as data exactly if JSON.parse returns an array or object', () => {
    const units = fc.constantFrom(...Array.from('[]{}:,"\\/u0129.-+eE \n\u0000\u2028é'), 'true', '1e5');
    fc.assert(
      fc.property(
        fc.string({ unit: units, maxLength: 12 }),
        fc.constantFrom('', '[', '{"a":', '["'),
        (text, before) => {
          const view = examine(resultOf({ type: 'text', text: before + text }), 10);
          expect(view).to.include({ text: before + text, hasData: parses(before + text), data: undefined });
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('takes the whole result as data if there are several items or none with text', () => {
    const image = { type: 'image', data: 'AA==', mimeType: 'image/png' };
    for (const items of [[{ type: 'text', text: 'a' }, image], [image], [], [null, 1]]) {
      const json = resultOf(...items);
      expect(examine(json, 10), json).to.include({ hasData: true, data: json });
    }
  });

  it('keeps the JSON of items without text, of isError and of _meta as the server wrote it', () => {
    const json =
      '{"content":[ {"type":"x", "n":1.0} ,{"type":"text","text":"a"}],"_meta":{ "n":1.0},"isError":true}';
    const { others, members } = examine(json, 10);
    expect(others).to.deep.equal(['{"type":"x", "n":1.0}']);
    expect(members).to.equal(',"isError":true,"_meta":{ "n":1.0}');
  });
});
