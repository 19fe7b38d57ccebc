import { expect } from 'chai';
import fc from 'fast-check';
import { isJson } from '../../../../plugins/metatools/results/isJson.ts';

function checked(text: string): { readonly isJson: boolean; readonly pauses: number } {
  const checking = isJson(text);
  for (let pauses = 0; ; pauses += 1) {
    const { done, value } = checking.next();
    if (done === true) return { isJson: value, pauses };
  }
}
function parses(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}

describe('metatools: isJson', () => {
  it('agrees with JSON.parse on any text', () => {
    const units = fc.constantFrom(
      ...Array.from('[]{}:,"\\/u0129.-+eEtrfalsn \n\t\u0000\u007f\u2028é'),
      'true',
      '1e5',
    );
    fc.assert(
      fc.property(
        fc.string({ unit: units, maxLength: 12 }),
        fc.constantFrom('', '[', '{"a":', '["'),
        (text, before) => {
          expect(checked(before + text).isJson, before + text).to.equal(parses(before + text));
        },
      ),
      { numRuns: 5_000 },
    );
  });

  it('agrees with JSON.parse on JSON with one character changed, removed or added', () => {
    const anywhere = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    const edits = fc.record({
      where: anywhere,
      cut: fc.integer({ min: 0, max: 1 }),
      add: fc.constantFrom('', ...Array.from('"\\,:[]{}0-. \u0001x')),
    });
    fc.assert(
      fc.property(fc.json(), edits, fc.constantFrom(undefined, 1), (json, { where, cut, add }, indent) => {
        const text = JSON.stringify([JSON.parse(json)], null, indent);
        expect(checked(text).isJson).to.equal(true);
        const at = Math.floor(where * text.length);
        const edited = text.slice(0, at) + add + text.slice(at + cut);
        expect(checked(edited).isJson, edited).to.equal(parses(edited));
      }),
      { numRuns: 3_000 },
    );
  });

  it('pauses regularly, also in long strings and deep nesting', () => {
    const million = 1_000_000;
    for (const text of [
      JSON.stringify(Array(million / 2).fill(1)),
      `["${'\\n'.repeat(million / 2)}"]`,
      '['.repeat(million / 2) + ']'.repeat(million / 2),
    ])
      expect(checked(text)).to.deep.equal({ isJson: true, pauses: 3 });
  });
});
