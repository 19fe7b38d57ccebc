import { expect } from 'chai';
import type { JsonObject } from '../../../../kernel/contracts/json.ts';
import { jsonResult } from '../../../../kernel/lib/results.ts';
import { toolOf } from '../../../support/kernel.ts';
import { bootBoard, file, run, stepsOf } from '../board.ts';

/** Runs a step over a tool with this schema. @returns what the tool received, or why the step failed */
async function received(args: JsonObject, properties: JsonObject): Promise<unknown> {
  const tool = toolOf('x_typed', {
    inputSchema: { type: 'object', properties },
    invoke: (given) => jsonResult(given),
  });
  const steps = [
    { id: 'list', tool: 'x_list' },
    { id: 'a', tool: 'x_typed', args, output: true },
  ];
  const board = await bootBoard({ tools: [tool], files: file('w', { steps }) });
  const document = await run(board, 'w', {});
  const { message } = (document['error'] ?? {}) as { readonly message?: string };
  return message ?? stepsOf(document).at(-1)?.['result'];
}

describe('plugins/workflow: what a template prints', () => {
  const rows: readonly (readonly [what: string, template: unknown, schema: JsonObject, value: unknown])[] = [
    ['a computed integer', '{{ add 1 2 }}', { type: 'integer' }, 3],
    ['a computed number', '{{ divf 5.0 2 }}', { type: 'number' }, 2.5],
    ['a chosen boolean', '{{ if true }}true{{ else }}false{{ end }}', { type: 'boolean' }, true],
    ['a list', '{{ list 1 2 | toJson }}', { type: 'array' }, [1, 2]],
    ['an object', '{{ dict "a" 1 | toJson }}', { type: 'object' }, { a: 1 }],
    ['null', '{{ "" }}', { type: ['integer', 'null'] }, null],
    ['a number where a text is wanted', '{{ .results.list.count }}', { type: 'string' }, '3'],
    ['a text where a text is wanted', '{{ add 1 2 }}', { type: 'string' }, '3'],
    ['a text where a number or a text is wanted', '{{ add 1 2 }}', { type: ['string', 'number'] }, '3'],
    ['anything where any type is wanted', '{{ add 1 2 }}', {}, '3'],
    [
      'a text where a branch allows any type',
      '{{ add 1 2 }}',
      { anyOf: [{ type: 'object' }, { $ref: '#/$defs/other' }] },
      '3',
    ],
    ['null where it is one of the values', '{{ "" }}', { enum: [1, null] }, null],
    ['an item of a list', ['{{ add 1 2 }}'], { type: 'array', items: { type: 'integer' } }, [3]],
    [
      'a field of an object',
      { n: '{{ add 1 2 }}', m: '{{ add 1 2 }}' },
      { type: 'object', properties: { n: { type: 'integer' } } },
      { n: 3, m: '3' },
    ],
    ['a text of the definition', '3', { type: 'integer' }, '3'],
  ];
  for (const [what, template, schema, value] of rows)
    it(`reaches a tool as its schema says: ${what}`, async () => {
      expect(await received({ v: template }, { v: schema })).to.deep.equal({ v: value });
    });

  it('fails the step if it is not of the wanted type, naming step, argument, value and type', async () => {
    for (const [template, type, shown] of [
      ['{{ "abc" }}', 'integer', '"abc"'],
      ['{{ "1.5" }}', 'integer', '"1.5"'],
      ['{{ "[1" }}', 'array', '"[1"'],
      ['{{ .results.list.items }}', 'string', '[{"name":"a"},{"name":"b"},{"name":"c"}]'],
    ] as const)
      expect(await received({ v: template }, { v: { type } })).to.equal(
        `step a failed: failed to resolve arguments for step a: argument 'v' must be of type ${type}, not ${shown}`,
      );
  });
});
