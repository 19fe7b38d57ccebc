import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { rawResult, resultOf, textResult } from '../../../../kernel/lib/results.ts';
import type { CallResult, Tool } from '../../../../kernel/contracts/call.ts';
import type { Client } from '../../../../kernel/contracts/client.ts';
import type { Scope } from '../../../../kernel/contracts/plugin.ts';
import { refusalOf, toolOf } from '../../../support/kernel.ts';
import { defer } from '../../../support/cleanup.ts';
import { movableClock } from '../../../support/clock.ts';
import type { MovableClock } from '../../../support/clock.ts';
import { turnsDuring } from '../../../support/turns.ts';
import { until } from '../../../support/until.ts';
import { Vault } from '../../../../plugins/contracts/vault.ts';
import { boardOf, firstText } from '../board.ts';
import type { Asking, Board } from '../board.ts';

const ROWS = Array.from({ length: 200 }, (_, at) => ({ id: at, name: `row ${at}`, tags: ['a', 'b'] }));
const LONG = Array.from({ length: 4_000 }, (_, at) => `línea ${at} 😀`).join('\n');
const IMAGE = { type: 'image', mimeType: 'image/png', data: 'A'.repeat(5_000) };
const TOOLS: Tool[] = [
  toolOf('text', { invoke: () => textResult(LONG) }),
  toolOf('short', { invoke: () => textResult('short') }),
  toolOf('json', { invoke: () => textResult(JSON.stringify({ rows: ROWS })) }),
  toolOf('structured', { invoke: () => resultOf({ content: [], structuredContent: { rows: ROWS } }) }),
  toolOf('image', {
    invoke: () => resultOf({ content: [{ type: 'text', text: LONG }, IMAGE], _meta: { a: 1 } }),
  }),
  toolOf('picture', { invoke: () => resultOf({ content: [{ type: 'text', text: 'see' }, IMAGE] }) }),
  toolOf('resource', {
    invoke: () => resultOf({ content: [{ type: 'resource', resource: { uri: 'file:///a', text: LONG } }] }),
  }),
  toolOf('error', { invoke: () => textResult(LONG, true) }),
];

