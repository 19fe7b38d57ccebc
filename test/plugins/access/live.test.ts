import { expect } from 'chai';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { startGateway } from '../../contract/index.ts';
import type { TestGateway } from '../../contract/index.ts';
import { toolsPlugin } from '../../support/edge.ts';
import { bootGateway, composeGateway, moduleOf } from '../../support/gateway.ts';
import { identify } from '../../support/identify.ts';
import { toolOf } from '../../support/kernel.ts';
import { McpClient, textOf } from '../../support/mcpClient.ts';
import { textResult } from '../../../kernel/lib/results.ts';
import { review } from '../../support/reviewed.ts';
import { serverTool } from '../metatools/board.ts';

const TOOLS = [
  serverTool('git', 'read', { annotations: { readOnlyHint: true }, invoke: () => textResult('read') }),
  serverTool('git', 'write', { invoke: () => textResult('written') }),
  serverTool('hub', 'read', { annotations: { readOnlyHint: true } }),
  toolOf('core_service_stop', { kind: 'core' }),
];
const WITHOUT_ACCESS =
  'definitions of the kind Access have no effect, because config.yaml has no access: every caller sees every tool; write access: with at least one entry';
const ACCESS = `
access:
  - groups: [dev]
    toolset: ['server:git']
  - groups: [ops]
    toolset: ['preset:hubs', 'tool:core_service_stop']
  - groups: [readers]
    toolset: ['preset:read-only']
`;
const REST = `
toolsetPresets:
  hubs: { include: [{ server: hub }] }
plugins:
  test-identify: { module: ./identify.mjs }
  tools: { module: ./tools.mjs }
`;
const files = (config: string): Record<string, string> => ({
  'config.yaml': config,
  'identify.mjs': moduleOf(identify),
  'tools.mjs': moduleOf(toolsPlugin('tools', TOOLS)),
});

