import { join } from 'node:path';
import { expect } from 'chai';
import { openDownstream } from '../../plugins/kit/oauth/openDownstream.ts';
import { KubeApi } from '../../plugins/store-kubernetes/api/kubeApi.ts';
import { Pace } from '../../plugins/store-kubernetes/api/pace.ts';
import { findCredentials } from '../../plugins/store-kubernetes/api/findCredentials.ts';
import { KubernetesSecrets } from '../../plugins/store-kubernetes/secrets/kubernetesSecrets.ts';
import { mcpClient } from '../contract/index.ts';
import { startDownstreamProvider } from '../support/downstreamProvider.ts';
import { startTokenIssuer } from '../support/tokenIssuer.ts';
import { defer } from '../support/cleanup.ts';
import { makeDirectory } from '../support/directory.ts';
import { typeUri } from '../support/exchangeGateway.ts';
import { refusalOf } from '../support/kernel.ts';
import { captureLog } from '../support/log.ts';
import type { ControlPlane } from '../support/kube/controlPlane.ts';
import { planeWithCrds } from '../support/kube/planeWithCrds.ts';
import type { KubeNamespace } from '../support/kube/kubeNamespace.ts';
import { SERVICE_RULES } from '../support/kube/serviceUser.ts';
import { servePegboard } from '../support/serve.ts';
import { ROOT } from '../support/sources.ts';
import { until } from '../support/until.ts';

const GROUP = 'pegboard.dev/v1alpha1';
const HOSTILE = join(ROOT, 'test/plugins/upstream/fixtures/hostile.mjs');
const REFERRING = { TRACKER_TOKEN: 'Bearer ${secret:tracker/token}' };