function isWellFormed(text: string): boolean {
  return Buffer.from(text).toString() === text;
}

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

  it('are answered by their head, shape and a handle, within the budget', async () => {
    const result = await board.call('call_tool', { name: 'json' });
    const note = JSON.parse(firstText(result)) as Record<string, unknown>;
    expect(note).to.deep.include({ truncated: true, expires_in_seconds: 1_800 });
    expect(note['shape']).to.deep.equal({
      rows: {
        'array of 200': {
          id: 'number',
          name: 'string of 5 characters',
          tags: 'array of 2',
        },
      },
    });
    const head = JSON.stringify({ rows: ROWS }).slice(0, Number(note['head_chars']));
    expect(result.content[1]?.['text']).to.equal(head);
    expect(head).to.match(/"tags":\["a","b"\]\},$/);
    expect(JSON.stringify(result).length).to.be.within(3_900, 4_000);
  });

  describe('have a head', () => {
    const headOf = async (text: string, more = {}): Promise<{ head: string; bytes: number }> => {
      board = await boardOf({
        tools: [toolOf('it', { invoke: () => textResult(text) })],
        config: { ...config, ...more },
      });
      const { content } = await board.call('call_tool', { name: 'it' });
      const note = JSON.parse(String(content[0]?.['text'])) as Record<string, unknown>;
      const head = content[1] === undefined ? '' : String(content[1]['text']);
      expect(note['head_chars']).to.equal(head.length);
      expect(text.startsWith(head)).to.equal(true);
      const { text: next } = await read({ handle: note['handle'], offset: head.length, limit: 10 });
      expect(head + next).to.equal(text.slice(0, head.length + next.length));
      return { head, bytes: Buffer.byteLength(JSON.stringify({ content })) };
    };
    const escaped = 'a "quoted"\\path\ttab\u0001\n';

    it('as long as the budget allows, in bytes of the answer, whatever its characters take', async () => {
      const texts = ['words of one byte\n', 'línea ñ 😀\n', escaped, '漢字', '😀', '"', '\u0000', '\ud800 '];
      for (const one of texts) {
        const { head, bytes } = await headOf(one.repeat(20_000));
        expect(bytes, JSON.stringify(one)).to.be.within(3_960, 4_000);
        expect(isWellFormed(head), JSON.stringify(one)).to.equal(isWellFormed(one));
      }
      const { head } = await headOf('of a line\n'.repeat(30_000), { resultBudget: 40_000 });
      expect(head.length).to.be.above(35_000);
    });

    it('that ends at a line, in JSON at an item, else at a word', async () => {
      expect((await headOf(LONG)).head).to.match(/^línea 0 .*😀\n$/s);
      const items = Array.from({ length: 900 }, (_, at) => ({ at, list: [1, 2], text: `a, "b" ] ${at}` }));
      for (const indent of [undefined, 2]) {
        const { head } = await headOf(JSON.stringify({ about: 'it', items }, null, indent));
        expect(JSON.parse(`${head.replace(/,$/, '')}]}`), String(indent)).to.have.property('items');
      }
      expect((await headOf('several words '.repeat(900))).head).to.match(/ (several|words) ?$/);
      expect((await headOf(`${'x'.repeat(100)} ${'y'.repeat(9_000)}`)).head).to.match(/ y{3000,}$/);
    });

    it('of at most headChars, and none where the budget has no room for it', async () => {
      expect((await headOf(LONG, { headChars: 100 })).head).to.have.length.within(85, 100);
      expect((await headOf(LONG, { headChars: 0 })).head).to.equal('');
      for (const text of [LONG, `\n${LONG}`])
        expect((await headOf(text, { resultBudget: 300 })).head).to.equal('');
    });

    it('beside a shape and ids that are kept short', async () => {
      const wide = (depth: number): unknown =>
        depth === 0
          ? 1
          : Object.fromEntries(
              Array.from({ length: 9 }, (_, at) => [`${'k'.repeat(20)}${at}_id`, wide(depth - 1)]),
            );
      const { head, bytes } = await headOf(JSON.stringify({ wide: wide(4) }));
      expect(bytes).to.be.at.most(4_000);
      expect(head.length).to.be.above(1_000);
    });
  });

  it('list their ids, which the cut would hide', async () => {
    const text = JSON.stringify({
      text: 'x'.repeat(9_000),
      run: { execution_id: 'e-1', steps: [{ id: 7 }] },
    });
    board.kernel.catalogue.add('test', toolOf('late', { invoke: () => textResult(text) }));
    const note = await board.ask('call_tool', { name: 'late' });
    expect(note['ids']).to.deep.equal({ 'run.execution_id': 'e-1', 'run.steps[0].id': 7 });
    expect(Object.keys((await board.ask('call_tool', { name: 'json' }))['ids'] as object)).to.have.length(20);
  });

  it('are examined in pieces, also very wide ones', async () => {
    const wide = JSON.stringify(
      Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`key_${at}`, [at]])),
    );
    const results = {
      text: textResult(wide),
      structure: rawResult(`{"content":[],"structuredContent":${wide}}`),
    };
    for (const [name, result] of Object.entries(results)) {
      board.kernel.catalogue.add('test', toolOf(`wide_${name}`, { invoke: () => result }));
      const { value: note, count } = await turnsDuring(() =>
        board.ask('call_tool', { name: `wide_${name}` }),
      );
      expect(note['shape']).to.deep.include({ key_19: { 'array of 1': 'number' }, '...': '99980 more keys' });
      expect(count, name).to.be.at.least(20);
    }
  });

  describe('for a client that saves long texts to files', () => {
    const lines = (chars: number): string => `${'x'.repeat(99)}\n`.repeat(chars / 100);
    const ask = async (
      result: CallResult,
      { program = 'claude-code', more = {} } = {},
    ): Promise<CallResult> => {
      board = await boardOf({
        tools: [toolOf('it', { invoke: () => result })],
        config: { ...config, resultBudget: 40_000, ...more },
      });
      const client = { id: 'c', hasSession: true, capabilities: {}, program } as unknown as Client;
      return board.kernel.calls.call('call_tool', { name: 'it' }, await board.open(), { client });
    };
    const isWhole = async (result: CallResult, options = {}): Promise<boolean> =>
      (await ask(result, options)).json === result.json;

    it('pass whole if they are texts of lines of that size', async () => {
      for (const chars of [100_100, 300_000, 2_000_000])
        expect(await isWhole(textResult(lines(chars))), String(chars)).to.equal(true);
      for (const chars of [40_100, 60_000, 100_000, 8_400_000])
        expect(await isWhole(textResult(lines(chars))), String(chars)).to.equal(false);
    });

    it('are shortened for every other client', async () => {
      for (const program of ['codex', 'claude-code-like', ''])
        expect(await isWhole(textResult(lines(300_000)), { program })).to.equal(false);
    });

    it('are shortened if its tools cannot read them by lines, or it would show them as an error', async () => {
      const text = lines(300_000);
      const others = [
        textResult(`${text}${'y'.repeat(2_001)}`),
        textResult(text, true),
        resultOf({ content: [{ type: 'text', text }, IMAGE] }),
        resultOf({ content: [{ type: 'text', text }], structuredContent: { text } }),
        resultOf({ content: [{ type: 'resource', resource: { uri: 'file:///a', text } }] }),
      ];
      for (const other of others) expect(await isWhole(other)).to.equal(false);
    });

    it('are shortened if maxSavedBytes is less, or results are enveloped', async () => {
      const result = textResult(lines(300_000));
      expect(await isWhole(result, { more: { maxSavedBytes: 299_999 } })).to.equal(false);
      expect(await isWhole(result, { more: { maxSavedBytes: 0 } })).to.equal(false);
      const enveloped = await ask(result, { more: { callToolEnvelope: 'json' } });
      expect(enveloped.json.length).to.be.below(60_000);
    });
  });

  it('do not include results within the budget, nor any while the budget is off', async () => {
    expect(firstText(await board.call('call_tool', { name: 'short' }))).to.equal('short');
    expect((await board.call('call_tool', { name: 'picture' })).content[1]).to.deep.equal(IMAGE);
    await board.reconfigure({ config: { resultBudget: 0 } });
    expect(firstText(await board.call('call_tool', { name: 'text' }))).to.equal(LONG);
  });

  it('exceed 40,000 bytes of text unless configured otherwise', async () => {
    await board.reconfigure({});
    const sized = (bytes: number) =>
      toolOf(`sized_${bytes}`, { invoke: () => textResult('a'.repeat(bytes)) });
    for (const bytes of [40_000, 40_001]) board.kernel.catalogue.add('test', sized(bytes));
    expect(firstText(await board.call('call_tool', { name: 'sized_40000' }))).to.have.length(40_000);
    expect(await board.ask('call_tool', { name: 'sized_40001' })).to.include({ total_bytes: 40_001 });
  });

  it('count only one copy of text that repeats the structured content', async () => {
    const mirrored = (chars: number) => {
      const structuredContent = { rows: 'a'.repeat(chars) };
      const text = JSON.stringify(structuredContent);
      const invoke = () => resultOf({ content: [{ type: 'text', text }], structuredContent });
      return toolOf(`mirrored_${chars}`, { invoke });
    };
    for (const chars of [3_900, 4_000]) board.kernel.catalogue.add('test', mirrored(chars));
    const whole = await board.call('call_tool', { name: 'mirrored_3900' });
    expect(whole.structuredContent).to.deep.equal({ rows: 'a'.repeat(3_900) });
    expect(await board.ask('call_tool', { name: 'mirrored_4000' })).to.include({ truncated: true });
  });

  it('continue only by select when their text is shown whole', async () => {
    const result = resultOf({
      content: [{ type: 'text', text: '200 rows' }],
      structuredContent: { rows: ROWS },
    });
    board.kernel.catalogue.add('test', toolOf('rows', { invoke: () => result }));
    const { content } = await board.call('call_tool', { name: 'rows' });
    expect(content[1]).to.deep.equal({ type: 'text', text: '200 rows' });
    const { handle, next } = JSON.parse(String(content[0]?.['text'])) as Record<string, unknown>;
    expect(next).to.equal(
      `get_result {"handle": "${String(handle)}", "select": "$.key[*].name"} returns a part`,
    );
  });

  it('are read to the end in fewer than eight pages at 200 KiB', async () => {
    await board.reconfigure({});
    const text = 'words and more\n'.repeat(14_000).slice(0, 204_800);
    board.kernel.catalogue.add('test', toolOf('report', { invoke: () => textResult(text) }));
    const handle = await handleOf('report');
    const pages: string[] = [];
    for (let offset: unknown = 0; offset !== undefined;) {
      const page = await read({ handle, offset });
      pages.push(page.text);
      offset = page.place['next_offset'];
    }
    expect(pages.join('')).to.equal(text);
    expect(pages.length).to.be.below(8);
    for (const page of pages) expect(page.length).to.be.at.most(40_000);
  });

  it('keep images, _meta and isError in the shortened answer', async () => {
    const { content, _meta } = await board.call('call_tool', { name: 'image' });
    expect(content).to.have.length(3);
    expect(content[2]).to.deep.equal(IMAGE);
    expect(_meta).to.deep.equal({ a: 1 });
    const meta = resultOf({ content: [{ type: 'text', text: LONG }], _meta: { a: 'b'.repeat(2_000) } });
    board.kernel.catalogue.add('test', toolOf('meta', { invoke: () => meta }));
    expect(JSON.stringify(await board.call('call_tool', { name: 'meta' })).length).to.be.within(3_500, 4_000);
    const failed = await board.call('call_tool', { name: 'error' });
    expect(failed.isError).to.equal(true);
    expect(JSON.parse(firstText(failed))).to.include({ truncated: true });
  });

  it('include the text of embedded resources', async () => {
    const handle = await handleOf('resource');
    expect((await read({ handle, lines: '2' })).text).to.equal('línea 1 😀\n');
  });

  it('are measured in bytes, not characters', async () => {
    board.kernel.catalogue.add('test', toolOf('wide', { invoke: () => textResult('é'.repeat(2_500)) }));
    expect(await board.ask('call_tool', { name: 'wide' })).to.include({
      truncated: true,
      total_chars: 2_500,
    });
  });

  it('are returned completely by pages', async () => {
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

  it('are read by page number and by line number', async () => {
    const handle = await handleOf('text');
    const pages = [await read({ handle, page: 1, limit: 50 }), await read({ handle, page: 3, limit: 50 })];
    expect(pages.map(({ place }) => place['offset'])).to.deep.equal([0, 100]);
    expect(pages[1]?.text).to.equal(LONG.slice(100, 150));
    const lines = LONG.split('\n');
    const { place, text } = await read({ handle, lines: '10-12' });
    expect(text).to.equal(lines.slice(9, 12).join('\n') + '\n');
    expect(place).to.include({ total_lines: 4_000, truncated: true });
    expect((await read({ handle, lines: '4000' })).text).to.equal(lines.at(-1));
    expect((await read({ handle, lines: '3999-9999' })).text).to.equal(lines.slice(-2).join('\n'));
    for (const wrong of ['0', '5-3', 'ten', '4001']) {
      const refusal = await refusalOf(() => board.call('get_result', { handle, lines: wrong }));
      expect([refusal.code, refusal.message]).to.satisfy(
        ([code, message]: string[]) => code === 'TOOL_ARGUMENTS' && /line/.test(message ?? ''),
      );
    }
  });

  it('are selected from by keys, indexes and wildcards', async () => {
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

  it('reject a selection that takes too long, with advice to narrow it', async () => {
    await board.reconfigure({ config: { ...config, workerMs: 1_500 } });
    const handle = await handleOf('json');
    const select = `$.rows[?$.rows[?$.rows[?$..nothing]]]`;
    const refusal = await refusalOf(() => board.call('get_result', { handle, select, limit: 10 }));
    expect(refusal.code).to.equal('TOOL_ARGUMENTS');
    expect(refusal.message).to.match(
      /^select took longer than 1500 ms \(plugins\.metatools\.config\.workerMs\); select fewer values, each once/,
    );
  });

  it('are kept as the JSON of the result if they take too long to examine', async () => {
    await board.reconfigure({ config: { ...config, workerMs: 1 } });
    const json = JSON.stringify({ content: [{ type: 'text', text: 'x'.repeat(1_100_000) }], isError: false });
    board.kernel.catalogue.add('test', toolOf('slow', { invoke: () => rawResult(json) }));
    const note = await board.ask('call_tool', { name: 'slow' });
    expect(note['shape']).to.match(/the whole result as JSON: examining it took longer than 1 ms/);
    expect((await read({ handle: String(note['handle']), limit: 30 })).text).to.equal(json.slice(0, 30));
  });

  it('are read in pieces, yielding the event loop in between', async () => {
    const rows = Array.from({ length: 40_000 }, (_, at) => ({ id: at, name: `row ${at}` }));
    for (const [name, text] of Object.entries({
      rows: JSON.stringify({ rows }),
      lines: 'a\n'.repeat(1_000_000),
    }))
      board.kernel.catalogue.add('test', toolOf(name, { invoke: () => textResult(text) }));
    const handle = await handleOf('rows');
    for (const select of ['$', '$.rows[*].id', '$..id', '$.rows[?@.id==7]', '$.rows[-1]']) {
      const { count } = await turnsDuring(() => read({ handle, select, limit: 10 }));
      expect(count, select).to.be.at.least(5);
    }
  });

  it('are read only in the stored part that contains the page', async () => {
    const row = `${'x'.repeat(999)}\n`;
    const tools = [toolOf('long', { invoke: () => textResult(row.repeat(3_500)) })];
    board = await boardOf({ tools, config: { ...config, readCacheBytes: 1_024 } });
    const vault = board.kernel.registry.get(Vault.id) as Vault;
    const get = vault.get.bind(vault);
    const looked: string[] = [];
    vault.get = (key) => {
      looked.push(key.replace(/^(\w+).*?(:\d+)?$/, '$1$2'));
      return get(key);
    };
    const handle = await handleOf('long');
    const pages: [Record<string, unknown>, string, ...string[]][] = [
      [{ offset: 10 }, 'resultpart:0'],
      [{ offset: 2_500_000, limit: 1_001 }, 'resultpart:2'],
      [{ page: 4, limit: 1_000_000 }, 'resultpart:0'],
      [{ lines: '3000' }, 'resultpart:2'],
      [{ lines: '1049-1049' }, 'resultpart:0', 'resultpart:1'],
      [{ lines: '3501' }, 'resultpart:3'],
    ];
    for (const [args, ...parts] of pages) {
      looked.length = 0;
      const { place, text } = await read({ handle, ...args });
      expect(place).to.include({ total_chars: 3_500_000, total_lines: 3_501 });
      expect(text).to.equal(row.repeat(3_500).slice(Number(place['offset'])).slice(0, text.length));
      expect(looked, JSON.stringify(args)).to.deep.equal(['result', ...parts]);
    }
    looked.length = 0;
    const [refusal] = [await refusalOf(() => board.call('get_result', { handle, lines: '3502' }))];
    expect(refusal.message).to.equal('line 3502 does not exist; the text has 3501 lines');
    expect(looked).to.deep.equal(['result']);
  });

  it('of plain text can be selected as a whole, but not in part', async () => {
    const handle = await handleOf('text');
    expect((await read({ handle, select: '$', offset: 5, limit: 20 })).text).to.equal(LONG.slice(5, 25));
    const refusal = await refusalOf(() => board.call('get_result', { handle, select: 'content[0].text' }));
    expect(refusal.message).to.equal('select finds nothing at $.content; the value above is a string');
    expect((await board.ask('call_tool', { name: 'text' }))['shape']).to.equal(
      `string of ${LONG.length} characters`,
    );
  });

  it('keep numbers as the server wrote them', async () => {
    const text = `{"big":12345678901234567890,"same":1.0,"text":"${'x'.repeat(9_000)}"}`;
    board.kernel.catalogue.add('test', toolOf('exact', { invoke: () => textResult(text) }));
    const handle = await handleOf('exact');
    expect((await read({ handle, select: 'big' })).text).to.equal('12345678901234567890');
    expect((await read({ handle, select: '$["same","big"]' })).text).to.equal(
      '[\n  1.0,\n  12345678901234567890\n]',
    );
  });

  it('reject a path that is too long', async () => {
    const handle = await handleOf('json');
    const refusal = await refusalOf(() =>
      board.call('get_result', { handle, select: '$' + '.a'.repeat(5_000) }),
    );
    expect(refusal.message).to.equal('select has 10001 characters; at most 2000 are allowed');
  });

  it('report where a selection finds nothing and what the value there is', async () => {
    const handle = await handleOf('json');
    const failures = [
      ['rows[500]', /nothing at \$\.rows\[500\]; .*array of 200/],
      ['columns', /nothing at \$\.columns; the value above has the keys: rows/],
      ['rows[', /is invalid at character 6/],
      ['rows[0].constructor', /nothing at/],
    ] as const;
    for (const [select, message] of failures) {
      expect((await refusalOf(() => board.call('get_result', { handle, select }))).message).to.match(message);
    }
  });

  describe('nested too deeply to be serialized', () => {
    const deep = `${'['.repeat(30_000)}1${']'.repeat(30_000)}`;
    const results = {
      deepMeta: `{"content":[{"type":"text","text":"${'x'.repeat(9_000)}"}],"_meta":{"deep":${deep}}}`,
      deepItem: `{"content":[{"type":"text","text":"${'x'.repeat(9_000)}"},{"type":"image","_meta":${deep}}]}`,
      deepData: `{"content":[],"structuredContent":{"id":7,"deep":${deep}}}`,
    };
    const jsonOf = async (name: string): Promise<string> => {
      const request = await board.open();
      return (await board.kernel.calls.call('call_tool', { name }, request)).json;
    };
    const tools = Object.entries(results).map(([name, json]) =>
      toolOf(name, { invoke: () => rawResult(json) }),
    );
    beforeEach(async () => {
      board = await boardOf({ tools, config });
    });

    it('are shortened like all others without losing data', async () => {
      expect(await jsonOf('deepMeta')).to.contain(`"_meta":{"deep":${deep}}`);
      expect(await jsonOf('deepItem')).to.contain(`{"type":"image","_meta":${deep}}`);
      const handle = await handleOf('deepData');
      const { text } = await read({ handle, offset: 1_000, limit: 50 });
      expect(text).to.equal('['.repeat(50));
      expect((await read({ handle, select: 'id' })).text).to.equal('7');
    });

    it('reject a selection that cannot be serialized, with advice', async () => {
      await board.reconfigure({ tools, config: { ...config, workerMs: 1_500 } });
      const handle = await handleOf('deepData');
      const refusal = await refusalOf(() => board.call('get_result', { handle, select: '$.deep' }));
      expect(refusal).to.have.property('code', 'TOOL_ARGUMENTS');
      expect(refusal.message).to.match(/^select took (longer|more) than \d+ .*leave select out/);
    });

    it('can be enveloped', async () => {
      await board.reconfigure({ tools, config: { resultBudget: 0, callToolEnvelope: 'json' } });
      expect(await jsonOf('deepData')).to.contain(`"structuredContent":{"id":7,"deep":${deep}}`);
    });
  });

  it('may have no content or invalid content', async () => {
    const items = `[null,1,{"type":"text","text":"${'x'.repeat(9_000)}"}]`;
    const results = {
      none: `{"structuredContent":{"rows":"${'x'.repeat(9_000)}"}}`,
      odd: `{"content":${items}}`,
    };
    for (const [name, json] of Object.entries(results)) {
      board.kernel.catalogue.add('test', toolOf(name, { invoke: () => rawResult(json) }));
      const { text } = await read({ handle: await handleOf(name), offset: 4_000, limit: 10 });
      expect(text, name).to.equal('xxxxxxxxxx');
    }
  });

  it('return a selected image as an image', async () => {
    const handle = await handleOf('image');
    expect((await board.call('get_result', { handle, select: 'content[1]' })).content).to.deep.equal([IMAGE]);
  });

  it('are readable only by the caller that received them', async () => {
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

  describe('while their owner calls tools', () => {
    const LIFETIME_MS = 1_800_000;
    const [one, two] = [{ sessionId: 'one' }, { sessionId: 'two' }];
    let clock: MovableClock;
    let swapped = 0;
    beforeEach(async () => {
      clock = movableClock();
      board = await boardOf({ tools: TOOLS, config });
      const vault = board.kernel.registry.get(Vault.id) as Vault;
      const swap = vault.compareAndSwap.bind(vault);
      swapped = 0;
      vault.compareAndSwap = async (...args) => {
        const result = await swap(...args);
        swapped += 1;
        return result;
      };
    });
    const call = (asking: Asking) => board.call('call_tool', { name: 'short' }, asking);
    const renewed = (times: number) => until(() => swapped >= times, { what: `${times} renewals` });

    it('are kept, with a write in a third of their lifetime at most', async () => {
      const handle = await handleOf('text', one);
      for (let at = 1; at <= 4; at += 1) {
        clock.later(LIFETIME_MS * 0.9);
        for (let calls = 0; calls < 20; calls += 1) await call(one);
        await renewed(2 * at);
      }
      expect((await read({ handle }, one)).place).to.include({ total_chars: LONG.length });
      expect(swapped).to.equal(8);
    });

    it('are kept by calls soon after they were stored', async () => {
      const handle = await handleOf('text', one);
      clock.later(LIFETIME_MS / 3 - 50);
      await call(one);
      await renewed(2);
      clock.later(LIFETIME_MS - 1_000);
      await read({ handle }, one);
    });

    it('expire after the last call of their owner, whatever others do', async () => {
      const handle = await handleOf('text', one);
      await handleOf('text', two);
      clock.later(LIFETIME_MS * 0.9);
      await call(two);
      await renewed(2);
      clock.later(LIFETIME_MS * 0.2);
      await call(one);
      expect((await refusalOf(() => read({ handle }, one))).code).to.equal('TOOL_RESULT_GONE');
    });

    /** Another process that shares the vault. */
    const moveOn = async (): Promise<void> => {
      const vault = board.kernel.registry.get(Vault.id) as Vault;
      const source = (scope: Scope<unknown>): void => scope.provide(Vault, vault);
      board = await boardOf({ tools: TOOLS, config, withVault: false, provides: [Vault], source });
    };

    it('are kept by another process that shares the vault', async () => {
      const handle = await handleOf('text', one);
      await moveOn();
      clock.later(LIFETIME_MS * 0.9);
      await call(one);
      await renewed(2);
      clock.later(LIFETIME_MS * 0.9);
      await read({ handle }, one);
    });

    /** Holds back the next list of the vault, which `begin` asks for, until it is released. */
    const heldList = async (begin: () => Promise<unknown>): Promise<() => void> => {
      const vault = board.kernel.registry.get(Vault.id) as Vault;
      const list = vault.list.bind(vault);
      let release: (() => void) | undefined;
      vault.list = async (prefix) => {
        vault.list = list;
        const keys = await list(prefix);
        await new Promise<void>((resolve) => (release = resolve));
        return keys;
      };
      void begin();
      await until(() => release !== undefined, { what: 'the list is read' });
      return () => release?.();
    };

    it('are kept if they were stored while the list of results was read', async () => {
      await call(one);
      let first: Promise<string> | undefined;
      const release = await heldList(() => (first = handleOf('text', one)));
      const handle = await handleOf('text', two);
      release();
      await first;
      clock.later(LIFETIME_MS / 3 - 500);
      await call(two);
      await renewed(2);
      clock.later(LIFETIME_MS - 1_000);
      await read({ handle }, two);
    });

    it('are kept by a call while the list of results is read', async () => {
      const handle = await handleOf('text', one);
      await moveOn();
      clock.later(LIFETIME_MS * 0.9);
      const release = await heldList(() => call(two));
      await call(one);
      release();
      await renewed(2);
      clock.later(LIFETIME_MS * 0.9);
      await read({ handle }, one);
    });

    it('are not written at once if their lifetime is as long as it may be', async () => {
      const warnings: Error[] = [];
      const heard = (warning: Error): void => void warnings.push(warning);
      process.on('warning', heard);
      defer(() => process.off('warning', heard));
      await board.reconfigure({ tools: TOOLS, config: { ...config, storedResultTtlSeconds: 7_776_000 } });
      await handleOf('text', one);
      await call(one);
      await setImmediate();
      expect(warnings).to.deep.equal([]);
    });
  });

  it('are stored up to maxStoredResults, the newest first', async () => {
    await board.reconfigure({ config: { ...config, maxStoredResults: 2 } });
    const handles = [await handleOf('text'), await handleOf('json'), await handleOf('text')];
    await refusalOf(() => board.call('get_result', { handle: handles[0] }));
    for (const handle of handles.slice(1)) await read({ handle });
  });

  it('are not deleted to make room for another session that has many', async () => {
    await board.reconfigure({ config: { ...config, maxStoredResults: 3 } });
    const own = await handleOf('text', { sessionId: 'one' });
    const others: string[] = [];
    for (let at = 0; at < 10; at += 1) others.push(await handleOf('text', { sessionId: 'two' }));
    await read({ handle: own }, { sessionId: 'one' });
    for (const handle of others.slice(-2)) await read({ handle }, { sessionId: 'two' });
    await refusalOf(() => board.call('get_result', { handle: others.at(-3) }, { sessionId: 'two' }));
  });

  it('stay stored when the limits change at run time', async () => {
    const handle = await handleOf('text');
    await board.reconfigure({ config: { ...config, maxStoredResults: 3 } });
    expect((await read({ handle })).place).to.include({ total_chars: LONG.length });
  });

  it('of 30 MB are answered in a few KB and can be read completely', async () => {
    const huge = Array.from({ length: 30 }, (_, at) => String(at % 10).repeat(1_000_000)).join('"');
    board.kernel.catalogue.add('test', toolOf('huge', { invoke: () => textResult(huge) }));
    const answer = await board.call('call_tool', { name: 'huge' });
    expect(JSON.stringify(answer).length).to.be.lessThan(32_000);
    const { handle } = JSON.parse(firstText(answer)) as { handle: string };
    const { text } = await read({ handle, offset: huge.length - 50 });
    expect(text).to.equal(huge.slice(-50));
    expect((await read({ handle, offset: 15_000_000, limit: 100_000 })).text).to.equal(
      huge.slice(15_000_000, 15_100_000),
    );
  });

  it('report when there is no vault to store them', async () => {
    await board.reconfigure({ config, withVault: false });
    const note = await board.ask('call_tool', { name: 'text' });
    expect(note).not.to.have.property('handle');
    expect(note['next']).to.match(/could not be stored .*no vault.*ask for less/);
  });

  it('are answered whole when they cannot be stored, up to four budgets', async () => {
    await board.reconfigure({ config, withVault: false });
    for (const [chars, isWhole] of [
      [4_001, true],
      [16_000, true],
      [16_001, false],
    ] as const) {
      const text = 'x'.repeat(chars);
      board.kernel.catalogue.add('test', toolOf(`wide${chars}`, { invoke: () => textResult(text) }));
      expect(
        firstText(await board.call('call_tool', { name: `wide${chars}` })) === text,
        `${chars}`,
      ).to.equal(isWhole);
    }
  });

  it('advise to call a tool again that declares it harmless, and to be careful with others', async () => {
    await board.reconfigure({ config, withVault: false });
    const nextOf = async (annotations: NonNullable<Tool['annotations']>): Promise<unknown> => {
      const remove = board.kernel.catalogue.add(
        'test',
        toolOf('again', { annotations, invoke: () => textResult(LONG) }),
      );
      const { next } = await board.ask('call_tool', { name: 'again' });
      remove();
      return next;
    };
    const care = /; the tool has run: only if that does no harm, call the tool again with arguments that/;
    for (const annotations of [{}, { destructiveHint: false }])
      expect(await nextOf(annotations)).to.match(care);
    for (const annotations of [{ readOnlyHint: true }, { idempotentHint: true }])
      expect(await nextOf(annotations)).to.match(/\); call the tool again with arguments that ask for less$/);
  });

  it('are not found by an invalid handle', async () => {
    for (const handle of ['r_1', '../x', 'result:', 'a'.repeat(600)]) {
      const refusal = await refusalOf(() => board.call('get_result', { handle }));
      expect(refusal.code).to.equal('TOOL_RESULT_GONE');
    }
  });

  it('report when they are larger than the whole store', async () => {
    await board.reconfigure({ config: { ...config, maxStoredChars: 8_000 } });
    const note = await board.ask('call_tool', { name: 'text' });
    expect(note).not.to.have.property('handle');
    expect(note['next']).to.match(/ask for less/);
  });
});
