import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { eventually, mcpClient, startGateway } from '../../contract/index.ts';
import type { McpClient } from '../../contract/index.ts';
import { messageOf } from '../../../kernel/index.ts';
import type { JsonObject } from '../../../kernel/index.ts';
import { defer } from '../../support/cleanup.ts';
import { identify } from '../../support/identify.ts';
import { moduleOf } from '../../support/gateway.ts';
import { ROOT } from '../../support/sources.ts';
import { Callers } from './callersOf.ts';
import { HttpFixture } from './httpFixture.ts';
import { Rig, told, until } from './support.ts';

const MANY = fileURLToPath(new URL('test/plugins/upstream/fixtures/many.mjs', `file://${ROOT}/`));
const TOOLS = Array.from({ length: 5 }, (_, at) => ({ name: `t${at}`, inputSchema: {} }));
const BROKEN = { name: 'broken', inputSchema: 'x' };

const CURSORS: readonly (readonly [string, JsonObject, string])[] = [
  [
    'is a number',
    { nextCursor: 2 },
    'the page after page 1 of tools/list is not read: its nextCursor is not a string (number)',
  ],
  [
    'does not advance',
    { nextCursor: 'a' },
    'tools/list answers with page 1 again in place of the next one, so what follows it is not known',
  ],
];

describe('upstream: lists of which only a part is known', () => {
  let rig: Rig;
  beforeEach(() => (rig = new Rig()));
  afterEach(() => rig.stop());

  const unread = (): unknown => rig.status('s').metadata['partialLists'];
  const warned = (): readonly unknown[] =>
    rig.lines
      .filter(({ text }) => text === 'a list of the server was read in part')
      .map(({ data }) => data['gap']);

  for (const [what, answer, gap] of CURSORS)
    it(`say so if a cursor ${what}, and are not taken for two tools of one name`, async () => {
      await rig.configure();
      await rig.define({ s: told({ 'tools/list': { tools: TOOLS, ...answer } }) });
      await rig.hasTool('x_s_t4');
      expect(unread()).deep.equal([gap]);
      expect(warned()).deep.equal([gap]);
      expect(rig.told('server.listPartial')).to.have.length(1);
      expect(rig.told('server.listPartial')[0]).include({
        server: 's',
        severity: 'Warning',
        message: `MCPServer s was not listed completely: ${gap}`,
      });
      expect(rig.status('s').metadata['collisions']).equal(undefined);
      expect(rig.told('tool.collided')).deep.equal([]);
    });

  it('say which bound was reached, of prompts too', async () => {
    const prompts = TOOLS.map(({ name }) => ({ name }));
    await rig.configure({ maxListItems: 4 });
    await rig.define({ s: told({ 'tools/list': { tools: TOOLS }, 'prompts/list': { prompts } }) });
    await rig.hasTool('x_s_t3');
    const rest =
      'has 5 entries, and only the first 4 of them are read (maxListItems of plugins.upstream.config)';
    expect(unread()).deep.equal([`tools/list ${rest}`, `prompts/list ${rest}`]);
    expect(rig.status('s')).include({ health: 'healthy' });
  });

  it('count no entries of pages that are not asked for', async () => {
    await rig.configure({ maxListItems: 4 });
    await rig.define({ s: told({ 'tools/list': { tools: TOOLS, nextCursor: 'a' } }) });
    await rig.hasTool('x_s_t3');
    expect(unread()).deep.equal([
      'tools/list has more than 4 entries, and the rest is not read (maxListItems of plugins.upstream.config)',
    ]);
  });

  it('say so of 100,000 entries in each list of one server', async () => {
    await rig.configure();
    const command = [process.execPath, MANY, '100000'];
    await rig.define({ s: { type: 'stdio', autoStart: true, command, timeout: 60 } });
    await rig.hasTool('x_s_t19999', 60_000);
    const rest =
      'has 100000 entries, and only the first 20000 of them are read (maxListItems of plugins.upstream.config)';
    const lists = ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'];
    const gaps = lists.map((list) => `${list} ${rest}`);
    await until('all lists', () => rig.told('server.listPartial').length === lists.length);
    for (const told of [unread(), warned()]) expect(told).deep.equal(gaps);
    expect(rig.status('s').metadata['tools']).equal(20_000);
    expect(rig.refused('x_s_t99999')).contain(`only a part is known: tools/list ${rest}`);
  }).timeout(60_000);

  it('are complete with exactly as many entries as the bound, or with a cursor that is null', async () => {
    await rig.configure({ maxListItems: 5 });
    await rig.define({ s: told({ 'tools/list': { tools: TOOLS, nextCursor: null } }) });
    await rig.hasTool('x_s_t4');
    expect(unread()).equal(undefined);
  });

  it('are reported once, not with every reading', async () => {
    await rig.configure();
    await rig.define({ s: told({ 'tools/list': { tools: TOOLS, nextCursor: 2 } }) });
    await rig.hasTool('x_s_t4');
    await rig.service('s').restart?.();
    expect(rig.told('server.toolsDiscovered')).to.have.length(2);
    expect(warned()).to.have.length(1);
    expect(rig.told('server.listPartial')).to.have.length(1);
  });

  it('are the last known ones of a server that is away, and a name that is missing there says so', async () => {
    const server = new HttpFixture();
    await server.listen();
    defer(() => server.kill());
    await rig.configure({ backoffFirstMs: 60_000 });
    await rig.define({ s: { type: 'streamable-http', url: server.url, timeout: 5 } });
    await rig.hasTool('x_s_echo');
    await server.kill();
    await rig.reaches('s', 'failed');
    expect(rig.refused('x_s_echo')).equal('');
    expect(rig.refused('x_s_newer')).match(
      /^TOOL_NOT_FOUND: tool not found: x_s_newer in the last known list; server s is away: .*ECONNREFUSED.*; the next attempt is at 20/,
    );
    server.isMute = true;
    await server.listen();
    const starting = rig.service('s').start?.();
    await rig.reaches('s', 'starting');
    expect(rig.refused('x_s_newer')).contain('list; server s is connecting; try again in a few seconds');
    await server.kill();
    await starting?.catch(() => undefined);
  });

  it('name ten malformed tools in the log, and count the others', async () => {
    const tools = Array.from({ length: 25 }, (_, at) => ({ ...BROKEN, name: `broken${at}` }));
    await rig.configure();
    await rig.define({ s: told({ 'tools/list': { tools: [...tools, ...TOOLS] } }) });
    await rig.hasTool('x_s_t4');
    expect(rig.told('tool.malformed')).to.have.length(25);
    expect(rig.lines.filter(({ text }) => text === 'malformed tool left out')).to.have.length(10);
    expect(rig.lines.find(({ text }) => text === 'more malformed tools left out')?.data['count']).equal(15);
  });

  it('report two tools of one server that share a name and differ', async () => {
    const tools = [
      { name: 'a', inputSchema: {} },
      { name: 'a', description: 'other', inputSchema: {} },
    ];
    await rig.configure();
    await rig.define({ s: told({ 'tools/list': { tools } }) });
    await rig.hasTool('x_s_a');
    expect(rig.status('s').metadata['collisions']).deep.equal(['x_s_a']);
  });
});

