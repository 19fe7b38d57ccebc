import { expect } from 'chai';
import { listenerUrl } from '../support/edge.ts';
import { EVERYTHING } from '../support/everything.ts';
import { bootGateway } from '../support/gateway.ts';
import { McpClient } from '../support/mcpClient.ts';
import type { ClientResult } from '../support/mcpClient.ts';
import { until } from '../support/until.ts';

type Json = Readonly<Record<string, unknown>>;
type Asked = readonly [name: string, args: Json];

const ECHO = 'x_everything_echo';
const SUM = 'x_everything_get-sum';
const tool = (name: string, args: unknown = {}): Asked => ['call_tool', { name, arguments: args }];
const HI = { message: 'hi' };
const SEARCH: Asked = ['filter_tools', { query: 'echo' }];
const ECHO_CALL = tool(ECHO, HI);
const SUM_CALL = tool(SUM, { a: 1, b: 2 });
const STATUS_CALL = tool('core_service_status', { name: 'everything' });

/** What a model calls, what it means, and words that an answer must have to teach it that, beside its names. */
const SLIPS: readonly (readonly [slip: Asked, right: Asked, needs?: readonly string[]])[] = [
  // A meta-tool by another name.
  ...[
    'search_tools',
    'filter-tools',
    'find_tools',
    'tool_search',
    'filterTools',
    'mcp__pegboard__filter_tools',
    'pegboard_filter_tools',
    'search-tools',
  ].map((name): readonly [Asked, Asked] => [[name, { query: 'echo' }], SEARCH]),
  [
    ['tool_search', { q: 'echo', max_results: 3 }],
    ['filter_tools', { query: 'echo', limit: 3 }],
  ],
  [['run_tool', { name: ECHO, arguments: HI }], ECHO_CALL],
  [['execute_tool', { tool_name: ECHO, parameters: HI }], ECHO_CALL],
  [
    ['get_tool_schema', { name: ECHO }],
    ['describe_tool', { name: ECHO }],
  ],
  // A tool called directly.
  ...[
    ECHO,
    'echo',
    'x_everything_Echo',
    'everything_echo',
    'everything.echo',
    'everything/echo',
    `mcp__pegboard__${ECHO}`,
    'x-everything-echo',
  ].map((name): readonly [Asked, Asked] => [[name, HI], ECHO_CALL]),
  [['get_sum', { a: 1, b: 2 }], SUM_CALL],
  [['core_service_status', { name: 'everything' }], STATUS_CALL],
  [['service_status', { name: 'everything' }], STATUS_CALL],
  [
    ['x_github_create_issue', { title: 'a' }],
    ['filter_tools', { query: 'github create issue' }],
    ['no server is named "github"'],
  ],
  [
    ['send_email', { to: 'a' }],
    ['filter_tools', { query: 'send email' }],
  ],
  // A wrong name in call_tool.
  ...[
    'echo',
    'x_everything_Echo',
    'everything_echo',
    ` ${ECHO} `,
    'x_everything_ecko',
    'everything:echo',
  ].map((name): readonly [Asked, Asked] => [tool(name, HI), ECHO_CALL]),
  [tool('x_everything_get_sum', { a: 1, b: 2 }), SUM_CALL],
  [tool('getSum', { a: 1, b: 2 }), SUM_CALL],
  [tool('x_everything_send_email', {}), ['filter_tools', { query: 'everything send email' }]],
  [
    tool('x_github_create_issue', {}),
    ['filter_tools', { query: 'github create issue' }],
    ['no server is named "github"'],
  ],
  // A meta-tool in call_tool.
  ...['filter_tools', 'filter-tools', 'search_tools', 'find_tools', 'tool_search'].map(
    (name): readonly [Asked, Asked] => [tool(name, { query: 'echo' }), SEARCH],
  ),
  [tool('describe_tool', { name: ECHO }), ['describe_tool', { name: ECHO }]],
  [tool('list_tools', { limit: '2' }), ['list_tools', { limit: 2 }]],
  [tool('call_tool', { name: ECHO, arguments: HI }), ECHO_CALL],
  // Arguments in the wrong place.
  [tool(ECHO, { arguments: HI }), ECHO_CALL],
  [tool(ECHO, { name: ECHO, arguments: HI }), ECHO_CALL],
  [tool(ECHO, JSON.stringify(HI)), ECHO_CALL],
  [tool(ECHO, { input: HI }), ECHO_CALL],
  [['call_tool', { name: ECHO, ...HI }], ECHO_CALL],
  [['call_tool', { name: ECHO, params: HI }], ECHO_CALL],
  [['call_tool', { tool: ECHO, input: HI }], ECHO_CALL],
  [['call_tool', { tool_name: ECHO, parameters: HI }], ECHO_CALL],
  // Arguments that are missing, misnamed or of a wrong type.
  [tool(SUM, { a: 1 }), SUM_CALL, ['number']],
  [tool(SUM, {}), SUM_CALL, ['number']],
  [tool(SUM, { a: '1', b: 2 }), SUM_CALL, ['"a" is "1"', 'number']],
  [tool(SUM, { a: 1, c: 2 }), SUM_CALL],
  [tool(ECHO, { text: 'hi' }), ECHO_CALL],
  [tool(ECHO, {}), ECHO_CALL, ['string']],
  [tool('core_service_status', { service: 'everything' }), STATUS_CALL],
  [tool('core_service_status', {}), STATUS_CALL],
  [['filter_tools', { q: 'echo' }], SEARCH],
  [['filter_tools', { search: 'echo' }], SEARCH],
  [['filter_tools', { querry: 'echo' }], SEARCH],
  [['filter_tools', { query: ['echo'] }], SEARCH],
  [
    ['filter_tools', { query: 'echo', limit: '3' }],
    ['filter_tools', { query: 'echo', limit: 3 }],
  ],
  [
    ['filter_tools', { toolset: ['everything'] }],
    ['filter_tools', { toolset: ['server:everything'] }],
  ],
  [
    ['filter_tools', { toolset: 'server:everything' }],
    ['filter_tools', { toolset: ['server:everything'] }],
    ['array'],
  ],
  [
    ['filter_tools', { server: 'everything' }],
    ['filter_tools', { toolset: ['server:everything'] }],
    ['["server:everything"]'],
  ],
  [['filter_tools', { pattern: 'echo' }], ['filter_tools', { pattern: '*echo*' }], ['"*echo*"']],
  [
    ['filter_tools', { query: 'echo', max_results: 3 }],
    ['filter_tools', { query: 'echo', limit: 3 }],
  ],
  [
    ['describe_tool', { name: 'echo' }],
    ['describe_tool', { name: ECHO }],
  ],
  [
    ['describe_tool', { tool: ECHO }],
    ['describe_tool', { name: ECHO }],
  ],
  [
    ['describe_tool', { name: [ECHO] }],
    ['describe_tool', { name: ECHO }],
  ],
  [
    ['list_tools', { page: 2 }],
    ['list_tools', { offset: 50 }],
  ],
];

