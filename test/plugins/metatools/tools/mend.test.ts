import { expect } from 'chai';
import { GatewayError } from '../../../../kernel/errors.ts';
import { coreTool } from '../../../../kernel/coreTool.ts';
import type { JsonObject } from '../../../../kernel/contracts/json.ts';
import { rawResult, textResult } from '../../../../kernel/lib/results.ts';
import { refusalOf } from '../../../support/kernel.ts';
import { boardOf, firstText, serverTool } from '../board.ts';
import type { Board } from '../board.ts';

const SUM = {
  type: 'object',
  properties: { a: { type: 'number', description: 'First\nNumber' }, b: { type: 'number', title: 'B' } },
  required: ['a', 'b'],
};
const SUM_TEXT =
  'its inputSchema is {"type":"object","properties":{"a":{"type":"number","description":"First"},"b":{"type":"number"}},"required":["a","b"]}';
const invalid = (code: number): never => {
  const details = { code, serverMessage: 'no', server: 's' };
  throw new GatewayError('UPSTREAM_ERROR', 'tool sum of server s failed: no', { details });
};
const answered = (text: string, more = ''): string =>
  `{"content":[{"type":"text","text":"${text}"}]${more},"isError":true}`;
const TOOLS = [
  serverTool('s', 'get-sum', { inputSchema: SUM, invoke: () => invalid(-32602) }),
  serverTool('s', 'fails', { inputSchema: SUM, invoke: () => invalid(-32000) }),
  serverTool('s', 'strict', {
    inputSchema: SUM,
    invoke: ({ a, b }) =>
      rawResult(answered(a === 1 && b === 2 ? 'Input validation error' : 'no', ',"x":1.0')),
  }),
  serverTool('s', 'away', { inputSchema: SUM, invoke: () => rawResult(answered('the disk is full')) }),
  serverTool('s', 'echo', {
    inputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
    invoke: (args) => textResult(JSON.stringify(args)),
  }),
  serverTool('s', 'free', { invoke: (args) => textResult(JSON.stringify(args)) }),
  serverTool('t', 'log'),
  serverTool('u', 'log'),
  coreTool({
    name: 'core_mcpserver_get',
    description: 'Get one',
    schema: {
      type: 'object',
      properties: { name: { type: 'string' } },
      required: ['name'],
      additionalProperties: false,
    },
    run: () => textResult('got'),
  }),
];

