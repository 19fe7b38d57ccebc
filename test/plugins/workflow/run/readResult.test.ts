import { expect } from 'chai';
import type { ToolResult } from '../../../../kernel/contracts/call.ts';
import { resultOf } from '../../../../kernel/lib/results.ts';
import { readResult } from '../../../../plugins/workflow/run/readResult.ts';

const text = (...texts: readonly string[]) => texts.map((one) => ({ type: 'text', text: one }));
const valueOf = (one: string): unknown => readResult(resultOf({ content: text(one) })).value;

describe('plugins/workflow: the result of a step', () => {
  const rows: readonly (readonly [
    what: string,
    texts: readonly string[],
    structured: unknown,
    value: unknown,
  ])[] = [
    ['more than the text', ['{"a":1}'], { a: 1, b: 2 }, { a: 1, b: 2 }],
    ['the same as the text', ['{"result":"ok"}'], { result: 'ok' }, { result: 'ok' }],
    ['a text that is not a list or an object', ['notes'], { content: 'notes' }, { content: 'notes' }],
    ['such a text that looks like a number', ['12e4567'], { content: '12e4567' }, { content: '12e4567' }],
    ['such a text that looks like a value', ['true'], { content: 'true' }, { content: 'true' }],
    ['a text that is a list', [' [{"a":1}]'], { content: ' [{"a":1}]' }, [{ a: 1 }]],
    ['a list that the text is too', ['[{"a":1}]'], { rows: [{ a: 1 }] }, [{ a: 1 }]],
    ['a list beside a member', ['[1]'], { rows: [1], total: 1 }, { rows: [1], total: 1 }],
    ['a list that is not that of the text', ['[1]'], { rows: [1, 2] }, { rows: [1, 2] }],
    ['a result that is the text of a list', ['[1]'], { result: '[1]' }, [1]],
    ['a result that is null', [], { result: null }, null],
    ['a result that is a text', ['7'], { result: '7' }, '7'],
    ['a result that is a number', ['7'], { result: 7 }, 7],
    ['a result that is a list with a text for each', ['a', '2'], { result: ['a', 2] }, ['a', 2]],
    ['a result that is an empty list', [], { result: [] }, []],
    ['a result of which the text says something else', ['done'], { result: 7 }, { result: 7 }],
    ['a list', ['[1]'], [1, 2], [1, 2]],
    ['null', ['7'], null, 7],
  ];
  for (const [what, texts, structuredContent, value] of rows)
    it(`is structuredContent, or what it only wraps: ${what}`, () => {
      const result = { content: text(...texts), structuredContent } as ToolResult;
      expect(readResult(resultOf(result)).value).deep.equal(value);
    });

  it('is the value of text that is JSON, a scalar only if it prints back as it was', () => {
    const values: readonly (readonly [string, unknown])[] = [
      ['{"a":[1]}', { a: [1] }],
      [' [1, 2]\n', [1, 2]],
      ['7', 7],
      ['-2.5\n', -2.5],
      ['true', true],
      ['null', null],
      ['"quoted"', 'quoted'],
      ['12e4567', '12e4567'],
      ['1.10', '1.10'],
      ['9007199254740993', '9007199254740993'],
      ['1e3', '1e3'],
      ['plain', 'plain'],
      ['', ''],
    ];
    for (const [one, value] of values) expect(valueOf(one), one).deep.equal(value);
  });

  it('is null without a text, and has all texts of an error', () => {
    const image = { type: 'image', data: '', mimeType: 'image/png' };
    expect(readResult(resultOf({ content: [image] })).value).equal(null);
    expect(readResult(resultOf({ content: [image, ...text('7')] })).value).equal(7);
    const failed = readResult(resultOf({ content: text('one', 'two'), isError: true }));
    expect(failed).to.include({ isError: true, text: 'one\ntwo' });
  });
});