describe('e2e: slips of a model', () => {
  let client: McpClient;
  before(async function () {
    this.timeout(60_000);
    const everything = { type: 'stdio', command: [process.execPath, EVERYTHING, 'stdio'], autoStart: true };
    const files = {
      'config.yaml': 'aggregator: { port: 0 }\n',
      'mcpservers/everything.yaml': JSON.stringify({ name: 'everything', ...everything }),
    };
    const gateway = await bootGateway({ files, builtIns: 'all' });
    client = await McpClient.connect(listenerUrl(gateway));
    const isThere = async () => (await ask(ECHO_CALL)).text === 'Echo: hi';
    await until(isThere, { what: 'the server is connected', withinMs: 30_000 });
  });
  const ask = async ([name, args]: Asked): Promise<{ text: string; isError: boolean }> => {
    const answer = await client.callMeta(name, args).catch((error: unknown): ClientResult => {
      return { content: [{ type: 'text', text: String(error) }], isError: true };
    });
    const texts = answer.content.map(({ text }) => String(text));
    return { text: texts.join('\n'), isError: answer.isError === true };
  };
  /** Every name of the right call that the wrong one does not have. */
  const toLearn = (slip: Asked, [name, args]: Asked): readonly string[] => {
    const { name: called, arguments: inner } = args;
    const names = [name, ...(typeof called === 'string' ? [called] : []), ...Object.keys(args)];
    const all = typeof inner === 'object' && inner !== null ? [...names, ...Object.keys(inner)] : names;
    const known = JSON.stringify(slip);
    return all.filter((word) => !known.includes(JSON.stringify(word)));
  };
  /** The number of turns beyond the first until the right call is made; 2 if the answer does not teach it. */
  const turnsAfter = async (slip: Asked, right: Asked, needs: readonly string[]): Promise<0 | 1 | 2> => {
    const wanted = await ask(right);
    const first = await ask(slip);
    if (!first.isError && first.text.replace(/\nunderstood: .*/, '') === wanted.text) return 0;
    expect(wanted.isError, JSON.stringify(right)).to.equal(false);
    const [, name, args] = /[Cc]all (\w+) with (\{.*\})$/.exec(first.text) ?? [];
    // A call that is ready to send is sent as it is.
    if (name !== undefined && args !== undefined)
      return (await ask([name, JSON.parse(args) as Json])).text === wanted.text ? 1 : 2;
    const text = first.text.replaceAll('\\"', '"');
    return [...toLearn(slip, right), ...needs].every((word) => text.includes(word)) ? 1 : 2;
  };

  it('cost at most one more turn, in at least 97 of 100, and a fifth of them none', async () => {
    const counts = { 0: 0, 1: 0, 2: 0 };
    const costly: string[] = [];
    for (const [slip, right, needs = []] of SLIPS) {
      const count = await turnsAfter(slip, right, needs);
      counts[count] += 1;
      if (count === 2) costly.push(`${JSON.stringify(slip)}: ${(await ask(slip)).text}`);
    }
    const share = (count: number): number => count / SLIPS.length;
    process.stdout.write(
      `      ${SLIPS.length} slips: ${counts[0]} cost no turn, ${counts[1]} one, ${counts[2]} more\n`,
    );
    expect(SLIPS.length).to.be.at.least(63);
    expect(share(counts[0] + counts[1]), costly.join('\n')).to.be.at.least(0.97);
    expect(share(counts[0])).to.be.at.least(0.2);
  }).timeout(60_000);
});