describe('access: tools by group', () => {
  let gateway: TestGateway;
  before(async () => {
    const builtIns = [
      ...[
        'http',
        'front',
        'transport-http',
        'vault-memory',
        'metatools',
        'toolsets',
        'access',
        'core-config',
      ],
    ];
    gateway = await startGateway({ files: files(ACCESS + REST), builtIns });
  });
  after(() => gateway.stop());

  const member = (groups: string | undefined, headers: Record<string, string> = {}): Promise<McpClient> => {
    const signedIn = groups === undefined ? {} : { 'x-caller': `as ann ${groups}` };
    return McpClient.connect(gateway.url(), { headers: { ...signedIn, ...headers } });
  };
  const ask = async (client: McpClient, name: string, args: object = {}): Promise<string> =>
    textOf(await client.callMeta(name, { ...args }));
  const listed = async (client: McpClient): Promise<readonly string[]> => {
    const { tools } = JSON.parse(await ask(client, 'list_tools')) as { tools: readonly { name: string }[] };
    return tools.map(({ name }) => name);
  };

  it('lists and calls what the entries of the caller select, and nothing else', async () => {
    const dev = await member('dev');
    expect(await listed(dev)).deep.equal(['x_git_read', 'x_git_write']);
    expect(await ask(dev, 'call_tool', { name: 'x_git_write' })).equal('written');
    expect(await ask(dev, 'call_tool', { name: 'x_hub_read' })).equal(
      'tool not found: x_hub_read; no server is named "hub"; did you mean x_git_read?',
    );
    expect(await listed(await member('other,ops'))).deep.equal(['x_hub_read', 'core_service_stop']);
  });

  it('unites the entries of a caller with several groups', async () => {
    expect(await listed(await member('dev,ops'))).deep.equal([
      ...['x_git_read', 'x_git_write', 'x_hub_read', 'core_service_stop'],
    ]);
  });

  it('is narrowed, and never widened, by a header or a path', async () => {
    const headers = { 'x-service-toolset': 'server:hub,tool:x_git_read' };
    const dev = await member('dev', headers);
    expect(await listed(dev)).deep.equal(['x_git_read']);
    expect(await ask(dev, 'call_tool', { name: 'x_hub_read' })).contain('tool not found: x_hub_read');
    expect(await ask(dev, 'call_tool', { name: 'x_git_write' })).contain(
      'is outside the toolset [server:hub, tool:x_git_read] within [server:git]; add tool:x_git_write to the header',
    );
    for (const widest of ['preset:full', 'tool:core_service_stop,preset:full'])
      expect(await listed(await member('dev', { 'x-service-toolset': widest }))).deep.equal([
        ...['x_git_read', 'x_git_write'],
      ]);
    const path = await McpClient.connect(gateway.url(), {
      path: '/mcp/t/read-only',
      headers: { 'x-caller': 'as ann dev' },
    });
    expect(await listed(path)).deep.equal(['x_git_read']);
  });

  it('lists a call_tool that only reads to readers', async () => {
    const { tools } = (await (await member('readers')).request('tools/list')) as {
      tools: readonly { name: string; annotations?: { readOnlyHint?: boolean } }[];
    };
    expect(tools.find(({ name }) => name === 'call_tool')?.annotations?.readOnlyHint).equal(true);
  });

  it('answers every meta-tool with the reason if no entry is for the caller', async () => {
    const refused =
      'no entry of access in config.yaml names a group of this caller, who has 2 groups; ' +
      'the operator can add one of the groups to an entry';
    const guest = await member('guests,hr', { 'x-service-toolset': 'preset:full' });
    for (const [name, args] of [
      ['list_tools', {}],
      ['filter_tools', { query: 'read' }],
      ['call_tool', { name: 'x_git_read' }],
      ['explain_tool', { name: 'x_git_read' }],
    ] as const)
      expect(await ask(guest, name, args), name).equal(refused);
    expect(await ask(await member(undefined), 'list_tools')).contain(
      'this caller has not signed in; sign in',
    );
  });

  it('takes changes live, also more selectors than a client may send', async () => {
    const many = Array.from({ length: 40 }, (_, at) => `server:s${at}`);
    const changed = `access: ${JSON.stringify([{ groups: ['dev'], toolset: [...many, 'server:hub'] }])}`;
    const dev = await member('dev');
    await writeFile(join(gateway.directory, 'config.yaml'), changed + REST);
    await gateway.control.reload();
    expect(await listed(dev)).deep.equal(['x_hub_read']);
    expect(JSON.parse(await ask(dev, 'filter_tools', { query: 'read of hub' }))).include({ total: 1 });
    await writeFile(join(gateway.directory, 'config.yaml'), ACCESS + REST);
    await gateway.control.reload();
    expect(await listed(dev)).deep.equal(['x_git_read', 'x_git_write']);
  });
});

