import { expect } from 'chai';
import fc from 'fast-check';
import { resultOf, textResult } from '../../../kernel/result.ts';
import type { Tool } from '../../../kernel/contracts/tool.ts';
import { refusalOf, toolOf } from '../../support/kernel.ts';
import { sliceText } from '../../../plugins/metatools/textPage.ts';
import { boardOf, firstText } from './board.ts';
import type { Asking, Board } from './board.ts';

const ROWS = Array.from({ length: 200 }, (_, at) => ({ id: at, name: `row ${at}`, tags: ['a', 'b'] }));
const LONG = Array.from({ length: 4_000 }, (_, at) => `línea ${at} 😀`).join('\n');
const IMAGE = { type: 'image', mimeType: 'image/png', data: 'A'.repeat(5_000) };
const TOOLS: Tool[] = [
  toolOf('text', { invoke: () => textResult(LONG) }),
  toolOf('short', { invoke: () => textResult('short') }),
  toolOf('json', { invoke: () => textResult(JSON.stringify({ rows: ROWS })) }),
  toolOf('structured', { invoke: () => resultOf({ content: [], structuredContent: { rows: ROWS } }) }),
  toolOf('image', { invoke: () => resultOf({ content: [{ type: 'text', text: 'see' }, IMAGE] }) }),
  toolOf('error', { invoke: () => textResult(LONG, true) }),
];

