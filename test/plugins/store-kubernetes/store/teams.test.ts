import { lookup } from 'node:dns/promises';
import { hostname } from 'node:os';
import { expect } from 'chai';
import { mcpClient } from '../../../contract/index.ts';
import type { McpClient } from '../../../contract/index.ts';
import type { JsonObject } from '../../../../kernel/index.ts';
import { GuardedServers } from '../../../../plugins/contracts/credentials.ts';
import { ResourceStore } from '../../../../plugins/contracts/definitions.ts';
import { refusalOf } from '../../../support/kernel.ts';
import { makeDirectory } from '../../../support/directory.ts';
import { forwardProxy } from '../../../support/forwardProxy.ts';
import type { Gateway } from '../../../support/gateway.ts';
import { simulatedApi } from '../../../support/kube/simulatedApi.ts';
import type { SimulatedApi } from '../../../support/kube/simulatedApi.ts';
import { serveHere } from '../../../support/serveHere.ts';
import { until } from '../../../support/until.ts';
import { withVariables } from '../../../support/withVariables.ts';
import { HttpFixture } from '../../upstream/httpFixture.ts';

const GROUP = 'pegboard.dev/v1alpha1';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

describe('orchestrator mode: several namespaces', () => {
  let api: SimulatedApi;
  let fixture: HttpFixture;
  let gateway: Gateway;
  let client: McpClient;
  let remote: JsonObject;
  let directory: ReturnType<typeof makeDirectory>;
  let proxy: string;

  const pathOf = (namespace: string, plural = 'mcpservers'): string =>
    `/apis/${GROUP}/namespaces/${namespace}/${plural}`;
  const create = async (namespace: string, name: string, spec: object, more: object = {}): Promise<void> => {
    const body = { apiVersion: GROUP, kind: 'MCPServer', metadata: { name, ...more }, spec };
    await api.admin.create(pathOf(namespace), body);
  };
  const conditionOf = async (
    namespace: string,
    name: string,
    type = 'Accepted',
    plural = 'mcpservers',
  ): Promise<Condition | undefined> => {
    const { status } = await api.admin.get(`${pathOf(namespace, plural)}/${name}`);
    const { conditions = [] } = (status ?? {}) as { readonly conditions?: readonly Condition[] };
    return conditions.find((one) => one.type === type);
  };
  const becomes = (reason: string, namespace: string, name: string, type = 'Accepted'): Promise<unknown> =>
    until(async () => (await conditionOf(namespace, name, type))?.reason === reason, {
      what: `${reason} of ${namespace}/${name}`,
      withinMs: 15_000,
    });
  const configure = (namespaces: readonly string[]): string =>
    JSON.stringify({
      orchestrator: true,
      namespace: 'tools',
      aggregator: { proxy },
      plugins: {
        'store-kubernetes': { config: { namespaces } },
        upstream: { config: { rereadSecretsMs: 300 } },
      },
    });
  const begin = async (namespaces: readonly string[]): Promise<void> => {
    directory = makeDirectory({ 'config.yaml': configure(namespaces) });
    const served = await serveHere(directory);
    gateway = served;
    client = await mcpClient(served.url);
  };
  /** @returns what the store did */
  const reconfigure = async (namespaces: readonly string[]): Promise<unknown> => {
    directory.write('config.yaml', configure(namespaces));
    return (await gateway.pipeline.reload()).actions['store-kubernetes'];
  };
  const said = async (tool: string, args: JsonObject): Promise<string> =>
    JSON.stringify(await client.callTool(tool, args));

  beforeEach(async () => {
    api = await simulatedApi(() => true);
    fixture = new HttpFixture();
    fixture.hasSessions = false;
    await fixture.listen();
    const { port } = new URL(fixture.url);
    // Servers of teams are somewhere else.
    proxy = `http://${(await forwardProxy(() => Number(port))).place}`;
    remote = { type: 'streamable-http', url: `http://mcp.team.example/mcp` };
    withVariables({ KUBECONFIG: api.kubeconfig(api.certificateOf('service'), 'tools') });
  });
  afterEach(async () => {
    await client.close();
    await fixture.kill();
  });

  it('are read, and status and Events written there; who may use what is read in that of the gateway only', async () => {
    await create('team-a', 'tracker', remote);
    const workflow = { steps: [{ id: 'one', tool: 'x_tracker_echo', args: { message: 'm' } }] };
    const body = { apiVersion: GROUP, kind: 'Workflow', metadata: { name: 'flow' }, spec: workflow };
    await api.admin.create(pathOf('team-a', 'workflows'), body);
    await begin(['team-a']);
    await becomes('Connected', 'team-a', 'tracker', 'Ready');
    expect((await client.callTool('x_tracker_echo', { message: 'm' })).isError).not.equal(true);
    expect((await client.callTool('workflow_flow')).isError).not.equal(true);
    await until(async () => (await conditionOf('team-a', 'flow', 'Ready', 'workflows'))?.status === 'True');
    const events = await api.admin.get('/api/v1/namespaces/team-a/events');
    expect(JSON.stringify(events)).contain('"name":"tracker"');
    const asked = api.requests().map(({ objectRef }) => `${objectRef?.namespace}/${objectRef?.resource}`);
    expect(asked).include('tools/accesses').not.include('team-a/accesses').not.include('team-a/leases');
    expect(asked).not.include('team-a/toolsetpresets');
  });

  it('refuse a name that another one has, and pass it on when it is free', async () => {
    const spec = (description: string): object => ({ ...remote, description });
    await create('team-b', 'same', spec('of b'));
    await create('team-a', 'same', spec('of a'));
    await create('tools', 'same', spec('of the gateway'));
    await begin(['team-a', 'team-b']);
    const holder = async (): Promise<string> => said('core_mcpserver_get', { name: 'same' });
    await becomes('NameTaken', 'team-a', 'same');
    await becomes('NameTaken', 'team-b', 'same');
    expect(await conditionOf('team-b', 'same')).include({
      status: 'False',
      message: 'MCPServer same of namespace tools has this name; give this one another',
    });
    expect(await holder()).contain('of the gateway');
    await api.admin.delete(`${pathOf('tools')}/same`);
    await becomes('InForce', 'team-a', 'same');
    await until(async () => (await conditionOf('team-b', 'same'))?.message.includes('of namespace team-a'));
    expect(await holder()).contain('of a');
    expect(await reconfigure(['team-b', 'team-a'])).equal('reload');
    await becomes('InForce', 'team-b', 'same');
    await becomes('NameTaken', 'team-a', 'same');
    await reconfigure([]);
    await until(async () => (await holder()).includes('not found'), { what: 'no server' });
  });

  it('refuse a name that would take the tools of a server with another prefix', async () => {
    await create('tools', 'ours', { ...remote, toolPrefix: 'shared' });
    await create('tools', 'deep', { ...remote, toolPrefix: 'near_by' });
    await create('tools', 'one', { ...remote, family: { name: 'many', instanceArg: 'which' } });
    for (const name of ['shared', 'near', 'many', 'nearby']) await create('team-a', name, remote);
    await begin(['team-a']);
    await becomes('Connected', 'team-a', 'nearby', 'Ready');
    await becomes('NameTaken', 'team-a', 'shared');
    await becomes('NameTaken', 'team-a', 'near');
    await becomes('NameTaken', 'team-a', 'many');
    expect((await conditionOf('team-a', 'near'))?.message).equal(
      'tools of MCPServer deep of namespace tools begin with near_by; give this one another name',
    );
  });

  it('refuse a workflow whose name is taken, and say so as of any that is wrong', async () => {
    const spec = { steps: [{ id: 'one', tool: 'x_tracker_echo' }] };
    for (const namespace of ['tools', 'team-a']) {
      const body = { apiVersion: GROUP, kind: 'Workflow', metadata: { name: 'flow' }, spec };
      await api.admin.create(pathOf(namespace, 'workflows'), body);
    }
    await begin(['team-a']);
    await until(async () => (await conditionOf('team-a', 'flow', 'Accepted', 'workflows')) !== undefined);
    const { status } = await api.admin.get(`${pathOf('team-a', 'workflows')}/flow`);
    const message = 'Workflow flow of namespace tools has this name; give this one another';
    expect(status).deep.include({ validationErrors: [message] });
    expect(await conditionOf('team-a', 'flow', 'Ready', 'workflows')).include({
      reason: 'NameTaken',
      message,
    });
  });

  it('are listed once each, and never with that of the gateway', async () => {
    await begin([]);
    for (const [namespaces, message] of [
      [['tools'], 'tools is the namespace of the gateway; remove it'],
      [['team-a', 'team-a'], 'team-a is listed already; remove one'],
      [['Team'], 'must match pattern'],
    ] as const) {
      directory.write('config.yaml', configure(namespaces));
      const { issues, applied } = await gateway.pipeline.reload();
      expect(applied).equal(false);
      expect(JSON.stringify(issues)).contain(message);
    }
  });

  it('never go on with the last good version of another namespace', async () => {
    await create('tools', 'same', { ...remote, description: 'of the gateway' });
    await create('team-a', 'same', { ...remote, includeTools: ['[z-a'] });
    await begin(['team-a']);
    await becomes('Connected', 'tools', 'same', 'Ready');
    await api.admin.delete(`${pathOf('tools')}/same`);
    await becomes('ConfigInvalid', 'team-a', 'same');
    expect((await conditionOf('team-a', 'same'))?.message).contain('no version is in force');
    expect((await client.callTool('x_same_echo', { message: 'm' })).isError).equal(true);
  });

  it('refuse what would use the gateway, its callers or its machine', async () => {
    const { url } = remote;
    const oauth = (more: object): object => ({ auth: { type: 'oauth', ...more } });
    const at = (address: string): object => ({ url: address });
    const pinned = (more: object): object =>
      oauth({ authorizationServer: { issuer: 'https://login.example', ...more } });
    const refused: readonly (readonly [object, RegExp])[] = [
      [
        { type: 'stdio', url: undefined, command: ['cat'] },
        /type stdio would run its program as the gateway/,
      ],
      [{ headers: { a: '${env:HOME}' } }, /headers\.a refers to the environment or a file of the gateway/],
      [{ headers: { a: '${secret:a${file:x}/b}' } }, /headers\.a refers/],
      [{ url: `${String(url)}?\${file:keys.json}` }, /url refers/],
      [{ tls: { ca: 'ca.pem' } }, /^tls\.ca may be given/],
      [{ tls: { cert: 'own.pem' } }, /^tls\.cert may be given/],
      [{ proxy: 'none' }, /^proxy may be given/],
      [{ toolPrefix: 'other' }, /^toolPrefix may be given/],
      [{ family: { name: 'other', instanceArg: 'which' } }, /^family may be given/],
      [{ auth: { forwardToken: true } }, /^auth\.forwardToken may be given/],
      [{ auth: { requiredAudiences: ['all'] } }, /^auth\.requiredAudiences may be given/],
      [{ auth: { tokenExchange: { enabled: true } } }, /^auth\.tokenExchange may be given/],
      [at('unix:/run/mcp.sock:/mcp'), /^url has to begin with http/],
      [at('http://${secret:a/host}/mcp'), /^url has to begin with http/],
      [at('http://localhost:1/mcp'), /^url leads to the gateway's own machine/],
      [at('http://[::ffff:127.0.0.1]:1/mcp'), /^url leads/],
      [at('http://2130706433:1/mcp'), /^url leads/],
      [at('http://me@127.1/mcp'), /^url leads/],
      [at('http://169.254.169.254/latest'), /^url leads/],
      [at('http://0.0.0.0:1/mcp'), /^url leads/],
      [oauth({ authorizationServer: { issuer: 'http://localhost:1' } }), /authorizationServer\.issuer leads/],
      [pinned({ resource: 'none' }), /^auth\.authorizationServer\.resource may be given/],
      [pinned({ parameters: { audience: 'other' } }), /^auth\.authorizationServer\.parameters may be given/],
    ];
    for (const [index, [more]] of refused.entries())
      await create('team-a', `bad-${index}`, JSON.parse(JSON.stringify({ ...remote, ...more })) as object);
    const off = { forwardToken: false, tokenExchange: { enabled: false }, requiredAudiences: [] };
    await create('team-a', 'good', { ...remote, env: {}, suspended: false, auth: { type: 'none', ...off } });
    await begin(['team-a']);
    await becomes('InForce', 'team-a', 'good');
    for (const [index, [, message]] of refused.entries()) {
      await becomes('NotAllowed', 'team-a', `bad-${index}`);
      expect((await conditionOf('team-a', `bad-${index}`))?.message, String(index)).match(message);
    }
    expect(await said('core_mcpserver_list', {})).contain('good');
    expect(fixture.headers).not.deep.equal([]);
  });

  it('are not written by tools, which say where the object is', async () => {
    await create('team-a', 'theirs', { ...remote, description: 'of a' });
    await begin(['team-a']);
    await becomes('Connected', 'team-a', 'theirs', 'Ready');
    const store = gateway.kernel.registry.get(ResourceStore.id) as ResourceStore;
    const { name, spec } = { name: 'theirs', spec: remote };
    const refusal =
      'MCPServer theirs is in namespace team-a, and tools write in tools only: kubectl -n team-a edit mcpservers/theirs';
    expect(await refusalOf(() => store.replace('MCPServer', { name, spec }))).include({
      code: 'STORE_FORBIDDEN',
      message: refusal,
    });
    expect(await refusalOf(() => store.delete('MCPServer', name))).include({
      code: 'STORE_FORBIDDEN',
      message: refusal,
    });
    expect((await refusalOf(() => store.create('MCPServer', { name, spec }))).message).contain(
      'exists already in namespace team-a',
    );
    expect((await store.get('MCPServer', name))?.labels).deep.equal({ 'pegboard.dev/namespace': 'team-a' });
    expect((await store.list('MCPServer')).map((one) => one.name)).deep.equal(['theirs']);
    expect(await said('core_service_stop', { name })).contain(refusal);
  });

  it('never reach the machine of the gateway by a name that leads there', async function () {
    const { address } = await lookup(hostname()).catch(() => ({ address: '' }));
    if (!address.startsWith('127.')) this.skip();
    const there = { ...remote, url: fixture.url.replace('127.0.0.1', hostname()) };
    proxy = 'none';
    await create('team-a', 'near', there);
    await create('tools', 'ours', there);
    await begin(['team-a']);
    await becomes('Connected', 'tools', 'ours', 'Ready');
    await becomes('UpstreamUnreachable', 'team-a', 'near', 'Ready');
    expect((await conditionOf('team-a', 'near', 'Ready'))?.message).contain("the gateway's own machine");
  });

  it('have Secrets of their own, and a label that their writers do not choose', async () => {
    const write = (namespace: string, token: string): Promise<unknown> =>
      api.admin.create(`/api/v1/namespaces/${namespace}/secrets`, {
        metadata: { name: 'token' },
        data: { t: Buffer.from(token).toString('base64') },
      });
    await write('tools', 'of-the-gateway');
    await write('team-a', 'of-a');
    const spec = { ...remote, headers: { 'x-token': '${secret:token/t}' } };
    const labels = { 'pegboard.dev/namespace': 'team-b', own: 'yes' };
    await create('team-a', 'theirs', spec, { labels });
    await create('tools', 'ours', spec, { labels: { 'pegboard.dev/namespace': 'team-a' } });
    await begin(['team-a']);
    const sentBy = async (server: string): Promise<unknown> => {
      await client.callTool(`x_${server}_echo`, { message: 'm' });
      return fixture.headers.at(-1)?.['x-token'];
    };
    await becomes('Connected', 'team-a', 'theirs', 'Ready');
    await becomes('Connected', 'tools', 'ours', 'Ready');
    expect([await sentBy('theirs'), await sentBy('ours')]).deep.equal(['of-a', 'of-the-gateway']);
    const servers = gateway.kernel.registry.get(GuardedServers.id) as GuardedServers;
    expect(['theirs', 'ours'].map((name) => servers.get(name)?.auth.isFar)).deep.equal([true, undefined]);
    const data = { t: Buffer.from('changed-a').toString('base64') };
    await api.admin.ask('PATCH', '/api/v1/namespaces/team-a/secrets/token', { body: { data } });
    await until(async () => (await sentBy('theirs')) === 'changed-a', { what: 'the changed Secret' });
    expect(await sentBy('ours')).equal('of-the-gateway');
    await api.admin.delete('/api/v1/namespaces/team-a/secrets/token');
    await until(() =>
      JSON.stringify(gateway.log.records).includes('secret token in namespace team-a not found'),
    );
    expect(await sentBy('ours')).equal('of-the-gateway');
  });
});
