import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { expect } from 'chai';
import { mcpClient } from '../contract/index.ts';
import { defer } from '../support/cleanup.ts';
import { makeDirectory } from '../support/directory.ts';
import { EVERYTHING, freePort } from '../support/everything.ts';
import type { ControlPlane } from '../support/kube/controlPlane.ts';
import type { KubeObject } from '../support/kube/kubeClient.ts';
import type { KubeNamespace } from '../support/kube/kubeNamespace.ts';
import { planeWithCrds } from '../support/kube/planeWithCrds.ts';
import { POD_RULES, SERVICE_RULES, serviceUser } from '../support/kube/serviceUser.ts';
import { packedProgram } from '../support/packed.ts';
import { servePegboard } from '../support/serve.ts';
import type { Pegboard } from '../support/serve.ts';
import { until } from '../support/until.ts';

const GROUP = 'pegboard.dev/v1alpha1';
const IMAGE = `ghcr.io/acme/everything@sha256:${'a'.repeat(64)}`;
const SPEC = {
  type: 'stdio',
  runsIn: 'pod',
  image: IMAGE,
  command: ['node', EVERYTHING, 'stdio'],
  env: { TOKEN: 'a text', KEY: '${secret:outside/key}' },
};
const KINDS = [
  ['deployments', 'apps/v1'],
  ['networkpolicies', 'networking.k8s.io/v1'],
  ['serviceaccounts', undefined],
  ['secrets', undefined],
] as const;

interface Template {
  readonly metadata: { readonly annotations: Readonly<Record<string, string>> };
  readonly spec: Readonly<Record<string, unknown>>;
}