describe('metatools: oversized results', () => {
  const config = { resultBudget: 4_000 };
  let board: Board;
  beforeEach(async () => {
    board = await boardOf({ tools: TOOLS, config });
  });
  const handleOf = async (name: string, asking?: Asking): Promise<string> =>
    String((await board.ask('call_tool', { name }, asking))['handle']);
  const read = async (args: Record<string, unknown>, asking?: Asking) => {
    const { content } = await board.call('get_result', args, asking);
    return {
      place: JSON.parse(String(content[0]?.['text'])) as Record<string, unknown>,
      text: String(content[1]?.['text']),
    };
  };

  it('answers the head, the shape and a handle, within the budget', async () => {
    const result = await board.call('call_tool', { name: 'json' });
    const note = JSON.parse(firstText(result)) as Record<string, unknown>;
    expect(note).to.deep.include({ truncated: true, head_chars: 2_000, expires_in_seconds: 1_800 });
    expect(note['shape']).to.deep.equal({
      rows: {
        'array of 200': {
          id: 'number',
          name: 'string of 5 characters',
          tags: 'array of 2',
        },
      },
    });
    expect(String(result.content[1]?.['text'])).to.equal(JSON.stringify({ rows: ROWS }).slice(0, 2_000));
    expect(JSON.stringify(result).length).to.be.lessThan(4_000);
  });

  it('keeps ids readable that the cut would hide', async () => {
    const text = JSON.stringify({
      text: 'x'.repeat(9_000),
      run: { execution_id: 'e-1', steps: [{ id: 7 }] },
    });
    board.kernel.catalogue.add('test', toolOf('late', { invoke: () => textResult(text) }));
    const note = await board.ask('call_tool', { name: 'late' });
    expect(note['ids']).to.deep.equal({ 'run.execution_id': 'e-1', 'run.steps[0].id': 7 });
    expect(Object.keys((await board.ask('call_tool', { name: 'json' }))['ids'] as object)).to.have.length(20);
  });

  it('leaves results within the budget, errors, and everything while it is off as they are', async () => {
    expect(firstText(await board.call('call_tool', { name: 'short' }))).to.equal('short');
    expect(firstText(await board.call('call_tool', { name: 'error' }))).to.equal(LONG);
    await board.reconfigure({});
    expect(firstText(await board.call('call_tool', { name: 'text' }))).to.equal(LONG);
  });

  it('counts bytes, not characters', async () => {
    board.kernel.catalogue.add('test', toolOf('wide', { invoke: () => textResult('é'.repeat(2_500)) }));
    expect(await board.ask('call_tool', { name: 'wide' })).to.include({
      truncated: true,
      total_chars: 2_500,
    });
  });

  it('gives the whole text back by pages', async () => {
    const handle = await handleOf('text');
    let whole = '';
    for (let offset: unknown = 0; offset !== undefined;) {
      const { place, text } = await read({ handle, offset, limit: 999 });
      whole += text;
      expect(place).to.deep.include({ total_chars: LONG.length, chars: text.length });
      offset = place['next_offset'];
    }
    expect(whole).to.equal(LONG);
  });

  it('never splits a character, and always moves on', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 5 }), (text, limit) => {
        const pages: string[] = [];
        for (let at = 0; at < text.length; at += pages.at(-1)?.length ?? 1)
          pages.push(sliceText(text, at, limit));
        expect(pages.join('')).to.equal(text);
        expect(pages.every((page) => !/^[\udc00-\udfff]|[\ud800-\udbff]$/.test(page))).to.equal(true);
      }),
    );
  });

  it('selects parts by keys, indexes and all of them', async () => {
    for (const name of ['json', 'structured']) {
      const handle = await handleOf(name);
      const select = async (path: string) =>
        JSON.parse((await read({ handle, select: path })).text) as unknown;
      expect(await select('rows[3].id')).to.equal(3);
      expect(await select('$.rows[-1]')).to.deep.equal(ROWS.at(-1));
      expect(await select('rows[*].tags[0]')).to.deep.equal(ROWS.map(() => 'a'));
      expect(await select('["rows"][0][*]')).to.deep.equal([0, 'row 0', ['a', 'b']]);
      expect((await read({ handle, select: 'rows[7].name' })).text).to.equal('row 7');
    }
  });

  it('says where a selection finds nothing and what is there', async () => {
    const handle = await handleOf('json');
    const failures = [
      ['rows[500]', /nothing at \$\.rows\[500\]; .*array of 200/],
      ['columns', /nothing at \$\.columns; .*its keys: rows/],
      ['rows[', /not readable at character 5/],
      ['rows[0].constructor', /nothing at/],
    ] as const;
    for (const [select, message] of failures) {
      expect((await refusalOf(() => board.call('get_result', { handle, select }))).message).to.match(message);
    }
  });

  it('answers a selected image as an image', async () => {
    const handle = await handleOf('image');
    expect((await board.call('get_result', { handle, select: 'content[1]' })).content).to.deep.equal([IMAGE]);
  });

  it('lets nobody but the one who called read it', async () => {
    const alice = { caller: { subject: 'alice', issuer: 'i' }, sessionId: '1' };
    const handle = await handleOf('text', alice);
    await read({ handle }, { ...alice, sessionId: '2' });
    const others: Asking[] = [
      {},
      { sessionId: '1' },
      { caller: { subject: 'alice' } },
      { caller: { subject: 'bob', issuer: 'i' } },
    ];
    for (const asking of others) {
      const refusal = await refusalOf(() => board.call('get_result', { handle }, asking));
      expect(refusal.code).to.equal('TOOL_RESULT_GONE');
    }
    const own = await handleOf('text', { sessionId: 'one' });
    await read({ handle: own }, { sessionId: 'one' });
    await refusalOf(() => board.call('get_result', { handle: own }, { sessionId: 'two' }));
  });

  it('keeps no more than it may, the newest first', async () => {
    await board.reconfigure({ config: { ...config, maxStoredResults: 2 } });
    const handles = [await handleOf('text'), await handleOf('json'), await handleOf('text')];
    await refusalOf(() => board.call('get_result', { handle: handles[0] }));
    for (const handle of handles.slice(1)) await read({ handle });
  });

  it('keeps what is stored when the limits change live', async () => {
    const handle = await handleOf('text');
    await board.reconfigure({ config: { ...config, maxStoredResults: 3 } });
    expect((await read({ handle })).place).to.include({ total_chars: LONG.length });
  });

  it('says so when a result is larger than all the room there is', async () => {
    await board.reconfigure({ config: { ...config, maxStoredBytes: 8_000 } });
    const note = await board.ask('call_tool', { name: 'text' });
    expect(note).not.to.have.property('handle');
    expect(note['next']).to.match(/ask for less/);
  });
});
