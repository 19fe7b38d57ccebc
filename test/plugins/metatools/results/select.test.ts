import { expect } from 'chai';
import fc from 'fast-check';
import { SelectFault, select } from '../../../../plugins/metatools/results/select.ts';

function read(json: string, path: string): string {
  const selected = select(json, path, { offset: 0, limit: Infinity });
  return 'media' in selected ? selected.media : selected.shown;
}
function selected(root: unknown, path: string): unknown {
  return JSON.parse(read(JSON.stringify(root), path)) as unknown;
}

/** A plain implementation of some steps of RFC 9535. */
const STEPS: Readonly<Record<string, (value: unknown) => readonly unknown[]>> = {
  '[*]': childrenOf,
  '..*': (value) => withAllBelow(value).flatMap(childrenOf),
  '..a': (value) => withAllBelow(value).flatMap((one) => memberOf(one, 'a')),
  '.a': (value) => memberOf(value, 'a'),
  '[0]': (value) => itemsOf(value).slice(0, 1),
  '[-1]': (value) => itemsOf(value).slice(-1),
  '["a","a"]': (value) => [...memberOf(value, 'a'), ...memberOf(value, 'a')],
  '["c d",0,"\\""]': (value) => [
    ...memberOf(value, 'c d'),
    ...itemsOf(value).slice(0, 1),
    ...memberOf(value, '"'),
  ],
  '[1:]': (value) => itemsOf(value).slice(1),
  '[:2]': (value) => itemsOf(value).slice(0, 2),
  '[-2:-1]': (value) => itemsOf(value).slice(-2, -1),
};
function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
function memberOf(value: unknown, key: string): readonly unknown[] {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject && Object.hasOwn(value, key) ? [(value as Record<string, unknown>)[key]] : [];
}
function childrenOf(value: unknown): readonly unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}
function withAllBelow(value: unknown): readonly unknown[] {
  return [value, ...childrenOf(value).flatMap(withAllBelow)];
}

const ROWS = Array.from({ length: 5 }, (_, at) => ({ id: at, name: `row ${at}`, tags: ['a', 'b'] }));
/** Numbers that a double would write otherwise stand as texts here, and without quotes in the JSON. */
const ODD = ['12345678901234567890', '1.0', '-0', '1E400'];
const VALUES = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 0, -1.5, 1e21, '', 'a', '{"a":[', '"\\', 'é😀\n', ...ODD),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(
      fc.constantFrom('a', 'b', '"', "'", "\\'", 'c d', '\\', '\n', '\u0001', '__proto__', '😀'),
      tie('value'),
      {
        maxKeys: 4,
        noNullPrototype: true,
      },
    ),
  ),
})).value;
function jsonOf(value: unknown, indent?: number | string): string {
  return ODD.reduce((json, odd) => json.replaceAll(`"${odd}"`, odd), JSON.stringify(value, null, indent));
}

describe('metatools: selecting', () => {
  it('selects by slices, unions, filters and at any depth', () => {
    const root = { rows: ROWS, more: { id: 9, 'odd key': [1, 2] } };
    const cases: [string, unknown][] = [
      ['$.rows[1:3].id', [1, 2]],
      ['rows[-2:].id', [3, 4]],
      ['rows[::-2].id', [4, 2, 0]],
      ['rows[3:0:-1].id', [3, 2, 1]],
      ['rows[1:9:3].id', [1, 4]],
      ['rows[::0].id', []],
      ['rows[0, 2].id', [0, 2]],
      ["more['id', 'odd key']", [9, [1, 2]]],
      ['$..id', [0, 1, 2, 3, 4, 9]],
      ['$..tags[0]', ['a', 'a', 'a', 'a', 'a']],
      ['rows[?@.id >= 3].name', ['row 3', 'row 4']],
      ['rows[?(@.name == "row 2")].id', [2]],
      ["rows[?@.name != 'row 2'].id", [0, 1, 3, 4]],
      ['rows[?@.nothing].id', []],
      ['rows[?@.tags[1]=="b"].id', [0, 1, 2, 3, 4]],
      ['rows[?@.name < 3].id', []],
      ['rows[0].tags[?@=="b"]', ['b']],
      ['rows[?@.id > 1 && !(@.id == 3)].id', [2, 4]],
      ['rows[?match(@.name, "row [12]")].id', [1, 2]],
      ['rows[?@.id == $.more["odd key"][0]].name', ['row 1']],
      ['$', root],
      [' rows[0].id ', 0],
    ];
    for (const [path, wanted] of cases) expect(selected(root, path), path).to.deep.equal(wanted);
  });

  it('selects the same values in the same order as a plain implementation, for any data', () => {
    const steps = fc.array(fc.constantFrom(...Object.keys(STEPS)), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(VALUES, steps, fc.boolean(), (root, path, isSpaced) => {
        const wanted = path.reduce<readonly unknown[]>(
          (values, step) => values.flatMap((value) => STEPS[step]?.(value) ?? []),
          childrenOf(root),
        );
        const found = read(jsonOf(root, isSpaced ? ' ' : undefined), `$[*]${path.join('')}`);
        const quoted = found.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.E+]*/g, (token) =>
          ODD.includes(token) ? `"${token}"` : token,
        );
        expect((JSON.parse(quoted) as unknown[]).map((one) => jsonOf(one))).to.deep.equal(
          wanted.map((one) => jsonOf(one)),
        );
      }),
      { numRuns: 1_000 },
    );
  });

  it('writes a value as JSON.stringify indents it, and a string unquoted', () => {
    fc.assert(
      fc.property(VALUES, (value) => {
        const isText = typeof value === 'string' && !ODD.includes(value);
        expect(read(` ${jsonOf(value, 1)}\n`, '$')).to.equal(isText ? value : jsonOf(value, 2));
      }),
    );
  });

  it('selects the last of equal keys, also when they are escaped differently', () => {
    const json = '{"a":1,"\\u0061":2,"b":{"a":3}}';
    expect(read(json, '$.a')).to.equal('2');
    expect(read(json, '$..a')).to.equal('[\n  2,\n  3\n]');
  });

  it('reads any text as a path or rejects it, and data of any depth', () => {
    const path = fc.string({ unit: fc.constantFrom(...Array.from('$.[]*?@()=<>:,-19a"\' \\')) });
    fc.assert(
      fc.property(path, (text) => {
        try {
          read('{"a":[1,{"a":"a"}]}', text);
        } catch (error) {
          expect(error).to.be.instanceOf(SelectFault);
        }
      }),
    );
    const deep = (levels: number): string => `{"id":7,"deep":${'['.repeat(levels)}1${']'.repeat(levels)}}`;
    expect(read(deep(400), '$..nothing')).to.equal('[]');
    expect(read(deep(50_000), 'id')).to.equal('7');
    expect(() => read(deep(50_000), '$..nothing')).to.throw(
      SelectFault,
      /nested more than 500 deep.*name the keys/,
    );
  });

  it('shows only the page that was asked for, with the size of all', () => {
    const page = select(JSON.stringify(ROWS), '$[*].name', { offset: 4, limit: 7 });
    expect(page).to.deep.equal({ offset: 4, shown: '"row 0"', counted: { chars: 57, newLines: 6 } });
  });
});
