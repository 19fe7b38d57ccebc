import { expect } from 'chai';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startGateway } from '../../contract/index.ts';
import type { TestGateway } from '../../contract/index.ts';
import { moduleOf } from '../../support/gateway.ts';
import { McpClient, textOf } from '../../support/mcpClient.ts';
import { STAGE, definePlugin } from '../../../kernel/index.ts';
import { validate } from '../../../kernel/config/validate.ts';
import { Operators } from '../../../plugins/contracts/operators.ts';
import { plugin } from '../../../plugins/operators/index.ts';
import { makeKernel } from '../../support/kernel.ts';
import type { ReloadReport } from '../../../kernel/index.ts';

/** Callers by JSON in a header. */
const identify = definePlugin({
  name: 'test-identify',
  api: 1,
  configSchema: { type: 'object' },
  apply: (scope) =>
    scope.tap(
      'onRequest',
      (request) => {
        const caller = request.header('x-caller');
        if (caller !== undefined) request.caller = JSON.parse(caller) as { subject: string };
        return undefined;
      },
      STAGE.identify,
    ),
});
const CONFIG = `
operators:
  groups: [platform]
  emails: [Ana@Example.com]
  issuers:
    - { issuer: https://machines.example, subjects: [deployer] }
access:
  - groups: [support]
    toolset: ['preset:full']
    operator: operate
  - groups: [ops]
    issuer: https://idp.example
    toolset: ['preset:full']
    operator: operate
  - groups: ['*']
    toolset: ['preset:full']
plugins:
  test-identify: { module: ./identify.mjs }
`;
const OPERATE = [
  ...['core_config_get', 'core_config_get_aggregator', 'core_config_reload', 'core_mcpserver_detect'],
  ...['core_service_restart', 'core_service_start', 'core_service_stop'],
];
const DEFINE = [
  ...['core_config_save', 'core_config_update_aggregator', 'core_mcpserver_create'],
  ...['core_mcpserver_delete', 'core_mcpserver_update', 'core_workflow_create', 'core_workflow_delete'],
  'core_workflow_update',
];
const BUILT_INS = [
  ...['http', 'front', 'transport-http', 'vault-memory', 'metatools', 'toolsets', 'access', 'operators'],
  ...[
    'core-config',
    'core-mcpservers',
    'core-services',
    'workflow',
    'upstream',
    'store-file',
    'settings-file',
  ],
];

async function coreTools(client: McpClient): Promise<readonly string[]> {
  const { tools } = JSON.parse(textOf(await client.callMeta('list_core_tools', {}))) as {
    tools: readonly { name: string }[];
  };
  return tools.map(({ name }) => name);
}

