import { expect } from 'chai';
import fc from 'fast-check';
import { rawResult, resultOf, textResult } from '../../../../kernel/lib/results.ts';
import type { Tool } from '../../../../kernel/contracts/tool.ts';
import { refusalOf, toolOf } from '../../../support/kernel.ts';
import { turnsDuring } from '../../../support/turns.ts';
import { sliceText } from '../../../../plugins/metatools/results/textPage.ts';
import { Vault } from '../../../../plugins/vault-file/contract.ts';
import { MemoryVault } from '../../../../plugins/vault-memory/memoryVault.ts';
import { boardOf, firstText } from '../board.ts';
import type { Asking, Board } from '../board.ts';

const ROWS = Array.from({ length: 200 }, (_, at) => ({ id: at, name: `row ${at}`, tags: ['a', 'b'] }));
const LONG = Array.from({ length: 4_000 }, (_, at) => `línea ${at} 😀`).join('\n');
const VAULT_LIMITS = { maxEntries: 100, maxBytes: 100_000_000, maxValueBytes: 2_000_000, sweepMs: 1_000 };
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

  it('looks through a result in pieces, however wide it is', async () => {
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

  it('leaves results within the budget, and everything while it is off, as they are', async () => {
    expect(firstText(await board.call('call_tool', { name: 'short' }))).to.equal('short');
    expect((await board.call('call_tool', { name: 'picture' })).content[1]).to.deep.equal(IMAGE);
    await board.reconfigure({ config: { resultBudget: 0 } });
    expect(firstText(await board.call('call_tool', { name: 'text' }))).to.equal(LONG);
  });

  it('is 40,000 bytes of text unless configured', async () => {
    await board.reconfigure({});
    const sized = (bytes: number) =>
      toolOf(`sized_${bytes}`, { invoke: () => textResult('a'.repeat(bytes)) });
    for (const bytes of [40_000, 40_001]) board.kernel.catalogue.add('test', sized(bytes));
    expect(firstText(await board.call('call_tool', { name: 'sized_40000' }))).to.have.length(40_000);
    expect(await board.ask('call_tool', { name: 'sized_40001' })).to.include({ total_bytes: 40_001 });
  });

  it('counts one copy of what stands in a text and in structured content', async () => {
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

  it('is read to its end in fewer than eight pages when it has 200 KiB', async () => {
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

  it('keeps images, _meta and whether it is an error in what it answers at once', async () => {
    const { content, _meta } = await board.call('call_tool', { name: 'image' });
    expect(content).to.have.length(3);
    expect(content[2]).to.deep.equal(IMAGE);
    expect(_meta).to.deep.equal({ a: 1 });
    const failed = await board.call('call_tool', { name: 'error' });
    expect(failed.isError).to.equal(true);
    expect(JSON.parse(firstText(failed))).to.include({ truncated: true });
  });

  it('counts and reads the text of embedded resources', async () => {
    const handle = await handleOf('resource');
    expect((await read({ handle, lines: '2' })).text).to.equal('línea 1 😀\n');
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

  it('reads pages by their number and lines by theirs', async () => {
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

  it('refuses to take the same again and again, and says how to narrow it', async () => {
    const text = JSON.stringify({ x: 'y'.repeat(50_000), rows: ROWS });
    await board.reconfigure({ config: { ...config, maxSelectChars: 1_000_000 } });
    board.kernel.catalogue.add('test', toolOf('big', { invoke: () => textResult(text) }));
    const handle = await handleOf('big');
    const times = (count: number) => `$[${Array(count).fill('"x"').join()}]`;
    expect((await read({ handle, select: times(5), limit: 10 })).place).to.include({ total_lines: 7 });
    for (const select of [times(12), `$.rows[${Array(100).fill(':').join()}]`]) {
      const refusal = await refusalOf(() => board.call('get_result', { handle, select, limit: 10 }));
      expect(refusal.code).to.equal('TOOL_ARGUMENTS');
      expect(refusal.message).to.match(
        /^select reads and writes more than 1000000 characters \(.*maxSelectChars\); name fewer places, each once/,
      );
    }
  });

  it('reads on in pieces, so that others have their turns meanwhile', async () => {
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

  it('reads no more of a long text than the part that a page is in', async () => {
    const vault = new MemoryVault(() => VAULT_LIMITS);
    const looked: string[] = [];
    const get = (key: string): Promise<unknown> => {
      looked.push(key.replace(/^(\w+).*?(:\d+)?$/, '$1$2'));
      return vault.get(key);
    };
    const watched = new Proxy(vault, {
      get: (target, name) =>
        name === 'get' ? get : (Reflect.get(target, name) as () => unknown).bind(target),
    });
    const row = `${'x'.repeat(999)}\n`;
    const tools = [toolOf('long', { invoke: () => textResult(row.repeat(3_500)) })];
    board = await boardOf({
      tools,
      config: { ...config, readCacheBytes: 1_024 },
      withVault: false,
      provides: [Vault],
      source: (scope) => scope.provide(Vault, watched),
    });
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
    expect(refusal.message).to.equal('there is no line 3502; the text has 3501');
    expect(looked).to.deep.equal(['result']);
  });

  it('takes a plain text for what it is: the whole of it can be selected, and nothing in it', async () => {
    const handle = await handleOf('text');
    expect((await read({ handle, select: '$', offset: 5, limit: 20 })).text).to.equal(LONG.slice(5, 25));
    const refusal = await refusalOf(() => board.call('get_result', { handle, select: 'content[0].text' }));
    expect(refusal.message).to.equal('select finds nothing at $.content; of what is there, it is a string');
    expect((await board.ask('call_tool', { name: 'text' }))['shape']).to.equal(
      `string of ${LONG.length} characters`,
    );
  });

  it('selects numbers as the server wrote them', async () => {
    const text = `{"big":12345678901234567890,"same":1.0,"text":"${'x'.repeat(9_000)}"}`;
    board.kernel.catalogue.add('test', toolOf('exact', { invoke: () => textResult(text) }));
    const handle = await handleOf('exact');
    expect((await read({ handle, select: 'big' })).text).to.equal('12345678901234567890');
    expect((await read({ handle, select: '$["same","big"]' })).text).to.equal(
      '[\n  1.0,\n  12345678901234567890\n]',
    );
  });

  it('refuses a path that is too long, or nests too much, and names the place', async () => {
    await board.reconfigure({ config: { ...config, maxQueryChars: 1_000_000 } });
    const handle = await handleOf('json');
    const nested = (filters: number) => `rows${'[?@'.repeat(filters)}${']'.repeat(filters)}`;
    await read({ handle, select: nested(8) });
    await read({ handle, select: '$' + '..*'.repeat(8) });
    const refusals = [
      ['$' + '.a'.repeat(500_000), /^select has 1000001 characters; at most 1000000 are read$/],
      [nested(9), /^select has more than 8 filters within one another at character 30; .*maxSelectNesting/],
      ['rows' + '[?@'.repeat(300_000), /^select has more than 8 filters within one another at character 30;/],
      ['$' + '..*'.repeat(9), /^select has more than 8 times \.\. at character 26; .*maxSelectNesting/],
      ['$..[?@..[?@..*..*..*]..*..*..*..*]', /^select has more than 8 times \.\. at character 31;/],
    ] as const;
    for (const [select, message] of refusals) {
      const refusal = await refusalOf(() => board.call('get_result', { handle, select }));
      expect(refusal.code).to.equal('TOOL_ARGUMENTS');
      expect(refusal.message).to.match(message);
    }
    await board.reconfigure({ config: { ...config, maxSelectNesting: 1 } });
    await refusalOf(() => board.call('get_result', { handle, select: nested(2) }));
  });

  it('says where a selection finds nothing and what is there', async () => {
    const handle = await handleOf('json');
    const failures = [
      ['rows[500]', /nothing at \$\.rows\[500\]; .*array of 200/],
      ['columns', /nothing at \$\.columns; .*its keys: rows/],
      ['rows[', /not readable at character 6/],
      ['rows[0].constructor', /nothing at/],
    ] as const;
    for (const [select, message] of failures) {
      expect((await refusalOf(() => board.call('get_result', { handle, select }))).message).to.match(message);
    }
  });

  describe('nested deeper than can be written', () => {
    const deep = `${'['.repeat(100_000)}1${']'.repeat(100_000)}`;
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

    it('are shortened like all others, and nothing of them is lost', async () => {
      expect(await jsonOf('deepMeta')).to.contain(`"_meta":{"deep":${deep}}`);
      expect(await jsonOf('deepItem')).to.contain(`{"type":"image","_meta":${deep}}`);
      const handle = await handleOf('deepData');
      const { text } = await read({ handle, offset: 1_000, limit: 50 });
      expect(text).to.equal('['.repeat(50));
      expect((await read({ handle, select: 'id' })).text).to.equal('7');
    });

    it('refuses a selection that cannot be written, and says what can be done', async () => {
      const handle = await handleOf('deepData');
      const refusal = await refusalOf(() => board.call('get_result', { handle, select: '$.deep' }));
      expect(refusal).to.have.property('code', 'TOOL_ARGUMENTS');
      expect(refusal.message).to.match(
        /^select reads and writes more than \d+ characters .*leave select out/,
      );
    });

    it('go into an envelope too', async () => {
      await board.reconfigure({ tools, config: { resultBudget: 0, callToolEnvelope: 'json' } });
      expect(await jsonOf('deepData')).to.contain(`"structuredContent":{"id":7,"deep":${deep}}`);
    });
  });

  it('keeps results of a server that leaves content out or fills it with anything', async () => {
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

  it('takes no result from a session for another one that has many', async () => {
    await board.reconfigure({ config: { ...config, maxStoredResults: 3 } });
    const own = await handleOf('text', { sessionId: 'one' });
    const others: string[] = [];
    for (let at = 0; at < 10; at += 1) others.push(await handleOf('text', { sessionId: 'two' }));
    await read({ handle: own }, { sessionId: 'one' });
    for (const handle of others.slice(-2)) await read({ handle }, { sessionId: 'two' });
    await refusalOf(() => board.call('get_result', { handle: others.at(-3) }, { sessionId: 'two' }));
  });

  it('keeps what is stored when the limits change live', async () => {
    const handle = await handleOf('text');
    await board.reconfigure({ config: { ...config, maxStoredResults: 3 } });
    expect((await read({ handle })).place).to.include({ total_chars: LONG.length });
  });

  it('takes a result of 30 MB in a few KB and gives all of it back', async () => {
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

  it('says so when there is no vault to keep it in', async () => {
    await board.reconfigure({ config, withVault: false });
    const note = await board.ask('call_tool', { name: 'text' });
    expect(note).not.to.have.property('handle');
    expect(note['next']).to.match(/could not be kept .*no vault.*ask for less/);
  });

  it('finds nothing under what is no handle', async () => {
    for (const handle of ['r_1', '../x', 'result:', 'a'.repeat(600)]) {
      const refusal = await refusalOf(() => board.call('get_result', { handle }));
      expect(refusal.code).to.equal('TOOL_RESULT_GONE');
    }
  });

  it('says so when a result is larger than all the room there is', async () => {
    await board.reconfigure({ config: { ...config, maxStoredChars: 8_000 } });
    const note = await board.ask('call_tool', { name: 'text' });
    expect(note).not.to.have.property('handle');
    expect(note['next']).to.match(/ask for less/);
  });
});