describe('upstream: a name that a known server does not list', () => {
  let client: McpClient;

  const start = async (
    servers: Readonly<Record<string, JsonObject>>,
    config: JsonObject = {},
  ): Promise<void> => {
    const files = Object.entries({ ok: told({ 'tools/list': { tools: TOOLS } }), ...servers }).map(
      ([name, spec]) => [`mcpservers/${name}.yaml`, JSON.stringify(spec)] as const,
    );
    const gateway = await startGateway({
      files: Object.fromEntries(files),
      plugins: { upstream: { config } },
    });
    defer(() => gateway.stop());
    client = await mcpClient(gateway.url());
    const isUp = async (name: string): Promise<boolean> => {
      const record = JSON.parse(
        await ask('call_tool', { name: 'core_service_status', arguments: { name } }),
      ) as JsonObject;
      return record['state'] === 'running';
    };
    for (const name of ['ok', ...Object.keys(servers)]) await eventually(() => isUp(name), name, 10_000);
  };
  const ask = async (tool: string, args: JsonObject): Promise<string> => {
    const { content } = await client.callMeta(tool, args);
    return String(content[0]?.['text']);
  };
  const failure = (method: string, params: JsonObject): Promise<string> =>
    client.request(method, params).then(
      () => expect.fail(`${method} did not fail`),
      (error: unknown) => messageOf(error),
    );
  /** Answers of the four meta-tools about a name. */
  const answers = async (name: string): Promise<readonly string[]> => [
    // First and alone: it has the server list its tools again.
    await ask('call_tool', { name }),
    await ask('describe_tool', { name }),
    await ask('explain_tool', { name }),
    await ask('filter_tools', { query: name }),
    await ask('filter_tools', { pattern: `${name}*` }),
  ];

  it('is explained by the error to tools/list, and the time of the next reading', async () => {
    const shop = told({ 'tools/list': { error: { code: -32603, message: 'quota of the minute' } } });
    await start({ shop }, { backoffFirstMs: 60_000 });
    for (const text of await answers('x_shop_t1')) {
      expect(text).contain('tool not found: x_shop_t1').contain('quota of the minute');
      expect(text).match(
        /the tools of server shop could not be listed: .*; they are listed again at 20|"remedy":"they are listed again at 20/,
      );
      expect(text).not.contain('did you mean').and.not.contain('other words');
    }
  });

  it('is one of those that a search without a match names by their server', async () => {
    await start({ shop: told({ 'tools/list': { error: { code: -32603, message: 'quota' } } }) });
    const answer = await ask('filter_tools', { query: 'tickle a zebra' });
    expect(answer).contain('no tool matches').contain('the tools of shop are not known now');
    expect(await ask('filter_tools', { pattern: 'x_ok_t1' })).not.contain('not known now');
  });

  it('is explained by what is wrong with the tool of that name', async () => {
    await start({ shop: told({ 'tools/list': { tools: [...TOOLS, BROKEN] } }) });
    for (const text of await answers('x_shop_broken'))
      expect(text).contain(
        'server shop lists it, but it is left out as malformed: its inputSchema is not an object',
      );
    expect(await ask('call_tool', { name: 'x_shop_t9' }))
      .contain('did you mean x_shop_t')
      .not.contain('malformed');
  });

  it('is explained by the part of the list that is not known, with near names', async () => {
    await start({ shop: told({ 'tools/list': { tools: TOOLS } }) }, { maxListItems: 3 });
    for (const text of await answers('x_shop_t4'))
      expect(text).contain('only a part is known: tools/list has 5 entries, and only the first 3');
    expect(await ask('call_tool', { name: 'x_shop_t4' })).contain('did you mean x_shop_t0');
  });

  it('is explained in the same way if it is a resource, a template or a prompt', async () => {
    const lists = {
      'resources/list': { resources: TOOLS.map(({ name }) => ({ uri: `shop://${name}`, name })) },
      'resources/templates/list': {
        resourceTemplates: TOOLS.map(({ name }) => ({ uriTemplate: `${name}://{at}`, name })),
      },
      'prompts/list': { prompts: TOOLS.map(({ name }) => ({ name })) },
    };
    await start({ shop: told({ ...lists, 'tools/list': { tools: TOOLS } }) }, { maxListItems: 3 });
    const part = (list: string): string =>
      `server shop may have it, but of its list only a part is known: ${list} has 5 entries, and only the first 3 of them are read`;
    const uri = 'shop://t4';
    const name = 'x_shop_t4';
    const about = [
      ...(await Promise.all(['get_resource', 'describe_resource'].map((tool) => ask(tool, { uri })))),
      await failure('resources/read', { uri }),
      await failure('resources/subscribe', { uri }),
    ];
    for (const text of about)
      expect(text)
        .contain(`resource not found: ${uri}; ${part('resources/list')}`)
        .contain(part('resources/templates/list'));
    const ofPrompt = [
      ...(await Promise.all(['get_prompt', 'describe_prompt'].map((tool) => ask(tool, { name })))),
      await failure('prompts/get', { name }),
    ];
    for (const text of ofPrompt) expect(text).contain(`prompt not found: ${name}; ${part('prompts/list')}`);
    expect(await ask('get_prompt', { name: 'x_ok_t4' })).not.contain('only a part');
  });

  it('belongs to a server whose definition is shown with the lists that are known in part', async () => {
    await start({ shop: told({ 'tools/list': { tools: TOOLS } }) }, { maxListItems: 3 });
    const get = { name: 'core_mcpserver_get', arguments: { name: 'shop' } };
    for (const call of [get, { name: 'core_mcpserver_list' }])
      expect(await ask('call_tool', call)).match(/"partialLists": ?\[\s*"tools\/list has 5 entries/);
  });

  it('is explained to each caller by the list that the server has for that caller', async () => {
    const server = new HttpFixture();
    await server.listen();
    defer(() => server.kill());
    server.declare = (tool) => (tool.name === 'slow' ? { ...tool, inputSchema: 'x' } : tool);
    const callers = new Callers();
    callers.tokens.set('ann', 'ann-1');
    const definition = { type: 'streamable-http', url: server.url, auth: { type: 'oauth' } };
    const gateway = await startGateway({
      files: {
        'config.yaml': JSON.stringify({
          plugins: {
            'auth-client': false,
            'test-identify': { module: './identify.mjs' },
            'test-callers': { module: './callers.mjs' },
          },
        }),
        'identify.mjs': moduleOf(identify),
        'callers.mjs': moduleOf(callers.plugin),
        'mcpservers/vault.yaml': JSON.stringify(definition),
      },
    });
    defer(() => gateway.stop());
    client = await mcpClient(gateway.url(), { 'x-caller': 'https://people ann' });
    await eventually(async () => (await ask('list_tools', {})).includes('x_vault_echo'), 'the list of ann');
    for (const text of await answers('x_vault_slow')) expect(text).contain('left out as malformed');
  });
});