describe('operators: who may change the gateway', () => {
  let gateway: TestGateway;
  before(async () => {
    const files = {
      'config.yaml': CONFIG,
      'identify.mjs': moduleOf(identify),
      'workflows/operators.yaml': 'steps: [{ id: a, tool: core_config_get_aggregator, store: true }]\n',
    };
    gateway = await startGateway({ files, builtIns: BUILT_INS });
  });
  after(() => gateway.stop());

  const connect = (caller: object): Promise<McpClient> =>
    McpClient.connect(gateway.url(), { headers: { 'x-caller': JSON.stringify(caller) } });
  const call = async (client: McpClient, name: string, args = {}): Promise<string> =>
    textOf(await client.callMeta('call_tool', { name, arguments: args }));

  const apply = async (config: string): Promise<ReloadReport> => {
    await writeFile(join(gateway.directory, 'config.new'), config);
    await rename(join(gateway.directory, 'config.new'), join(gateway.directory, 'config.yaml'));
    return gateway.control.reload();
  };
  const person = (claims: object, issuer = 'https://idp.example'): object => ({
    issuer,
    subject: 'bob',
    claims,
  });
  const rows: readonly (readonly [who: string, caller: object, held: string])[] = [
    ['a person without a group', person({}), 'use'],
    ['a member of a group of operators', person({ groups: ['sales', 'platform'] }), 'define'],
    ['a member of a group whose name only looks alike', person({ groups: ['Platform'] }), 'use'],
    [
      'a person with a verified address',
      person({ email: 'ana@example.COM', email_verified: true }),
      'define',
    ],
    ['a person with an address that is not verified', person({ email: 'ana@example.com' }), 'use'],
    ['a subject of an issuer', { issuer: 'https://machines.example', subject: 'deployer' }, 'define'],
    ['another subject of that issuer', { issuer: 'https://machines.example', subject: 'reader' }, 'use'],
    ['that subject of another issuer', { issuer: 'https://evil.example', subject: 'deployer' }, 'use'],
    ['a group of the issuer to which access gives it', person({ groups: ['ops'] }), 'operate'],
    ['a group of that name at another issuer', person({ groups: ['ops'] }, 'https://partner.example'), 'use'],
    ['a group to which access gives it', person({ groups: ['support'] }), 'operate'],
  ];
  for (const [who, caller, held] of rows)
    it(`shows ${who} the core tools of ${held} and those below`, async () => {
      const tools = await coreTools(await connect(caller));
      expect(tools).include.members(['core_mcpserver_list', 'core_workflow_list', 'core_service_status']);
      expect(tools.filter((name) => OPERATE.includes(name))).have.members(held === 'use' ? [] : OPERATE);
      expect(tools.filter((name) => DEFINE.includes(name))).have.members(held === 'define' ? DEFINE : []);
    });

  it('answers a hidden core tool as one that does not exist', async () => {
    const bob = await connect(person({}));
    const hidden = await call(bob, 'core_mcpserver_create', { name: 'x', type: 'stdio', command: ['id'] });
    const unknown = await call(bob, 'core_mcpserver_kreate');
    expect(hidden.replaceAll('core_mcpserver_create', 'X')).equal(
      unknown.replaceAll('core_mcpserver_kreate', 'X'),
    );
    expect(hidden).contain('core tools of the classes operate and define are for operators');
    expect(hidden).contain('operators in config.yaml');
  });

  it('runs the steps of an operator’s workflow for everybody', async () => {
    const bob = await connect(person({}));
    expect(await call(bob, 'core_config_get_aggregator')).contain('not found');
    expect(await call(bob, 'workflow_operators')).contain('"status":"completed"');
  });

  it('tells those who operate what a tool takes', async () => {
    const support = await connect(person({ groups: ['support'] }));
    expect(await call(support, 'core_config_save')).contain(
      'is of the class define, and this caller may only operate',
    );
  });

  it('takes changes live', async () => {
    const sales = await connect(person({ groups: ['sales'] }));
    expect(await coreTools(sales)).not.include('core_config_save');
    await apply(CONFIG.replace('[platform]', '[platform, sales]'));
    expect(await coreTools(sales)).include('core_config_save');
  });

  it('gives tools to a group of the issuer that its entry names alone', async () => {
    await apply(CONFIG.replace("groups: ['*']", 'groups: [guests]'));
    const listed = async (issuer: string): Promise<string> =>
      textOf(await (await connect(person({ groups: ['ops'] }, issuer))).callMeta('list_core_tools', {}));
    expect(await listed('https://idp.example')).include('core_mcpserver_list');
    expect(await listed('https://partner.example')).match(/^no entry of access .* who has 1 group/);
  });

  it('refuses a configuration that makes everyone an operator', async () => {
    const { applied, issues } = await apply(
      CONFIG.replace("groups: ['*']", "groups: ['*']\n    operator: define"),
    );
    expect(applied).equal(false);
    expect(issues[0]?.message).contain('makes every caller an operator');
  });
});

describe('operators: without a sign-in', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({ builtIns: BUILT_INS });
  });
  after(() => gateway.stop());
  const seenWith = async (headers: Record<string, string>): Promise<readonly string[]> =>
    coreTools(await McpClient.connect(gateway.url(), { headers }));

  it('are the user of this machine', async () => {
    expect(await seenWith({})).include.members([...OPERATE, ...DEFINE]);
  });

  it('are not the user of this machine if a proxy here forwards the request', async () => {
    for (const headers of [{ 'x-forwarded-for': '203.0.113.9' }, { forwarded: 'for=203.0.113.9' }])
      expect(await seenWith(headers)).not.include.oneOf([...OPERATE, ...DEFINE]);
  });

  it('are callers in the networks that are named', async () => {
    const { kernel } = makeKernel();
    const networks = ['172.17.0.0/16', 'fd00::/8'];
    const { value: config } = validate(plugin.configSchema, { operators: { networks }, access: [] });
    await kernel.move([{ plugin, config }]);
    const operators = kernel.registry.get(Operators.id) as Operators;
    const of = (remoteAddress: string): string =>
      operators.authorityOf({ caller: undefined, transport: 'http', remoteAddress, header: () => undefined });
    const named = ['172.17.0.1', '::ffff:172.17.0.1', 'fd00::1', '127.0.0.1', '::1'];
    expect(named.map(of)).deep.equal(named.map(() => 'define'));
    expect(['172.18.0.1', 'fe80::1'].map(of)).deep.equal(['use', 'use']);
  });
});
