import { Readable } from 'node:stream';
import { expect } from 'chai';
import type { Invocation, JsonObject } from '../../../../kernel/index.ts';
import { readToolArguments } from '../../../../plugins/cli/arguments/readToolArguments.ts';
import type { ArgumentSources } from '../../../../plugins/cli/arguments/readToolArguments.ts';
import { Failure } from '../../../../plugins/cli/failure.ts';
import { makeDirectory } from '../../../support/directory.ts';

const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    text: { type: 'string', description: 'What to say' },
    count: { type: 'integer' },
    ratio: { type: 'number' },
    isLoud: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    sizes: { type: 'array', items: { type: 'integer' } },
    filter: { type: 'object' },
    mode: { enum: ['fast', 'slow'] },
    either: { anyOf: [{ type: 'number' }, { type: 'string' }] },
    nothing: { type: ['null', 'string'] },
    free: {},
  },
};

const read = (
  words: readonly string[],
  sources: ArgumentSources = {},
  { schema = SCHEMA, input = [] }: { schema?: JsonObject; input?: readonly Buffer[] } = {},
): Promise<JsonObject> => {
  const terminal = { input: Readable.from(input) } as unknown as Invocation['terminal'];
  return readToolArguments(words, schema, sources, { terminal });
};
async function refusal(...given: Parameters<typeof read>): Promise<string> {
  try {
    await read(...given);
  } catch (error) {
    expect(error).instanceOf(Failure);
    return (error as Error).message;
  }
  throw new Error('accepted');
}

describe('arguments of a tool', () => {
  it('are typed by its schema', async () => {
    const words = ['--text', '3', '--count', '3', '--ratio=-0.5', '--is-loud', '--mode', 'slow'];
    expect(await read(words)).deep.equal({ text: '3', count: 3, ratio: -0.5, isLoud: true, mode: 'slow' });
    expect(await read(['--no-is-loud', '--either', '4', '--nothing', 'null'])).deep.equal({
      isLoud: false,
      either: 4,
      nothing: null,
    });
    expect(await read(['--either', 'x', '--isLoud=no'])).deep.equal({ either: 'x', isLoud: false });
  });

  it('take lists as JSON, with commas, or from repeated flags, and objects as JSON', async () => {
    expect(await read(['--tags', 'a,b', '--sizes', '[1,2]'])).deep.equal({ tags: ['a', 'b'], sizes: [1, 2] });
    expect(await read(['--tags', 'a', '--tags', 'b'])).deep.equal({ tags: ['a', 'b'] });
    expect(await read(['--filter', '{"a": [1]}'])).deep.equal({ filter: { a: [1] } });
  });

  it('may hold =, line feeds, dashes and any letter', async () => {
    for (const text of ['a=b', 'one\ntwo', 'ünï 語', '-3', '--', '- item'])
      expect(await read([`--text=${text}`]), text).deep.equal({ text });
    expect(await read(['--text', '-x', '--count', '-3'])).deep.equal({ text: '-x', count: -3 });
  });

  it('come from files, standard input and JSON; the more specific source has priority', async () => {
    const directory = makeDirectory({
      'args.json': '{"text": "file", "count": 1, "ratio": 2}',
      note: 'from @',
    });
    const file = directory.at('args.json');
    expect(await read(['--ratio', '9'], { file, json: '{"count": 5}' })).deep.equal({
      text: 'file',
      count: 5,
      ratio: 9,
    });
    const typed = Buffer.from('text: grüße\n');
    // A letter of two bytes arrives in two parts.
    const input = [typed.subarray(0, 9), typed.subarray(9)];
    expect(await read([], { file: '-' }, { input })).deep.equal({ text: 'grüße' });
    expect(await read(['--text', `@${directory.at('note')}`])).deep.equal({ text: 'from @' });
    expect(await read(['--text', '@@home'])).deep.equal({ text: '@home' });
  });

  it('are refused with the name of the flag and what to write', async () => {
    for (const [words, text] of [
      [['--count', 'many'], '--count must be of type integer, not "many"'],
      [['--mode', 'idle'], '--mode must be one of fast, slow, not idle'],
      [['--txt', 'x'], 'no argument txt; did you mean --text?'],
      [['--zzzzzzzz', 'x'], 'it takes --text, --count'],
      [['stray'], '"stray" is not a flag; arguments are written as --name value'],
      [['path=/tmp'], '"path=/tmp" is not a flag; write --path=/tmp'],
      [['{"path": 1}'], 'arguments in JSON are given with --json'],
      [['--text', '@/nowhere/at/all'], 'write @@ for a text that begins with @'],
      [['--filter', 'x'], '--filter must be of type object'],
    ] as const)
      expect(await refusal(words), words.join(' ')).contain(text);
    expect(await refusal([], { json: '[1]' })).contain('--json must hold a JSON object');
    expect(await refusal([], { json: '{"a": ' })).contain('--json: ');
    expect(await refusal([], { file: '/nowhere' })).contain('--file: ');
  });

  it('are listed with their descriptions if they are missing', async () => {
    const schema = { ...SCHEMA, required: ['text', 'count'] };
    const text = await refusal(['--count', '1'], {}, { schema });
    expect(text).equal('missing arguments:\n  --text <string>  What to say');
  });
});
