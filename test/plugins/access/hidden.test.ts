import { expect } from 'chai';
import { startGateway } from '../../contract/index.ts';
import type { TestGateway } from '../../contract/index.ts';
import { moduleOf } from '../../support/gateway.ts';
import { identify } from '../../support/identify.ts';
import { McpClient, RpcError, textOf } from '../../support/mcpClient.ts';
import { until } from '../../support/until.ts';
import { SHELF } from '../upstream/support.ts';

const CONFIG = `
access:
  - groups: [dev]
    toolset: ['server:abe', 'tool:core_mcpserver_get']
  - groups: [all]
    toolset: ['preset:full']
plugins:
  test-identify: { module: ./identify.mjs }
`;
const ARGUMENT = { name: 'number', value: '' };
const SUBSCRIBED = { uri: 'own://bob' };
const COMPLETED = {
  ref: { type: 'ref/resource', uri: 'page://bob/{number}' },
  argument: ARGUMENT,
};

/** A gateway whose callers of the group `dev` may use the server abe. */
async function start(servers: readonly string[]): Promise<TestGateway> {
  const shelves = servers.map((name) => {
    const command = [process.execPath, SHELF, name];
    return [`mcpservers/${name}.yaml`, JSON.stringify({ type: 'stdio', autoStart: true, command })] as const;
  });
  const files = { 'config.yaml': CONFIG, 'identify.mjs': moduleOf(identify), ...Object.fromEntries(shelves) };
  const gateway = await startGateway({ files, builtIns: 'all' });
  const all = await memberOf(gateway, 'all');
  for (const name of servers)
    await until(async () => (await answerOf(all, ['list_tools', {}])).includes(`x_${name}_lend`));
  return gateway;
}

function memberOf(gateway: TestGateway, group: string): Promise<McpClient> {
  return McpClient.connect(gateway.url(), { headers: { 'x-caller': `as ann ${group}` } });
}

/** The whole answer of a meta-tool, or of a method of the protocol. */
async function answerOf(client: McpClient, [name, params]: readonly [string, object]): Promise<string> {
  if (!name.includes('/')) return textOf(await client.callMeta(name, { ...params }));
  return client.request(name, { ...params }).then(
    (result) => JSON.stringify(result),
    (error: unknown) => {
      if (error instanceof RpcError) return `${error.code} ${error.message} ${JSON.stringify(error.data)}`;
      throw error;
    },
  );
}

describe('access: what a caller may not use', () => {
  let withBob: TestGateway;
  let without: TestGateway;
  before(async () => {
    [withBob, without] = await Promise.all([start(['abe', 'bob']), start(['abe'])]);
  });
  after(() => Promise.all([withBob.stop(), without.stop()]));

  for (const [name, params] of [
    ['list_tools', {}],
    ['list_tools', { server: 'bob' }],
    ['filter_tools', { query: 'x_bob_lend' }],
    ['filter_tools', { pattern: 'x_bob_*' }],
    ['filter_tools', { pattern: 'lend' }],
    ['filter_tools', { toolset: ['bob'] }],
    ['describe_tool', { name: 'x_bob_lend' }],
    ['call_tool', { name: 'x_bob_lend' }],
    ['call_tool', { name: 'x_bob_land' }],
    ['call_tool', { name: 'lend' }],
    ['call_tool', { name: 'bob-lend' }],
    ['explain_tool', { name: 'x_bob_lend' }],
    ['list_resources', {}],
    ['describe_resource', { uri: 'own://bob' }],
    ['get_resource', { uri: 'own://bob' }],
    ['get_resource', { uri: 'page://bob/7' }],
    ['get_resource', { uri: 'auth://status' }],
    ['list_prompts', {}],
    ['describe_prompt', { name: 'x_bob_tell' }],
    ['get_prompt', { name: 'x_bob_tell' }],
    ['tools/call', { name: 'x_bob_lend' }],
    ['tools/call', { name: 'lend' }],
    ['tools/call', { name: 'bob_lend' }],
    ['resources/read', { uri: 'own://bob' }],
    ['resources/read', { uri: 'page://bob/7' }],
    ['resources/subscribe', SUBSCRIBED],
    ['prompts/get', { name: 'x_bob_tell' }],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'x_bob_tell' }, argument: ARGUMENT }],
    ['completion/complete', COMPLETED],
  ] as const)
    it(`is as if it did not exist: ${name} ${JSON.stringify(params)}`, async () => {
      const [hidden, absent] = await Promise.all(
        [withBob, without].map(async (gateway) => answerOf(await memberOf(gateway, 'dev'), [name, params])),
      );
      expect(hidden).to.equal(absent);
      const full = await answerOf(await memberOf(withBob, 'all'), [name, params]);
      if (name !== 'tools/call' && JSON.stringify(params) !== '{"name":"x_bob_land"}')
        expect(full, 'what another caller gets').to.not.equal(absent);
    });

  it('is not named in the instructions', async () => {
    const told = await Promise.all(
      [withBob, without].map(async (gateway) => JSON.stringify((await memberOf(gateway, 'dev')).initialized)),
    );
    expect(told[0]).to.equal(told[1]);
  });

  it('is as if it did not exist, for core tools of operators too', async () => {
    const dev = await memberOf(without, 'dev');
    for (const tool of ['describe_tool', 'call_tool', 'explain_tool']) {
      const [hidden, absent] = await Promise.all(
        ['core_mcpserver_create', 'core_mcpserver_kreate'].map(async (name) =>
          (await answerOf(dev, [tool, { name }])).replaceAll(name, '…'),
        ),
      );
      expect(hidden, tool).to.equal(absent);
    }
  });
});
