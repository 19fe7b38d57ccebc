import { expect } from 'chai';
import fc from 'fast-check';
import { JsonReader } from '../../../../plugins/metatools/results/jsonReader.ts';
import { parseJsonPath } from '../../../../plugins/metatools/results/parseJsonPath.ts';
import type { Selector, PathStep } from '../../../../plugins/metatools/results/parseJsonPath.ts';
import { selectFrom } from '../../../../plugins/metatools/results/selectFrom.ts';
import { selectedText } from '../../../../plugins/metatools/results/selectedText.ts';

interface Read {
  readonly text: string;
  /** Number of pauses. */
  readonly pauses: number;
}

function read(json: string, path: string, maxChars = 100_000_000): Read {
  const reader = new JsonReader(json, maxChars);
  const selecting = selectFrom(reader, parseJsonPath(path, 8));
  let pauses = 0;
  let step = selecting.next();
  for (; step.done !== true; step = selecting.next()) pauses += 1;
  const pieces = [...selectedText(reader, step.value)];
  return { text: pieces.join(''), pauses: pauses + pieces.filter((piece) => piece === '').length };
}
function selected(root: unknown, path: string): unknown {
  const { text } = read(JSON.stringify(root), path);
  return JSON.parse(text) as unknown;
}

/** A plain implementation of RFC 9535 on values, for paths without filters. */
function plainly(values: readonly unknown[], path: readonly PathStep[]): readonly unknown[] {
  const [step, ...rest] = path;
  if (step === undefined) return values;
  const from = step.deep ? values.flatMap(withAllBelow) : values;
  return plainly(
    from.flatMap((value) => step.selectors.flatMap((selector) => takePlainly(value, selector))),
    rest,
  );
}
function childrenOf(value: unknown): readonly unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}
function withAllBelow(value: unknown): readonly unknown[] {
  return [value, ...childrenOf(value).flatMap(withAllBelow)];
}
function takePlainly(value: unknown, selector: Selector): readonly unknown[] {
  if (selector.kind === 'all') return childrenOf(value);
  if (selector.kind === 'key') {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject && Object.hasOwn(value, selector.key)
      ? [(value as Record<string, unknown>)[selector.key]]
      : [];
  }
  if (!Array.isArray(value)) return [];
  const items = value as readonly unknown[];
  if (selector.kind === 'index')
    return items.filter(
      (_, at) => at === (selector.index < 0 ? items.length + selector.index : selector.index),
    );
  if (selector.kind === 'filter') throw new Error('no filters here');
  const { from, to, by } = selector;
  return by === 1 ? items.slice(from, to) : [];
}

const ROWS = Array.from({ length: 5 }, (_, at) => ({ id: at, name: `row ${at}`, tags: ['a', 'b'] }));
/** Values with keys that need escapes, but without integer-like keys, which objects reorder. */
const VALUES = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 0, -1.5, 1e21, '', 'a', '{"a":[', '"\\', 'é😀\n'),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b', '"', 'c d', '\\', '\n', '__proto__', '😀'), tie('value'), {
      maxKeys: 4,
      noNullPrototype: true,
    }),
  ),
})).value;
const STEPS = fc.constantFrom(
  '[*]',
  '..*',
  '..a',
  '.a',
  '[0]',
  '[-1]',
  '["a","a"]',
  '["c d",0,"\\""]',
  '[1:]',
  '[:2]',
  '[-2:-1]',
);

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
      ['$', root],
    ];
    for (const [path, wanted] of cases) expect(selected(root, path), path).to.deep.equal(wanted);
  });

  it('selects the same values in the same order as a plain implementation, for any data', () => {
    fc.assert(
      fc.property(
        VALUES,
        fc.array(STEPS, { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        (root, steps, isSpaced) => {
          const json = JSON.stringify(root, null, isSpaced ? ' ' : undefined);
          const path = `$[*]${steps.join('')}`;
          const wanted = plainly([root], parseJsonPath(path, 8));
          expect(read(json, path).text).to.equal(JSON.stringify(wanted, null, 2));
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('writes a value as JSON.stringify indents it, and a string unquoted', () => {
    fc.assert(
      fc.property(VALUES, (value) => {
        const wanted = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
        expect(read(` ${JSON.stringify(value, null, 1)}\n`, '$').text).to.equal(wanted);
      }),
    );
  });

  it('splits no escape when it cuts a long string', () => {
    for (const part of ['\\', '"\n', '\u0001', '\ud800x', '😀é', '\\\\u0041']) {
      const long = `${part.repeat(50_000)}end`;
      for (const before of ['', 'a', 'ab', 'abc', 'abcde'])
        expect(read(JSON.stringify(before + long), '$').text).to.equal(before + long);
      const escaped = Array.from(long, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
      expect(read(`"${escaped.join('')}"`, '$').text).to.equal(
        Array.from(long, (char) => String.fromCharCode(char.charCodeAt(0))).join(''),
      );
    }
  });

  it('selects the last of equal keys, also when they are escaped differently', () => {
    const json = '{"a":1,"\\u0061":2,"b":{"a":3}}';
    expect(read(json, '$.a').text).to.equal('2');
    expect(read(json, '$..a').text).to.equal('[\n  2,\n  3\n]');
  });

  it('reads any text as a path or rejects it, and data of any depth', () => {
    const path = fc.string({ unit: fc.constantFrom(...Array.from('$.[]*?@()=<>:,-19a"\' \\')) });
    fc.assert(
      fc.property(path, (text) => {
        try {
          read('{"a":[1,{"a":"a"}]}', text);
        } catch (error) {
          expect(error).to.have.property('code', 'TOOL_ARGUMENTS');
        }
      }),
    );
    const deep = `{"deep":${'['.repeat(50_000)}1${']'.repeat(50_000)}}`;
    expect(read(deep, '$..nothing').text).to.equal('[]');
  });

  it('reads and writes no more than maxSelectChars, even if a path selects the same value many times', () => {
    const nest = `${'['.repeat(16)}1${']'.repeat(16)}`;
    const filter = '[?@..[?@..[?@..[0]]]]';
    for (const path of [
      '$' + '[0,0]'.repeat(16),
      '$..*..*..*..*..*..*',
      '$' + '[:,:]'.repeat(16),
      `$..${filter}`,
      '$',
    ])
      expect(() => read(nest, path, 400), path).to.throw('maxSelectChars');
    const wide = `{${Array.from({ length: 10_000 }, (_, at) => `"k${at}":{}`).join()}}`;
    expect(() => read(wide, `$[${Array(1_000).fill('"k9999"').join()}]`)).to.throw('maxSelectChars');
  });

  it('pauses regularly during every kind of work', () => {
    const ones = `[${Array(200_000).fill('1').join()}]`;
    const strings = JSON.stringify(Array(50_000).fill('a text'));
    const rows = JSON.stringify(Array.from({ length: 20_000 }, (_, id) => ({ id, of: { deep: [id] } })));
    const cases: [string, string, number][] = [
      [ones, '$', 4],
      [ones, '$[*]', 12],
      [ones, '$[199999]', 12],
      [ones, '$[?@==2]', 12],
      [ones, '$[?@==2, ?@==3]', 24],
      [ones, '$[::-1]', 12],
      [ones, '$..nothing', 12],
      [strings, '$[?@>"b"]', 4],
      [rows, '$..id', 6],
      [rows, '$[?@..*==1].id', 12],
      [JSON.stringify({ a: rows, b: rows }), '$.b', 6],
    ];
    for (const [json, path, least] of cases) expect(read(json, path).pauses, path).to.be.at.least(least);
  });
});