describe('access: definitions of teams', () => {
  const BUILT_INS = ['http', 'front', 'transport-http', 'vault-memory', 'metatools', 'toolsets', 'access'];
  const ENTRY = "groups: [team]\ntoolset: ['preset:ours']\n";
  let gateway: TestGateway;
  /** @param changes definitions by path; undefined: it is removed */
  const change = async (
    changes: Readonly<Record<string, string | undefined>>,
  ): Promise<readonly string[]> => {
    for (const [path, text] of Object.entries(changes)) {
      const file = join(gateway.directory, path);
      await mkdir(dirname(file), { recursive: true });
      await (text === undefined ? rm(file) : writeFile(file, text));
    }
    return (await gateway.control.reload()).issues.map(({ message }) => message);
  };
  const listed = async (groups: string): Promise<readonly string[]> => {
    const headers = { 'x-caller': `as ann ${groups}` };
    const client = await McpClient.connect(gateway.url(), { headers });
    const text = textOf(await client.callMeta('list_tools', {}));
    if (!text.startsWith('{')) return [text];
    return (JSON.parse(text) as { tools: readonly { name: string }[] }).tools.map(({ name }) => name);
  };
  beforeEach(async () => {
    const builtIns = [...BUILT_INS, 'store-file'];
    gateway = await startGateway({ files: files(ACCESS + REST), builtIns });
  });
  afterEach(() => gateway.stop());

  it('add entries and presets while it runs, and take them back', async () => {
    expect(await listed('team')).match(/no entry of access/);
    const preset = 'include: [{ server: hub }]\n';
    expect(await change({ 'accesses/team.yaml': ENTRY, 'toolsetpresets/ours.yaml': preset })).deep.equal([]);
    expect(await listed('team')).deep.equal(['x_hub_read']);
    expect(await listed('team,dev')).deep.equal(['x_git_read', 'x_git_write', 'x_hub_read']);
    await change({ 'accesses/team.yaml': undefined });
    expect(await listed('team')).match(/no entry of access/);
  });

  it('give nothing while their preset is missing, and follow it', async () => {
    await change({ 'accesses/team.yaml': ENTRY });
    expect((await listed('team')).join()).include('unknown preset "ours"');
    await change({ 'toolsetpresets/ours.yaml': 'include: [{ tool: x_git_read }]\n' });
    expect(await listed('team')).deep.equal(['x_git_read']);
    await change({ 'toolsetpresets/ours.yaml': 'include: [{ preset: read-only }]\n' });
    expect(await listed('team')).deep.equal(['x_git_read', 'x_hub_read']);
  });

  it('cannot change a preset of config.yaml, nor one that is built in, nor make operators', async () => {
    const issues = await change({
      'toolsetpresets/hubs.yaml': 'include: [{ server: git }]\n',
      'toolsetpresets/read-only.yaml': 'include: [{ preset: full }]\n',
      'accesses/ops.yaml': 'groups: [dev]\ntoolset: [preset:full]\noperator: define\n',
    });
    expect(issues.join('\n'))
      .match(/ToolsetPreset read-only: it is built in/)
      .and.match(/Access ops: .*operator/);
    expect(await listed('ops')).deep.equal(['x_hub_read', 'core_service_stop']);
    expect(await listed('readers')).deep.equal(['x_git_read', 'x_hub_read']);
    expect(await listed('dev')).deep.equal(['x_git_read', 'x_git_write']);
  });

  it('are refused at their places with what is wrong', async () => {
    const issues = await change({
      'accesses/team.yaml': 'groups: [dev-*]\ntoolset: [git]\n',
      'toolsetpresets/one.yaml': 'include: [{ preset: two }, { tool: a, server: b }]\n',
      'toolsetpresets/two.yaml': 'exclude: [{ preset: full }]\n',
    });
    expect(issues).deep.equal([
      'ToolsetPreset one: include[1] has 2 keys (tool, server); a rule has exactly one',
      'ToolsetPreset two: exclude[0] composes a preset; preset is for include only',
      'Access team: toolset "git" is malformed; a selector is preset:<name>, server:<name>, workflow:<name> or tool:<name>',
      'Access team: groups are compared exactly, so dev-* is not a pattern; * alone is every caller',
    ]);
  });

  it('compose one another without a circle, also with the last good version of one that is broken', async () => {
    const of = (name: string): string => `include: [{ preset: ${name} }]\n`;
    expect(
      (await change({ 'toolsetpresets/one.yaml': of('two'), 'toolsetpresets/two.yaml': of('one') })).join(),
    ).include('presets include one another in a cycle: one → two → one');
    expect(
      await change({
        'toolsetpresets/two.yaml': 'include: [{ server: hub }]\n',
        'accesses/team.yaml': "groups: [team]\ntoolset: ['preset:one']\n",
      }),
    ).deep.equal([]);
    expect(await listed('team')).deep.equal(['x_hub_read']);
    await change({ 'toolsetpresets/one.yaml': 'include: 1\n', 'toolsetpresets/two.yaml': of('one') });
    expect(await listed('team')).deep.equal([]);
  });

  it('are told to have no effect while config.yaml has no access, for they look like a restriction', async () => {
    await writeFile(join(gateway.directory, 'config.yaml'), REST);
    await change({ 'accesses/team.yaml': ENTRY });
    expect(gateway.log.filter(({ text }) => text === WITHOUT_ACCESS).length).equal(1);
    expect(await listed('team')).include('x_git_write');
  });
});