interface Condition {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

describe('orchestrator mode: Secrets', () => {
  let plane: ControlPlane;
  let namespace: KubeNamespace;
  let service: string;

  before(async function () {
    plane = await planeWithCrds(this);
  });
  beforeEach(async () => {
    namespace = await plane.makeNamespace();
    service = `service-of-${namespace.name}`;
  });

  const mayRead = (where: KubeNamespace, name: string): Promise<void> =>
    where.grant({ kind: 'User', name: service }, [
      { apiGroups: [''], resources: ['secrets'], verbs: ['get'], resourceNames: [name] },
    ]);
  const addSecret = async (where: KubeNamespace, name: string, stringData: object): Promise<void> => {
    await plane.admin.create(where.path('secrets'), { metadata: { name }, stringData });
  };
  const kubeconfig = (): string => plane.kubeconfig(plane.certificateOf(service), namespace.name);

  it('fill ${secret:name/key} of a definition, and a missing right is named at its object', async () => {
    await addSecret(namespace, 'tracker', { token: 's3cr3t\n' });
    await namespace.grant({ kind: 'User', name: service }, SERVICE_RULES);
    const servers = namespace.path('mcpservers', GROUP);
    await plane.admin.create(servers, {
      apiVersion: GROUP,
      kind: 'MCPServer',
      metadata: { name: 's' },
      spec: { type: 'stdio', command: [process.execPath, HOSTILE, 'plain'], env: REFERRING, autoStart: true },
    });
    const looks = 'plugins: { upstream: { config: { rereadSecretsMs: 500 } } }';
    const directory = makeDirectory({
      'config.yaml': `orchestrator: true\nnamespace: ${namespace.name}\n${looks}\n`,
    }).path;
    const gateway = await servePegboard(directory, [], { env: { KUBECONFIG: kubeconfig() } });
    const ready = async (): Promise<Condition | undefined> => {
      const { status } = await plane.admin.get(`${servers}/s`);
      const { conditions = [] } = (status ?? {}) as { readonly conditions?: readonly Condition[] };
      return conditions.find(({ type }) => type === 'Ready');
    };
    await until(async () => (await ready())?.reason === 'StoreForbidden', { what: 'the missing right' });
    expect((await ready())?.message).contain(
      `env.TRACKER_TOKEN names the key token of the secret tracker, which cannot be read: the service account of Pegboard may not get secret tracker in namespace ${namespace.name}: grant the verb get on secrets with resourceNames: [tracker]`,
    );
    await mayRead(namespace, 'tracker');
    await until(async () => (await ready())?.reason === 'Connected', {
      what: 'the server',
      withinMs: 30_000,
    });
    const client = await mcpClient(gateway.url);
    expect(JSON.stringify(await client.callTool('x_s_env'))).contain('Bearer s3cr3t');
    expect(JSON.stringify(await client.callTool('core_mcpserver_get', { name: 's' })))
      .contain('${secret:tracker/token}')
      .not.contain('s3cr3t');
    const stringData = { token: 'an0ther' };
    await plane.admin.ask('PATCH', `${namespace.path('secrets')}/tracker`, { body: { stringData } });
    await until(async () => JSON.stringify(await client.callTool('x_s_env')).includes('Bearer an0ther'), {
      what: 'the changed Secret',
    });
    expect(JSON.stringify(gateway.lines)).not.match(/s3cr3t|an0ther/);
    await client.close();
  });

  it('that a definition holds as text are in no status, Event or answer, however wrong the definition is', async () => {
    await namespace.grant({ kind: 'User', name: service }, SERVICE_RULES);
    const servers = namespace.path('mcpservers', GROUP);
    const url = 'http://127.0.0.1:1/mcp?api_key=s3cr3t';
    const headers = { Authorization: 'Bearer s3cr3t' };
    const issuer = 'https://login.example.com';
    const authorizationServer = { issuer, clientId: 'me', clientSecret: 's3cr3t' };
    const specs = {
      away: { type: 'streamable-http', url, headers },
      wrong: {
        type: 'streamable-http',
        url,
        auth: { type: 'oauth', authorizationServer },
        includeTools: ['[z-a'],
      },
      lost: { type: 'stdio', command: ['/no/such/program', '--token', 's3cr3t'], autoStart: true },
    };
    for (const [name, spec] of Object.entries(specs))
      await plane.admin.create(servers, { apiVersion: GROUP, kind: 'MCPServer', metadata: { name }, spec });
    const directory = makeDirectory({
      'config.yaml': `orchestrator: true\nnamespace: ${namespace.name}\n`,
    }).path;
    const gateway = await servePegboard(directory, [], { env: { KUBECONFIG: kubeconfig() } });
    const statusOf = async (name: string): Promise<string> =>
      JSON.stringify((await plane.admin.get(`${servers}/${name}`))['status'] ?? '');
    const names = Object.keys(specs);
    for (const name of names)
      await until(async () => (await statusOf(name)).includes('"message":"'), {
        what: `the status of ${name}`,
        withinMs: 30_000,
      });
    const client = await mcpClient(gateway.url);
    const told = [
      ...(await Promise.all(names.map(statusOf))),
      JSON.stringify(await plane.admin.get(namespace.path('events'))),
      JSON.stringify(await client.callTool('core_events', {})),
      JSON.stringify(await client.callTool('core_mcpserver_list', {})),
      JSON.stringify(gateway.lines),
    ].join('\n');
    expect(told).contain('MCPServer').not.contain('s3cr3t');
  });

  it('of another namespace are read by their name alone, for the client of an exchange', async () => {
    const other = await plane.makeNamespace();
    const issuer = await startTokenIssuer();
    const provider = await startDownstreamProvider({
      connectors: { a: { issuer: issuer.url, jwksUrl: `${issuer.url}/keys` } },
    });
    const { clientId } = provider.target() as { readonly clientId: string };
    await addSecret(other, 'idp', { 'client-id': clientId, 'client-secret': provider.secret });
    await addSecret(other, 'others', { token: 'x' });
    await mayRead(other, 'idp');
    const api = new KubeApi(await findCredentials({ env: { KUBECONFIG: kubeconfig() } }));
    defer(() => api.close());
    const secrets = new KubernetesSecrets(
      { connect: () => Promise.resolve(api), pace: new Pace(20, 30) },
      () => namespace.name,
    );
    const downstream = await openDownstream({
      allowPrivate: true,
      privateKey: 'x',
      log: captureLog(),
      trust: () => undefined,
      directory: () => '/',
      secrets: () => secrets,
    });
    const name = { name: 'idp', namespace: other.name };
    const client = { ...name, clientIdKey: 'client-id', clientSecretKey: 'client-secret' };
    const target = { name: 'server', endpoint: `${provider.url}/token`, connectorId: 'a', client };
    const token = await issuer.sign();
    expect(await downstream.exchange(target, token, typeUri('access_token'))).include({
      type: typeUri('id_token'),
    });
    const where = `in namespace ${other.name}`;
    for (const [wanted, key, code, text] of [
      [name, 'none', 'STORE_NOT_FOUND', `secret idp ${where} has no key none; add it`],
      [{ ...name, name: 'others' }, 'token', 'STORE_FORBIDDEN', `may not get secret others ${where}`],
      [{ name: 'idp' }, 'client-id', 'STORE_FORBIDDEN', `secret idp in namespace ${namespace.name}`],
    ] as const) {
      const refused = await refusalOf(() => secrets.read(wanted, [key]));
      expect(refused).include({ code });
      expect(refused.message).contain(text);
    }
    await plane.admin.delete(`${other.path('secrets')}/idp`);
    expect(secrets.hiderFor()?.(`a ${provider.secret} b`)).equal('a [redacted] b');
    const gone = await refusalOf(() => secrets.read(name, ['client-id']));
    expect(gone.message).equal(`secret idp ${where} not found; create it`);
  });
});
