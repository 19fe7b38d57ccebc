import { expect } from 'chai';
import type { JsonObject } from '../../../../kernel/contracts/json.ts';
import { refusalOf, toolOf } from '../../../support/kernel.ts';
import { boardOf, namesIn, serverTool } from '../board.ts';
import type { Answer, Board } from '../board.ts';

const TOOLS = [
  serverTool('files', 'read_text'),
  serverTool('files', 'write'),
  serverTool('both', 'echo'),
  toolOf('workflow_deploy', { kind: 'workflow' }),
  toolOf('workflow_both', { kind: 'workflow' }),
];

describe('metatools: arguments with one meaning', () => {
  let board: Board;
  beforeEach(async () => {
    board = await boardOf({
      tools: TOOLS,
      presets: { reading: { include: [{ tool: 'x_files_read_text' }] } },
    });
  });
  /** The answer, and the text beside it that says what was understood. */
  const understood = async (name: string, args: JsonObject): Promise<readonly [Answer, unknown]> => {
    const { content } = await board.call(name, args);
    return [JSON.parse(String(content[0]?.['text'])) as Answer, content[1]?.['text']];
  };

  it('are read as what they can only mean, which the answer says', async () => {
    for (const [name, args, plain, said] of [
      ['list_tools', { limit: '2', offset: '1' }, { limit: 2, offset: 1 }, 'limit as 2, offset as 1'],
      [
        'filter_tools',
        { query: ['read text'], limit: ' 3 ' },
        { query: 'read text', limit: 3 },
        'query as "read text", limit as 3',
      ],
      [
        'filter_tools',
        { query: ['read text', 'echo'] },
        { query: 'read text, echo' },
        'query as "read text, echo"',
      ],
      ['filter_tools', { include_schema: 'true' }, { include_schema: true }, 'include_schema as true'],
      ['describe_tool', { name: ['x_files_write'] }, { name: 'x_files_write' }, 'name as "x_files_write"'],
    ] as const) {
      const [answer, text] = await understood(name, args);
      expect(text).to.equal(`understood: ${said}`);
      expect([answer, undefined]).to.deep.equal(await understood(name, plain));
    }
  });

  it('are read as selectors of what alone has such a name', async () => {
    for (const [given, meant] of [
      ['files', 'server:files'],
      ['reading', 'preset:reading'],
      ['deploy', 'workflow:deploy'],
      ['x_files_write', 'tool:x_files_write'],
    ] as const) {
      const [answer, text] = await understood('filter_tools', { toolset: [given, 'tool:x_both_echo'] });
      expect(text).to.equal(`understood: toolset as "${meant}"`);
      const [plain] = await understood('filter_tools', { toolset: [meant, 'tool:x_both_echo'] });
      expect(answer).to.deep.equal(plain);
    }
    for (const toolset of [['both'], ['nothing'], ['files', 5]]) {
      const refusal = await refusalOf(() => board.call('filter_tools', { toolset }));
      expect(refusal.code).to.equal('TOOL_TOOLSET_INVALID');
    }
  });

  it('are not guessed at otherwise', async () => {
    for (const args of [
      { limit: '3.5' },
      { limit: 'x' },
      { limit: '-1' },
      { query: ['a', 5] },
      { pattern: ['a', 'b'] },
    ])
      expect((await refusalOf(() => board.call('filter_tools', args))).code).to.equal('TOOL_ARGUMENTS');
  });

  it('are suggested by other names that models give them', async () => {
    const fix = async (name: string, args: JsonObject): Promise<string | undefined> =>
      (await refusalOf(() => board.call(name, args))).message.split('; ')[1];
    expect(await fix('filter_tools', { q: 'a', top_k: 3 })).to.equal('did you mean query, limit?');
    expect(await fix('filter_tools', { task: 'a' })).to.equal('did you mean query?');
    expect(await fix('filter_tools', { server: 'files' })).to.equal(
      'did you mean toolset: ["server:files"]?',
    );
    expect(await fix('describe_tool', { tool_name: 'a' })).to.equal('did you mean name?');
    expect(await fix('call_tool', { tool: 'a', input: {} })).to.equal('did you mean name, arguments?');
    expect(await fix('call_tool', { name: 'a', text: 'b' })).to.equal('did you mean arguments: {"text": …}?');
  });

  it('are a pattern without a star that matches nothing: the hint says what it matches with two', async () => {
    const search = (args: JsonObject): Promise<Answer> => board.ask('filter_tools', args);
    const answer = await search({ pattern: 'Files' });
    expect(namesIn(answer)).to.deep.equal([]);
    expect(answer['hint']).to.equal(
      'a pattern without * matches whole names only; "*Files*" matches x_files_read_text, x_files_write',
    );
    expect((await search({ pattern: 'zeppelin' }))['hint']).to.match(/^no tool matches/);
    expect((await search({ pattern: 'file?' }))['hint']).to.match(/^no tool matches/);
    expect(await search({ pattern: 'x_files_write' })).not.to.have.property('hint');
    const headers = { 'x-service-toolset': 'tool:x_files_write' };
    const narrowed = await board.ask('filter_tools', { pattern: 'files' }, { headers });
    expect(narrowed['hint']).to.match(/matches x_files_write$/);
    // What does not match is the other filter.
    const other = await search({ pattern: 'x_files_write', labels: { team: 'none' } });
    expect(other['hint']).to.match(/^no tool matches/);
    expect((await search({ pattern: 'Files', case_sensitive: true }))['hint']).to.match(/^no tool matches/);
  });
});
