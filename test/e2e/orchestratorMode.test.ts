import { existsSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { expect } from 'chai';
import { decodeJwt } from 'jose';
import type { JsonObject } from '../../kernel/index.ts';
import { mcpClient } from '../contract/index.ts';
import type { McpClient } from '../contract/index.ts';
import { SignInClient, registerAt, settingsFor } from '../support/authServer.ts';
import { makeDirectory } from '../support/directory.ts';
import type { Directory } from '../support/directory.ts';
import { freePort } from '../support/everything.ts';
import { httpsSite } from '../support/httpsSite.ts';
import { startIdentityProvider } from '../support/identityProvider.ts';
import { READS, SERVER, WORKFLOW, WRITES } from '../support/kube/callerTools.ts';
import type { AuditLine } from '../support/kube/controlPlane.ts';
import { kubeconfigOf } from '../support/kube/credentials.ts';
import { AUDIENCE } from '../support/kube/kubeIssuer.ts';
import { simulatedApi } from '../support/kube/simulatedApi.ts';
import type { SimulatedApi } from '../support/kube/simulatedApi.ts';
import { textOf } from '../support/mcpClient.ts';
import { runPegboard, servePegboard } from '../support/serve.ts';
import type { Pegboard } from '../support/serve.ts';
import { textOf as sourceOf } from '../support/sources.ts';
import { startTokenIssuer } from '../support/tokenIssuer.ts';
import type { TokenIssuer } from '../support/tokenIssuer.ts';
import { until } from '../support/until.ts';

const GROUP = 'pegboard.dev/v1alpha1';
/** The user of the gateway at the API. */
const SERVICE = 'service';
const ALICE = 'oidc:alice@example.com';
const BOB = 'oidc:bob@example.com';
const GONE = 'the custom resource definition is gone, and with it all its objects';

/** A start at an API that treats requests so, and waits for it only that long. */
async function startAt(answer: RequestListener, startWaitMs: number) {
  const site = await httpsSite(answer);
  const url = `https://localhost:${site.port}`;
  const config = kubeconfigOf({ url, ca: site.ca.join(''), who: {}, namespace: 'tools' });
  const directory = withServerInFile({ plugins: { 'store-kubernetes': { config: { startWaitMs } } } });
  const run = runPegboard(['serve', '--config-path', directory.path, '--port', '0'], {
    KUBECONFIG: makeDirectory({ config: JSON.stringify(config) }).at('config'),
  });
  return { site, directory, run };
}

/** A configuration with a server in a file, which no one reads in this mode. */
function withServerInFile(config: JsonObject): Directory {
  const directory = makeDirectory({
    'config.yaml': JSON.stringify({ orchestrator: true, namespace: 'tools', ...config }),
  });
  const spec = { type: 'stdio', command: ['touch', directory.at('started')], autoStart: true };
  directory.write('mcpservers/filed.yaml', JSON.stringify({ name: 'filed', ...spec }));
  return directory;
}

describe('e2e: orchestrator mode at a simulated Kubernetes API', function () {
  this.timeout(60_000);
  let api: SimulatedApi;
  let issuer: TokenIssuer;
  let base: string;
  let directory: Directory;
  let pegboard: Pegboard;
  let withoutApi: Awaited<ReturnType<typeof startAt>>;

  before(async () => {
    withoutApi = await startAt((_, res) => res.destroy(), 5_000);
    api = await simulatedApi((user) => user !== BOB);
    await add('mcpservers', 'kept', SERVER);
    await add('mcpservers', 'elsewhere', SERVER, 'other');
    await add('workflows', 'listing', WORKFLOW);
    const port = await freePort();
    base = `http://localhost:${port}`;
    issuer = await startTokenIssuer();
    const redirectUris = [`${base}/oauth/callback`];
    const { server } = settingsFor(
      base,
      await startIdentityProvider({ redirectUris, audiences: [AUDIENCE] }),
    ).oauth;
    const trusted = issuer.trusted({ acceptedTypHeaders: [''], allowedAudiences: [AUDIENCE, 'another'] });
    directory = withServerInFile({
      aggregator: { oauth: { server: { ...server, trustedIssuers: [trusted] } } },
    });
    const KUBECONFIG = api.kubeconfig(api.certificateOf(SERVICE), 'tools');
    pegboard = await servePegboard(directory.path, ['--port', String(port)], { env: { KUBECONFIG } });
    await pegboard.logged('identity provider found');
  });

  const pathOf = (plural: string, name = '', namespace = 'tools'): string =>
    `/apis/${GROUP}/namespaces/${namespace}/${plural}${name && `/${name}`}`;
  const add = async (plural: string, name: string, spec: object, namespace?: string): Promise<void> => {
    const kind = plural === 'workflows' ? 'Workflow' : 'MCPServer';
    const object = { apiVersion: GROUP, kind, metadata: { name }, spec };
    await api.admin.create(pathOf(plural, '', namespace), object);
  };
  const statusOf = async (name: string): Promise<JsonObject> =>
    ((await api.admin.get(pathOf('mcpservers', name))).status ?? {}) as JsonObject;
  const requestsOf = (name: string): readonly AuditLine[] =>
    api.requests().filter(({ user }) => user.username === name);
  const session = (token: string): Promise<McpClient> =>
    mcpClient(base, { authorization: `Bearer ${token}` });
  /** A session of the holder of an id_token. */
  const holder = async (name: string, aud = AUDIENCE): Promise<McpClient> =>
    session(await issuer.sign({ sub: name, email: `${name}@example.com`, aud }, { typ: undefined }));

  it('takes definitions from custom resources of its namespace, live, and of no other, and writes what has become of them', async () => {
    const client = await holder('dora');
    const listed = async (): Promise<string> => textOf(await client.callTool('core_mcpserver_list'));
    const answers = async (tool: string): Promise<boolean> => (await client.callTool(tool)).isError !== true;
    await add('mcpservers', 'live', SERVER);
    await until(() => answers('x_live_pid'), { what: 'its tool' });
    await until(async () => (await statusOf('live'))['state'] === 'Running', { what: 'its status' });
    expect(await statusOf('live'))
      .include({ tools: 16 })
      .not.have.property('replicas');
    const names = async (): Promise<unknown> => (await statusOf('live'))['toolNames'];
    expect(await names())
      .have.length(16)
      .and.include('x_live_pid');
    const patch = { body: { spec: { toolPrefix: 'other' } } };
    await api.admin.ask('PATCH', pathOf('mcpservers', 'live'), patch);
    await until(() => answers('x_other_pid'), { what: 'the new name' });
    await until(async () => String(await names()).includes('x_other_pid'), {
      what: 'the new name in status',
    });
    expect(await listed())
      .include('"mode":"orchestrator"')
      .include('"kept"')
      .not.match(/elsewhere|filed/);
    await api.admin.delete(pathOf('mcpservers', 'live'));
    await until(async () => !(await answers('x_other_pid')), { what: 'its end' });
    expect(await listed())
      .include('"total":1')
      .not.include('"live"');
    const namespaces = requestsOf(SERVICE).map(({ objectRef }) => objectRef?.namespace);
    expect([...new Set(namespaces)]).deep.equal(['tools']);
    expect(existsSync(directory.at('started'))).equal(false);
  });

  it('lets a person who has signed in do all, with the id_token of that sign-in, which is for the API server', async () => {
    const person = new SignInClient(base, await registerAt(base));
    const { body } = await person.redeem(await person.code());
    expect(decodeJwt(String(body['id_token'])).aud).include(AUDIENCE);
    const alice = await session(String(body['access_token']));
    for (const [tool, args] of WRITES) {
      const result = await alice.callTool(tool, args);
      expect(result.isError ?? false, `${tool}: ${textOf(result)}`).equal(false);
    }
    expect(requestsOf(ALICE).map(({ verb, objectRef }) => [verb, objectRef?.resource])).deep.equal(
      WRITES.map(([, , verb, resource]) => [verb, resource]),
    );
  });

  it('refuses others each write with the missing verb, resource and namespace, and no read and no run of a workflow', async () => {
    const bob = await holder('bob');
    // A server that runs has nothing to start, and is not deleted.
    const writes = WRITES.filter(([tool]) => !/^core_(service_start|mcpserver_delete)$/.test(tool));
    for (const [tool, args, verb, resource] of writes) {
      const present = resource === 'workflows' ? 'listing' : 'kept';
      const result = await bob.callTool(tool, { ...args, name: verb === 'create' ? 'n' : present });
      expect(textOf(result), tool)
        .include(`you may not ${verb} ${resource}.pegboard.dev in namespace tools`)
        .include(`User "${BOB}" cannot ${verb} resource "${resource}" in API group "pegboard.dev"`);
    }
    const refused = requestsOf(BOB).length;
    for (const [tool, args] of [...READS, ['workflow_listing', {}] as const]) {
      const result = await bob.callTool(tool, args);
      expect(result.isError ?? false, `${tool}: ${textOf(result)}`).equal(false);
    }
    expect(requestsOf(BOB)).length(refused);
  });

  it('reads, and writes status, Events, runs and the Lease, with its own credential, and nothing else', async () => {
    await until(async () => (await statusOf('kept'))['state'] === 'Running', { what: 'its status' });
    const done = (): readonly string[] =>
      requestsOf(SERVICE).map(
        ({ verb, objectRef: { resource = '', subresource = '' } = { resource: '' } }) =>
          `${verb} ${resource}${subresource && `/${subresource}`}`,
      );
    const definitions = ['mcpservers', 'workflows'];
    const reads = definitions.flatMap((plural) => [`list ${plural}`, `watch ${plural}`]);
    const writes = ['patch mcpservers/status', 'create leases', 'create events', 'create workflowexecutions'];
    expect(done()).include.members([...reads, ...writes]);
    const isWrite = /^(create|update|patch|delete) (mcpservers|workflows)$/;
    expect(done().filter((one) => isWrite.test(one))).deep.equal([]);
  });

  it('sends nothing for a token without the audience, and says how to get one', async () => {
    const carl = await holder('carl', 'another');
    const text = textOf(await carl.callTool('core_mcpserver_create', { name: 's', ...SERVER }));
    expect(text).include(AUDIENCE).include('pegboard auth login').include('the audience another');
    expect(requestsOf('oidc:carl@example.com')).deep.equal([]);
  });

  it('shows at /ready?verbose how stale definitions are, names no object, and stays ready', async () => {
    const ready = async (query: string): Promise<JsonObject> =>
      (await (await fetch(`${base}/ready${query}`)).json()) as JsonObject;
    expect(await ready('')).deep.equal({ status: 'ready' });
    const { status, definitions, writes } = await ready('?verbose');
    expect({ status, writes }).deep.equal({ status: 'ready', writes: true });
    const rows = definitions as readonly { readonly kind: string; readonly staleSeconds: number }[];
    expect(rows.map(({ kind }) => kind)).include.members(['MCPServer', 'Workflow']);
    for (const { staleSeconds } of rows) expect(staleSeconds).within(0, 60);
  });

  it('says in the log and in an Event that the definition of a kind is gone, once, and serves on', async () => {
    api.dropKind('workflows');
    const { definition, fix } = await pegboard.logged(GONE);
    expect([definition, fix]).deep.equal([
      'workflows.pegboard.dev',
      'install it, then the objects: pegboard crds | kubectl apply -f -',
    ]);
    const events = async (): Promise<readonly JsonObject[]> =>
      (await api.admin.get('/api/v1/namespaces/tools/events'))['items'] ?? [];
    const gone = async (): Promise<readonly JsonObject[]> =>
      (await events()).filter(({ reason }) => reason === 'DefinitionGone');
    await until(async () => (await gone()).length > 0, { what: 'the Event' });
    const [{ type, involvedObject } = {}] = await gone();
    expect({ type, involvedObject }).nested.include({ type: 'Warning', 'involvedObject.kind': 'Lease' });
    expect((await fetch(`${base}/ready`)).status).equal(200);
    expect(pegboard.lines.filter(({ text }) => text === GONE)).length(1);
  });

  it('does not start without the API server: it retries, by default for half a minute, then exits with 4 and takes no files', async () => {
    const { properties } = JSON.parse(sourceOf('schemas/config/store-kubernetes.schema.json')) as {
      readonly properties: { readonly startWaitMs: JsonObject };
    };
    expect(properties.startWaitMs['default']).equal(30_000);
    const { code, stderr } = await withoutApi.run;
    expect(code, stderr).equal(4);
    expect(stderr).match(/no definitions after 5 s: the Kubernetes API cannot list .* \(STORE_UNREACHABLE\)/);
    expect(withoutApi.site.connections()).above(3);
    expect(existsSync(withoutApi.directory.at('started'))).equal(false);
  });

  it('does not wait for a kubeconfig that no one has written', async () => {
    const directory = withServerInFile({});
    const { code, stderr, stdout } = await runPegboard(['check', '--config-path', directory.path], {
      HOME: makeDirectory().path,
    });
    expect(code).equal(4);
    expect(stdout + stderr)
      .include('no kubeconfig was found: name one in KUBECONFIG or write ~/.kube/config')
      .and.not.include('no definitions after');
  });
});