describe('pods of stdio servers', () => {
  let plane: ControlPlane;
  let namespace: KubeNamespace;
  let servers: string;
  let gateway: Pegboard;
  let port: number;

  before(async function () {
    plane = await planeWithCrds(this);
  });
  beforeEach(async () => {
    namespace = await plane.makeNamespace();
    servers = namespace.path('mcpservers', GROUP);
    port = await freePort();
    const user = await serviceUser(plane, namespace, [...SERVICE_RULES, ...POD_RULES]);
    const config = {
      image: 'pegboard:0.1.0',
      gatewayLabels: { 'app.kubernetes.io/name': 'pegboard' },
      port,
      everySeconds: 1,
    };
    const yaml = `orchestrator: true\nnamespace: ${namespace.name}\nplugins: { pods: { config: ${JSON.stringify(config)} } }\n`;
    const directory = makeDirectory({ 'config.yaml': yaml });
    gateway = await servePegboard(directory.path, [], { env: { KUBECONFIG: user.kubeconfig } });
  });

  const add = (name: string, spec: object = SPEC): Promise<KubeObject> =>
    plane.admin.create(servers, { apiVersion: GROUP, kind: 'MCPServer', metadata: { name }, spec });
  const edit = async (name: string, spec: object): Promise<void> => {
    const { status, text } = await plane.admin.ask('PATCH', `${servers}/${name}`, { body: { spec } });
    expect(status, text).equal(200);
  };
  const listed = async (plural: string, version?: string): Promise<readonly KubeObject[]> => {
    const { items = [] } = await plane.admin.get(
      `${namespace.path(plural, version)}?labelSelector=app.kubernetes.io/managed-by%3Dpegboard-pods`,
    );
    return items;
  };
  const counts = async (): Promise<readonly number[]> =>
    Promise.all(KINDS.map(async ([plural, version]) => (await listed(plural, version)).length));
  const made = (numbers: readonly number[]): Promise<unknown> =>
    until(async () => String(await counts()) === String(numbers), {
      what: `${String(numbers)} objects`,
      withinMs: 15_000,
    });
  const deployment = async (name = 's'): Promise<KubeObject> =>
    plane.admin.get(`${namespace.path('deployments', 'apps/v1')}/mcp-${name}`);
  const templateOf = ({ spec }: KubeObject): Template => (spec as { readonly template: Template }).template;

  /** What a kubelet would do: the bridge as a process of this machine, and its pod as an object. */
  const startPod = async (
    command: readonly string[] = SPEC.command,
  ): Promise<ChildProcessByStdio<null, null, Readable>> => {
    const [secret] = await listed('secrets');
    const { key = '' } = (secret?.['data'] ?? {}) as { readonly key?: string };
    const file = makeDirectory({ key: Buffer.from(key, 'base64').toString() }).at('key');
    const words = ['stdio', '--listen', `127.0.0.1:${port}`, '--key-file', file, '--', ...command];
    const bridge = spawn(process.execPath, [packedProgram(), ...words], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const gone = once(bridge, 'exit');
    defer(async () => {
      bridge.kill('SIGKILL');
      await gone;
    });
    await once(bridge.stderr, 'data');
    const pods = namespace.path('pods');
    await plane.admin.create(pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'mcp-s-1', labels: { 'pegboard.dev/server': 'mcp-s' } },
      spec: { serviceAccountName: 'mcp-s', containers: [{ name: 'server', image: IMAGE }] },
    });
    await podStatus({
      phase: 'Running',
      podIP: '127.0.0.1',
      podIPs: [{ ip: '127.0.0.1' }],
      conditions: [{ type: 'Ready', status: 'True' }],
    });
    return bridge;
  };
  const podStatus = async (status: object): Promise<void> => {
    const path = `${namespace.path('pods')}/mcp-s-1/status`;
    const answer = await plane.admin.ask('PATCH', path, { body: { status } });
    expect(answer.status, answer.text).equal(200);
  };
  const statusOf = async (name: string): Promise<string> =>
    JSON.stringify((await plane.admin.get(`${servers}/${name}`)).status ?? {});

  it('makes the objects of a server, which it owns, confined as the README says', async () => {
    const { metadata } = await add('s');
    await made([1, 1, 1, 1]);
    for (const [plural, version] of KINDS) {
      const [object] = await listed(plural, version);
      expect(object?.metadata['ownerReferences'], plural).deep.equal([
        { apiVersion: GROUP, kind: 'MCPServer', name: 's', uid: metadata.uid, controller: true },
      ]);
    }
    const { spec } = templateOf(await deployment());
    expect(spec).deep.include({ automountServiceAccountToken: false, serviceAccountName: 'mcp-s' });
    expect(spec['securityContext']).deep.equal({
      runAsNonRoot: true,
      runAsUser: 65_532,
      runAsGroup: 65_532,
      fsGroup: 65_532,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(JSON.stringify(spec['initContainers'])).include('{"name":"HOME","value":"/tmp"}');
    const [container] = spec['containers'] as readonly Readonly<Record<string, unknown>>[];
    expect(container?.['image']).equal(IMAGE);
    expect(container?.['securityContext']).deep.equal({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(JSON.stringify(container)).include('"name":"outside","key":"key"').not.include('a text');
    const [policy] = await listed('networkpolicies', 'networking.k8s.io/v1');
    expect(policy?.['spec'])
      .deep.include({ policyTypes: ['Ingress', 'Egress'] })
      .not.have.property('egress');
  });

  it('takes a namespace whose pods have to be restricted', async () => {
    const path = `/api/v1/namespaces/${namespace.name}`;
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    await plane.admin.ask('PATCH', path, { body: { metadata: { labels } } });
    await add('s');
    await made([1, 1, 1, 1]);
    const { metadata, spec } = templateOf(await deployment());
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, name: 'p' }, spec };
    const { status, text } = await plane.admin.ask('POST', namespace.path('pods'), { body: pod });
    expect(status, text).equal(201);
  });

  it('repairs what others change, and writes nothing while nothing has changed', async () => {
    await add('s');
    await made([1, 1, 1, 1]);
    const path = `${namespace.path('deployments', 'apps/v1')}/mcp-s`;
    const template = { spec: { hostNetwork: true } };
    await plane.admin.ask('PATCH', path, { body: { spec: { replicas: 3, template } } });
    await until(async () => {
      const { spec } = await deployment();
      const { replicas } = spec as { readonly replicas: number };
      return replicas === 1 && templateOf(await deployment()).spec['hostNetwork'] === undefined;
    });
    await plane.admin.delete(`${namespace.path('networkpolicies', 'networking.k8s.io/v1')}/mcp-s`);
    await made([1, 1, 1, 1]);
    const writes = (): number =>
      plane
        .audit()
        .filter(
          ({ verb, objectRef }) =>
            objectRef?.namespace === namespace.name &&
            objectRef.resource === 'deployments' &&
            verb === 'update',
        ).length;
    const before = writes();
    // Each of these takes a round.
    for (let round = 0; round < 3; round += 1) {
      await plane.admin.delete(`${namespace.path('networkpolicies', 'networking.k8s.io/v1')}/mcp-s`);
      await made([1, 1, 1, 1]);
    }
    expect(writes()).equal(before);
  });

  it('takes addresses and networks that the definition lists, in each form', async () => {
    const network = ['10.1.2.3/8:5432', '0.0.0.0/0:443', '[fd00::7]:443', '[::/0]:8080', '10.96.0.10:53'];
    await add('s', { ...SPEC, grants: { network } });
    await made([1, 1, 1, 1]);
    const [policy] = await listed('networkpolicies', 'networking.k8s.io/v1');
    const text = JSON.stringify(policy?.spec);
    for (const cidr of ['10.0.0.0/8', '0.0.0.0/0', 'fd00::7/128', '::/0', '10.96.0.10/32'])
      expect(text).include(`"cidr":"${cidr}"`);
  });

  it('waits for the end of a deletion that the finalizer of another holds up, then makes the object again', async () => {
    await add('s');
    await made([1, 1, 1, 1]);
    const path = `${namespace.path('networkpolicies', 'networking.k8s.io/v1')}/mcp-s`;
    const hold = async (finalizers: readonly string[] | null): Promise<void> => {
      const { status, text } = await plane.admin.ask('PATCH', path, { body: { metadata: { finalizers } } });
      expect(status, text).equal(200);
    };
    await hold(['example.com/hold']);
    await plane.admin.ask('PATCH', path, { body: { spec: { ingress: [] } } });
    await until(async () => JSON.stringify((await plane.admin.get(path)).spec).includes(String(port)), {
      what: 'the repair',
    });
    const { metadata } = await plane.admin.get(path);
    expect(metadata['finalizers']).deep.equal(['example.com/hold']);
    await plane.admin.delete(path);
    const { reason } = await gateway.logged('pods of servers cannot be kept as defined');
    expect(reason).include('it is being deleted, and is made again after that');
    const during = await plane.admin.get(path);
    expect(during.metadata.uid).equal(metadata.uid);
    expect(during.metadata.deletionTimestamp).not.equal(undefined);
    expect(during.metadata['finalizers']).deep.equal(['example.com/hold']);
    expect(await counts()).deep.equal([1, 1, 1, 1]);
    await hold(null);
    const isNew = async (): Promise<boolean> => {
      const [policy] = await listed('networkpolicies', 'networking.k8s.io/v1');
      return policy !== undefined && policy.metadata.uid !== metadata.uid;
    };
    await until(isNew, { what: 'the new object', withinMs: 15_000 });
  });

  it('removes once what the finalizer of another holds up, and lets the rest go', async () => {
    await add('s');
    await made([1, 1, 1, 1]);
    const path = `${namespace.path('networkpolicies', 'networking.k8s.io/v1')}/mcp-s`;
    const body = { metadata: { finalizers: ['example.com/hold'] } };
    expect((await plane.admin.ask('PATCH', path, { body })).status).equal(200);
    await edit('s', { runsIn: null });
    await made([0, 1, 0, 0]);
    const deletions = (): number =>
      plane
        .audit()
        .filter(
          ({ verb, objectRef, user }) =>
            verb === 'delete' &&
            objectRef?.namespace === namespace.name &&
            objectRef.resource === 'networkpolicies' &&
            user.username !== 'admin',
        ).length;
    const before = deletions();
    // Each of these takes a round.
    for (const name of ['t', 'u']) await add(name, { ...SPEC, env: {} });
    await made([2, 3, 2, 2]);
    expect([before, deletions()]).deep.equal([1, 1]);
    await plane.admin.ask('PATCH', path, { body: { metadata: { finalizers: null } } });
    await made([2, 2, 2, 2]);
  });

  it('rolls with the definition, stops with a suspension, and cleans up what is defined no longer', async () => {
    await add('s');
    await add('t', { ...SPEC, env: {} });
    await made([2, 2, 2, 2]);
    const revision = async (): Promise<string | undefined> =>
      templateOf(await deployment()).metadata.annotations['pegboard.dev/revision'];
    const first = await revision();
    await edit('s', { env: { TOKEN: 'another' } });
    await until(async () => (await revision()) !== first, { withinMs: 10_000 });
    await edit('s', { suspended: true });
    await until(
      async () =>
        (await deployment()).spec !== undefined &&
        JSON.stringify((await deployment()).spec).includes('"replicas":0'),
    );
    await edit('t', { runsIn: null });
    await made([1, 1, 1, 1]);
    await plane.admin.delete(`${servers}/s`);
    await made([0, 0, 0, 0]);
  });

  it('says which right it lacks, and continues with what it may', async () => {
    const other = await plane.makeNamespace();
    const rules = POD_RULES.filter(({ resources }) => !resources.includes('networkpolicies'));
    const user = await serviceUser(plane, other, [...SERVICE_RULES, ...rules]);
    const config = { image: 'pegboard:0.1.0', gatewayLabels: { a: 'b' }, everySeconds: 1 };
    const yaml = `orchestrator: true\nnamespace: ${other.name}\nplugins: { pods: { config: ${JSON.stringify(config)} } }\n`;
    const directory = makeDirectory({ 'config.yaml': yaml });
    const poorer = await servePegboard(directory.path, [], { env: { KUBECONFIG: user.kubeconfig } });
    await plane.admin.create(other.path('mcpservers', GROUP), {
      apiVersion: GROUP,
      kind: 'MCPServer',
      metadata: { name: 's' },
      spec: SPEC,
    });
    const { reason } = await poorer.logged('pods of servers cannot be kept as defined');
    expect(reason).match(/networkpolicies.*cannot list resource/);
    const { status } = await plane.admin.ask('GET', `${other.path('deployments', 'apps/v1')}/mcp-s`);
    expect(status, 'a pod that nothing confines').equal(404);
  });

  it('leaves alone a Deployment of that name that has another owner', async () => {
    const theirs = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'mcp-s' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    };
    await plane.admin.create(namespace.path('deployments', 'apps/v1'), theirs);
    await add('s');
    await until(
      () => gateway.lines.some(({ text }) => text === 'pods of servers cannot be kept as defined'),
      {
        withinMs: 10_000,
      },
    );
    expect(JSON.stringify((await deployment()).spec)).include('"a":"b"');
  });

  it('calls the tools of a server in its pod, and says why there is none', async () => {
    await add('s', { ...SPEC, timeout: 2, autoStart: true });
    await made([1, 1, 1, 1]);
    await until(async () => (await statusOf('s')).includes('no pod of the server is ready'), {
      what: 'the reason',
      withinMs: 15_000,
    });
    const bridge = await startPod();
    const client = await mcpClient(gateway.url);
    const call = (): Promise<string> =>
      client.callTool('x_s_echo', { message: 'hello' }).then((result) => JSON.stringify(result));
    await until(async () => (await call()).includes('Echo: hello'), { what: 'its tool', withinMs: 30_000 });
    bridge.kill('SIGKILL');
    await once(bridge, 'exit');
    const waiting = { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image' } };
    await podStatus({
      conditions: [{ type: 'Ready', status: 'False' }],
      containerStatuses: [
        { name: 'server', image: IMAGE, imageID: '', ready: false, restartCount: 0, state: waiting },
      ],
    });
    await until(async () => (await statusOf('s')).includes('ImagePullBackOff: Back-off pulling image'), {
      what: 'the reason of the cluster',
      withinMs: 30_000,
    });
  });
});