describe('access: definitions of teams, in a review', () => {
  it('names what is hidden, missing or without effect', async () => {
    const found = async (config: string): Promise<readonly string[]> => {
      const { pipeline } = await composeGateway({
        files: {
          'config.yaml': config,
          'toolsetpresets/hubs.yaml': 'include: [{ preset: gone }, { server: away }]\n',
          'accesses/team.yaml': "groups: [team]\ntoolset: ['preset:hub', 'preset:hubs']\n",
        },
        builtIns: ['access', 'toolsets', 'store-file'],
      });
      return (await pipeline.check(review)).map(({ message }) => message);
    };
    const presets = [
      'ToolsetPreset hubs: include[1] selects nothing: no MCP server is named away; define one, or remove the rule',
      'ToolsetPreset hubs: include[0] names the unknown preset "gone"; did you mean none?',
    ];
    expect(await found("access: [{ groups: [a], toolset: ['preset:none'] }]\n")).deep.equal([
      ...presets,
      'Access team: toolset names the unknown preset "hub"; did you mean hubs?',
    ]);
    expect(await found('toolsetPresets: { hubs: {} }\n')).deep.equal([
      ...presets,
      'ToolsetPreset hubs: it has no effect: config.yaml has a preset of that name',
      `Access team: ${WITHOUT_ACCESS}`,
    ]);
  });
});

describe('access: its configuration', () => {
  const issuesOf = async (config: string): Promise<readonly string[]> => {
    const { pipeline } = await composeGateway({
      files: { 'config.yaml': config },
      builtIns: ['access', 'toolsets'],
    });
    const issues = await pipeline.check();
    return issues.map(({ severity, line = 0, message }) => `${line} ${severity}: ${message}`);
  };

  it('is off without the key', async () => {
    const { kernel } = await bootGateway({ builtIns: ['access', 'toolsets'] });
    expect(kernel.running.map(({ plugin }) => plugin.name)).deep.equal(['toolsets']);
  });

  it('reports faulty selectors and groups at their lines', async () => {
    const config = `toolsetPresets:
  web: { include: [] }
access:
  - groups: ['*', 'dev-*']
    toolset:
      - preset:web
      - preset:wep
      - label:team=web
      - git
`;
    expect(await issuesOf(config)).deep.equal([
      '7 error: plugin access: access[0]: toolset names the unknown preset "wep"; did you mean web?',
      '8 error: plugin access: access[0]: toolset "label:team=web": label is for presets only; put it into a preset and use preset:<name>',
      '9 error: plugin access: access[0]: toolset "git" is malformed; a selector is preset:<name>, server:<name>, workflow:<name> or tool:<name>',
      '4 warning: plugin access: access[0]: groups are compared exactly, so dev-* is not a pattern; * alone is every caller',
    ]);
  });

  it('reports missing, empty and unknown keys at their lines', async () => {
    const [missing, unknown, empty] = await issuesOf(
      'access:\n  - groups: [dev]\n  - group: [dev]\n    groups: [a]\n    toolset: []\n',
    );
    expect(missing).match(/^2 error: .*toolset/);
    expect([unknown, empty].join('\n'))
      .match(/^3 error: .*group/m)
      .and.match(/^5 error: /m);
    expect((await issuesOf('access: []\n'))[0]).match(/^1 error: /);
  });

  it('needs the plugin toolsets, without which it would not narrow', async () => {
    const { pipeline } = await composeGateway({
      files: { 'config.yaml': "access: [{ groups: ['*'], toolset: ['preset:full'] }]\n" },
      builtIns: ['access'],
    });
    const [issue] = await pipeline.check();
    expect(issue?.message).contain('toolsets');
  });
});
