import { expect } from 'chai';
import { resultOf } from '../../../../kernel/lib/results.ts';
import { readResult } from '../../../../plugins/workflow/run/readResult.ts';

const text = (...texts: readonly string[]) => texts.map((one) => ({ type: 'text', text: one }));
const valueOf = (one: string): unknown => readResult(resultOf({ content: text(one) })).value;

describe('plugins/workflow: the result of a step', () => {
  it('is structuredContent if the text has no value of its own', () => {
    for (const one of ['notes', '12e4567', '1.10'])
      expect(
        readResult(resultOf({ content: text(one), structuredContent: { content: one } })).value,
      ).deep.equal({
        content: one,
      });
  });

  it('is the value of text that is JSON, a scalar only if it prints back as it was', () => {
    const rows: readonly (readonly [string, unknown])[] = [
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
    for (const [one, value] of rows) expect(valueOf(one), one).deep.equal(value);
  });

  it('is null without a text, and has all texts of an error', () => {
    const image = { type: 'image', data: '', mimeType: 'image/png' };
    expect(readResult(resultOf({ content: [image] })).value).equal(null);
    const failed = readResult(resultOf({ content: text('one', 'two'), isError: true }));
    expect(failed).to.include({ isError: true, text: 'one\ntwo' });
  });
});