describe('metatools: a call of call_tool that is wrong', () => {
  let board: Board;
  beforeEach(async () => {
    board = await boardOf({ tools: TOOLS });
  });
  const call = (name: string, args?: unknown) =>
    board.call('call_tool', { name, ...(args !== undefined && { arguments: args }) });
  const messageOf = async (name: string, args?: JsonObject): Promise<string> =>
    (await refusalOf(() => call(name, args))).message;

  describe('by its name', () => {
    it('is answered with the call that is meant, when the name is one of a tool in another spelling', async () => {
      for (const name of ['echo', 's_echo', 'x_S_Echo', 's.echo', 's/echo', 'mcp__pegboard__x_s_echo'])
        expect(await messageOf(name, { message: 'hi' })).to.equal(
          `tool not found: ${name}; call call_tool with {"name":"x_s_echo","arguments":{"message":"hi"}}`,
        );
      expect(await messageOf('get_sum', {})).to.include('{"name":"x_s_get-sum"');
      expect(await messageOf('mcpserver_get', {})).to.include('{"name":"core_mcpserver_get"');
    });

    it('is answered with all names that may be meant when there are several', async () => {
      expect(await messageOf('log')).to.equal(
        'tool not found: log; several tools may be meant: x_t_log, x_u_log',
      );
    });

    it('is answered with the names that look alike in the part that is theirs, and no others', async () => {
      const near = async (name: string) => {
        const { message, details } = await refusalOf(() => call(name));
        return [message.replace(`tool not found: ${name}`, ''), (details as { near?: unknown }).near];
      };
      expect(await near('x_s_ecko')).to.deep.equal(['', ['x_s_echo']]);
      expect(await near('x_s_send_email')).to.deep.equal([
        '; call filter_tools with {"query":"s send email"}',
        undefined,
      ]);
      expect(await near('x_github_create_issue')).to.deep.equal([
        '; no server is named "github"; call filter_tools with {"query":"github create issue"}',
        undefined,
      ]);
      expect(await near('x_github_log')).to.deep.equal([
        '; no server is named "github"; did you mean x_t_log or x_u_log?',
        undefined,
      ]);
    });

    it('is answered with the same names by describe_tool', async () => {
      const refusal = async (name: string) => {
        const { message, details } = await refusalOf(() => board.call('describe_tool', { name }));
        return [message, (details as { near?: unknown }).near];
      };
      expect(await refusal('s.Echo')).to.deep.equal(['tool not found: s.Echo', ['x_s_echo']]);
      expect(await refusal('get_sum')).to.deep.equal(['tool not found: get_sum', ['x_s_get-sum']]);
      expect(await refusal('log')).to.deep.equal(['tool not found: log', ['x_t_log', 'x_u_log']]);
      expect(await refusal('x_s_ecko')).to.deep.equal(['tool not found: x_s_ecko', ['x_s_echo']]);
      expect(await refusal('x_github_create_issue')).to.deep.equal([
        'tool not found: x_github_create_issue; no server is named "github"; call filter_tools with {"query":"github create issue"}',
        undefined,
      ]);
    });

    it('names no tool that the request may not see', async () => {
      const headers = { 'x-service-toolset': 'server:t' };
      const refusal = await refusalOf(() => board.call('call_tool', { name: 'echo' }, { headers }));
      expect(refusal.message).to.equal('tool not found: echo; call filter_tools with {"query":"echo"}');
      const only = await refusalOf(() => board.call('call_tool', { name: 'log' }, { headers }));
      expect(only.message).to.include('{"name":"x_t_log"');
    });

    it('runs a meta-tool that only reads, also by what other programs call it, and says so for programs', async () => {
      for (const [name, args] of [
        ['filter_tools', { query: 'echo' }],
        ['filter-tools', { query: 'echo' }],
        ['filterTools', { query: 'echo' }],
        ['search_tools', { q: 'echo', max_results: '3' }],
        ['tool_search', { query: 'echo', more: 1 }],
        ['find_tools', { task: 'echo' }],
      ] as const) {
        const result = await call(name, args);
        expect(firstText(result), name).to.include('"x_s_echo"');
        const { _meta = {} } = result as { _meta?: JsonObject };
        const said = name === 'filter_tools' ? undefined : `"${name}" is filter_tools`;
        expect(_meta['pegboard.dev/understood']).to.equal(said);
      }
      expect(firstText(await call('describe_tool', { name: 'x_s_echo' }))).to.include('"inputSchema"');
      const refusal = await refusalOf(() => call('filter_tools', { querry: 'echo' }));
      expect(refusal.message).to.match(/did you mean query\?$/);
    });

    it('keeps a name in the message short, and free of control characters', async () => {
      const message = await messageOf(`x_a\u202e\u0007_${'y'.repeat(100_000)}`);
      expect(message).to.include('no server is named "a\\u202e\\u0007"');
      expect(message.slice(100_000)).to.have.length.below(400);
    });
  });

  describe('by its arguments', () => {
    it('is answered with what is wrong with them, and the schema, when its server refuses them', async () => {
      const why = 'tool sum of server s failed: no';
      for (const [args, fault] of [
        [{ a: 1 }, '"b" is missing'],
        [{ a: '1', b: 2 }, '"a" is "1", a string, and the tool takes a number'],
        [
          { a: [1], b: null },
          '"a" is an array, and the tool takes a number; "b" is null, and the tool takes a number',
        ],
        [{ a: 1, bb: 2 }, '"bb" is not an argument of this tool; did you mean "b"?'],
        [{ a: 1, other: 2 }, '"other" is not an argument of this tool; did you mean "b"?'],
        [
          { input: { a: 1, b: 2 } },
          '"input" is not an argument of this tool; give its members without it; "a" is missing; "b" is missing',
        ],
      ] as const)
        expect(await messageOf('x_s_get-sum', args)).to.equal(`${why}; ${fault}; ${SUM_TEXT}`);
      expect(await messageOf('x_s_get-sum', { a: 1, b: 2 })).to.equal(`${why}; ${SUM_TEXT}`);
      expect(await messageOf('x_s_fails', { a: 1 })).to.equal(why);
    });

    it('keeps the code and the details of the error', async () => {
      const { code, details } = await refusalOf(() => call('x_s_get-sum', {}));
      expect([code, details]).to.deep.equal([
        'UPSTREAM_ERROR',
        { code: -32602, serverMessage: 'no', server: 's' },
      ]);
    });

    it('is answered with the schema beside the error result of its server, of which nothing else changes', async () => {
      const request = await board.open();
      const json = async (name: string, args: JsonObject) =>
        (await board.kernel.calls.call('call_tool', { name, arguments: args }, request)).json;
      const added = (text: string) => `,${JSON.stringify({ type: 'text', text })}]`;
      const whole = answered('Input validation error', ',"x":1.0');
      expect(await json('x_s_strict', { a: 1, b: 2 })).to.equal(whole.replace(']', added(SUM_TEXT)));
      const missing = answered('no', ',"x":1.0').replace(']', added(`"b" is missing; ${SUM_TEXT}`));
      expect(await json('x_s_strict', { a: 1 })).to.equal(missing);
      expect(await json('x_s_away', { a: 1, b: 2 })).to.equal(answered('the disk is full'));
    });

    it('is answered with the schema when a tool of Pegboard has found the fault', async () => {
      expect(await messageOf('core_mcpserver_get', { nam: 'a' })).to.match(
        /^arguments of core_mcpserver_get: .*; did you mean "name"\?; its inputSchema is \{"type":"object",.*"required":\["name"\]\}$/,
      );
    });

    it('shows the part of a long schema that the fault is about, in 600 bytes', async () => {
      const more = Array.from({ length: 200 }, (_, at) => [
        `key${at}`,
        { type: 'string', description: 'words '.repeat(50) },
      ]);
      const properties = {
        ...(Object.fromEntries(more) as JsonObject),
        path: { type: 'string', description: 'Where' },
      };
      const inputSchema = { type: 'object', properties, required: ['path'] };
      board = await boardOf({
        tools: [serverTool('s', 'long', { inputSchema, invoke: () => invalid(-32602) })],
      });
      expect(await messageOf('x_s_long', {})).to.equal(
        'tool sum of server s failed: no; "path" is missing; of its inputSchema: {"properties":{"path":{"type":"string","description":"Where"}},"required":["path"]}; describe_tool shows the whole',
      );
      const all = Object.fromEntries(more.map(([key]) => [key, 1])) as JsonObject;
      expect((await messageOf('x_s_long', all)).length).to.be.below(1_700);
    });

    it('repeats no secret, and shows the words of a server as data', async () => {
      const odd = 'a"\u202e\nCall x';
      const inputSchema = {
        type: 'object',
        properties: {
          apiKey: { type: 'string' },
          [odd]: { type: 'string', description: 'Line one\u0007\nIgnore it' },
        },
        required: [odd],
      };
      board = await boardOf({
        tools: [serverTool('s', 'odd', { inputSchema, invoke: () => invalid(-32602) })],
      });
      const message = await messageOf('x_s_odd', { apiKey: 4711 });
      expect(message)
        .to.include('"apiKey" is a number, and the tool takes a string')
        .and.include('"a\\"\\u202e\\nCall x" is missing')
        .and.include('"description":"Line one"')
        .and.not.include('4711');
    });

    it('is understood when they are wrapped twice, which is said for programs', async () => {
      for (const args of [
        { arguments: { message: 'hi' } },
        { name: 'x_s_echo', arguments: { message: 'hi' } },
        { name: 'x_s_echo', arguments: '{"message":"hi"}' },
      ]) {
        const result = await call('x_s_echo', args);
        expect(firstText(result)).to.equal('{"message":"hi"}');
        expect(result['_meta']).to.deep.equal({
          'pegboard.dev/understood': 'arguments was wrapped in itself',
        });
      }
      const nested = await call('call_tool', { name: 'x_s_echo', arguments: { message: 'hi' } });
      expect(firstText(nested)).to.equal('{"message":"hi"}');
      expect(nested['_meta']).to.deep.equal({
        'pegboard.dev/understood': 'call_tool was called inside call_tool',
      });
    });

    it('is passed on as it is when the tool may take such arguments', async () => {
      const plain = [
        ['x_s_free', { arguments: { message: 'hi' } }],
        ['x_s_echo', { name: 'other', arguments: {} }],
        ['x_s_echo', { message: 'hi', arguments: {} }],
      ] as const;
      for (const [name, args] of plain)
        expect(firstText(await call(name, args))).to.equal(JSON.stringify(args));
    });
  });

  it('names six faults at most, however many there are', async () => {
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`wrong${at}`, at]));
    const message = await messageOf('x_s_get-sum', many);
    expect(message.match(/is not an argument of this tool/g)).length(6);
    expect(message).length.below(2_000);
  });
});
