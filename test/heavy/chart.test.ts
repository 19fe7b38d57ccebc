import { execFile, spawn } from 'node:child_process';
import { cpSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parse } from 'yaml';
import { messageOf } from '../../kernel/index.ts';
import type { JsonObject } from '../../kernel/index.ts';
import { makeDirectory } from '../support/directory.ts';
import { CRDS, FOREIGN_CRDS, KUBECTL, folderOf } from '../support/kube/binaries.ts';
import type { ControlPlane } from '../support/kube/controlPlane.ts';
import { CHART, VALUE_FILES, helm, rendered, valuesOf } from '../support/kube/helm.ts';
import { installCrds } from '../support/kube/installCrds.ts';
import type { KubeObject } from '../support/kube/kubeClient.ts';
import { ROOT } from '../support/sources.ts';
import { POD_RULES, SERVICE_RULES, TEAM_RULES } from '../support/kube/serviceUser.ts';
import type { KubeNamespace } from '../support/kube/kubeNamespace.ts';
import { planeWithCrds } from '../support/kube/planeWithCrds.ts';
import { until } from '../support/until.ts';
import { sampleOf } from '../schemas/sampleOf.ts';

const MINIMAL = join(VALUE_FILES, 'minimal.yaml');

interface Deployment {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly containers: readonly [{ readonly image: string; readonly readinessProbe: object }];
      };
    };
  };
}

/** Values that are wrong, and what helm says: the path and the fault. */
const REFUSED: readonly (readonly [JsonObject, RegExp])[] = [
  [{ replica: 2 }, /at '': additional properties 'replica' not allowed/],
  [{ image: { repo: 'x' } }, /at '\/image': additional properties 'repo' not allowed/],
  [{ config: { agregator: {} } }, /at '\/config': additional properties 'agregator' not allowed/],
  [{ config: { aggregator: { hots: 'x' } } }, /at '\/config\/aggregator': additional properties 'hots'/],
  [
    { config: { aggregator: { oauth: { server: { baseURL: '' } } } } },
    /at '\/config\/aggregator\/oauth\/server': additional properties 'baseURL'/,
  ],
  [{ config: { aggregator: { admin: { prot: 1 } } } }, /at '\/config\/aggregator\/admin': .*'prot'/],
  [{ config: { plugins: { 'vault-redsi': {} } } }, /at '\/config\/plugins\/vault-redsi': missing property/],
  [
    { config: { plugins: { http: { config: { drainMs: '5s' } } } } },
    /at '\/config\/plugins\/http\/config\/drainMs': got string, want integer/,
  ],
  [{ config: { toolsetPresets: { a: { include: 'x' } } } }, /at '\/config\/toolsetPresets\/a\/include'/],
  [{ url: 'https://tools.example.com/mcp' }, /at '\/url': .* does not match pattern/],
  [{ signIn: { issuerUrl: '' } }, /at '\/signIn\/issuerUrl'/],
  [{ httpRoute: { enabled: true } }, /at '\/httpRoute\/parentRefs': minItems: got 0, want 1/],
  [{ replicas: 2 }, /replicas: more than one needs redis\.url/],
  [{ autoscaling: { enabled: true } }, /autoscaling\.maxReplicas: more than one needs redis\.url/],
  [{ autoscaling: { cpu: '70%' } }, /at '\/autoscaling\/cpu': '70%' does not match pattern/],
  [{ autoscaling: { behavior: { scaleDwn: {} } } }, /at '\/autoscaling\/behavior'.*'scaleDwn'/s],
  [{ image: { digest: '5f70bf' } }, /at '\/image\/digest': '5f70bf' does not match pattern/],
  [{ redis: { url: ['redis://a', 'redis://b'] } }, /at '\/redis\/sentinel\/master': minLength/],
  [{ redis: { url: ['http://a'], cluster: true } }, /at '\/redis\/url/],
  [{ redis: { sentinel: { password: { name: 'a' } } } }, /at '\/redis\/sentinel\/password'.*'key'/s],
  [{ commonLabels: { 'app.kubernetes.io/name': 'a' } }, /invalid propertyName 'app\.kubernetes\.io\/name'/],
  [{ drainMs: 60_001 }, /at '\/drainMs': maximum: got 60,001, want 60,000/],
  [{ livenessProbe: { period: 1 } }, /at '\/livenessProbe'.*'period'/s],
  [{ readinessProbe: { httpGet: { path: '/' } } }, /at '\/readinessProbe'.*'httpGet'/s],
  [{ podSecurityContext: { runAsUsr: 1 } }, /at '\/podSecurityContext'.*'runAsUsr'/s],
  [{ securityContext: { fsGroup: 1 } }, /at '\/securityContext'.*'fsGroup'/s],
  [{ lifecycle: { prestop: {} } }, /at '\/lifecycle'.*'prestop'/s],
  [{ dnsConfig: { nameserver: [] } }, /at '\/dnsConfig'.*'nameserver'/s],
  [{ podDisruptionBudget: { minAvailable: 'half' } }, /at '\/podDisruptionBudget\/minAvailable'/],
  [{ topologySpread: { constraints: [{ labelSelector: {} }] } }, /at '\/topologySpread\/constraints\/0'/],
  [{ metrics: { prometheusRule: { label: {} } } }, /at '\/metrics\/prometheusRule': .*'label'/],
];

describe('the chart', () => {
  let plane: ControlPlane;
  let namespace: KubeNamespace;
  let env: Readonly<Record<string, string>>;
  before(async function () {
    plane = await planeWithCrds(this);
    for (const path of FOREIGN_CRDS) {
      const crd = readFileSync(join(folderOf(CRDS), path.split('/').at(-1) ?? ''), 'utf8');
      await plane.admin.create(
        '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
        parse(crd) as KubeObject,
      );
    }
    const { certificateOf, kubeconfig } = plane;
    const served = kubeconfig(certificateOf('admin', 'system:masters'));
    await until(() =>
      kubectl(['get', 'httproutes,prometheusrules,servicemonitors'], { KUBECONFIG: served }).then(
        () => true,
        () => false,
      ),
    );
  });
  beforeEach(async () => {
    namespace = await plane.makeNamespace();
    const admin = plane.certificateOf('admin', 'system:masters');
    env = { KUBECONFIG: plane.kubeconfig(admin, namespace.name) };
    await kubectl(['label', 'namespace', namespace.name, 'pod-security.kubernetes.io/warn=restricted'], env);
  });
  const kinds = (objects: readonly KubeObject[]): readonly string[] =>
    objects.map(({ kind = '', metadata }) => `${kind} ${metadata.name}`).sort();

  it('has no complaint of helm lint', async () => {
    expect(await helm(['lint', CHART, '--strict', '--values', MINIMAL])).include('0 chart(s) failed');
  });

  for (const file of readdirSync(VALUE_FILES).sort())
    it(`is accepted by the API server with the values of ${file}`, async () => {
      const options = ['--namespace', namespace.name, '--values', join(VALUE_FILES, file)];
      const manifest = await helm(['template', 'pegboard', CHART, ...options]);
      const apply = [
        'apply',
        '--server-side',
        '--force-conflicts',
        '--dry-run=server',
        '--validate=strict',
        // That of Pod Security is one.
        '--warnings-as-errors',
        '-f',
        '-',
      ];
      const said = await kubectl(apply, env, manifest);
      expect(
        said
          .trim()
          .split('\n')
          .every((line) => line.endsWith('serverside-applied (server dry run)')),
      ).equal(true);
    });

  for (const [values, fault] of REFUSED)
    it(`refuses ${JSON.stringify(values)}`, async () => {
      const options = ['--values', MINIMAL, ...valuesOf(values)];
      expect(await rendered(...options).then(JSON.stringify, messageOf)).match(fault);
    });

  it('passes every key of config.yaml on', async () => {
    const { $defs } = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8')) as {
      $defs: Readonly<Record<string, JsonObject>>;
    };
    const config = sampleOf($defs['config'] ?? {}, $defs) as JsonObject;
    const objects = await rendered('--values', MINIMAL, ...valuesOf({ config }));
    const map = objects.find(({ kind }) => kind === 'ConfigMap') as unknown as {
      readonly data: Readonly<Record<string, string>>;
    };
    const written = parse(map.data['config.yaml'] ?? '') as JsonObject;
    // What only the chart sets is in it too.
    expect(written).deep.equal(merged(written, config));
    expect(Object.keys(config['plugins'] as object).length).above(25);
  });

  /** The Deployment of these values. */
  const deploymentOf = async (values: object): Promise<Deployment> => {
    const objects = await rendered('--values', MINIMAL, ...valuesOf(values));
    return objects.find(({ kind }) => kind === 'Deployment') as unknown as Deployment;
  };

  it('leaves uid and groups to the admission of OpenShift', async () => {
    const objects = await rendered('--values', join(VALUE_FILES, 'openshift.yaml'));
    const pods = objects.filter(({ kind }) => kind === 'Deployment' || kind === 'Pod');
    expect(pods).length(2);
    expect(JSON.stringify(pods))
      .match(/runAsNonRoot/)
      .not.match(/runAsUser|runAsGroup|fsGroup/);
  });

  it('gives a pod the time that it drains, and 25 s, to end', async () => {
    const graceOf = async (values: object): Promise<unknown> =>
      (await deploymentOf(values)).spec.template.spec.terminationGracePeriodSeconds;
    expect(await graceOf({})).equal(30);
    expect(await graceOf({ drainMs: 60_000 })).equal(85);
    expect(await graceOf({ drainMs: 500 })).equal(26);
    expect(await graceOf({ terminationGracePeriodSeconds: 300 })).equal(300);
  });

  it('takes the image by its digest, and its probes by their times', async () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    const { spec } = await deploymentOf({
      image: { digest, tag: '1' },
      readinessProbe: { periodSeconds: 7 },
    });
    const [{ image, readinessProbe }] = spec.template.spec.containers;
    expect(image).equal(`registry.example.com/pegboard@${digest}`);
    expect(readinessProbe).deep.include({ httpGet: { path: '/ready', port: 'http' }, periodSeconds: 7 });
    const without = await deploymentOf({ livenessProbe: null });
    expect(without.spec.template.spec.containers[0]).not.have.property('livenessProbe');
  });

  it('leaves the number of replicas to the autoscaler', async () => {
    const values = { redis: { url: 'redis://redis' }, autoscaling: { enabled: true } };
    expect((await deploymentOf(values)).spec).not.have.property('replicas');
  });

  it('has the alerts of examples/observe, for the job of its own Service', async () => {
    const objects = await rendered('--values', join(VALUE_FILES, 'alerts.yaml'));
    const { spec } = objects.find(({ kind }) => kind === 'PrometheusRule') as unknown as { spec: unknown };
    const alerts = readFileSync(join(ROOT, 'examples/observe/alerts.yml'), 'utf8');
    expect(spec).deep.equal(parse(alerts.replace('job="pegboard"', 'job="tools"')));
  });

  it('keeps its Service from leading to the pod of helm test', async () => {
    const objects = await rendered('--values', MINIMAL);
    const { spec } = objects.find(({ kind }) => kind === 'Service') as unknown as {
      readonly spec: { readonly selector: object };
    };
    const pod = objects.find(({ kind }) => kind === 'Pod');
    expect(pod?.metadata['labels']).not.include(spec.selector);
  });

  it('says who can do what', async () => {
    const saidWith = async (file: string, ...more: readonly string[]): Promise<string> =>
      helm(
        [
          ...['install', 'pegboard', CHART, '--dry-run=server', '--namespace', namespace.name],
          ...['--take-ownership', '--values', join(VALUE_FILES, file), ...more],
        ],
        env,
      );
    const said = await saidWith('minimal.yaml');
    expect(said).include('run workflows: who signs in at https://login.example.com.\n');
    expect(said).include(
      `Change Workflows in ${namespace.name}: group system:authenticated\n  Every service account`,
    );
    expect(said).include('stop MCPServers there: no role of this chart allows it\n');
    expect(said).include('A helm rollback applies the older chart');
    const narrow = await saidWith('provider-groups.yaml');
    expect(narrow).include(
      'oidc:staff, oidc:automation\n- Change, start and stop MCPServers there: oidc:platform\n',
    );
    expect(narrow).not.include('Every service account');
    const own = await saidWith('own-objects.yaml');
    expect(own)
      .include('whom your roles allow it')
      .not.include('helm rollback')
      .not.include('service account');
    expect(await saidWith('no-sign-in.yaml')).include('everyone who can connect; there is no sign-in');
  });

  it('has one writer of status for two releases over one namespace, and refuses two of one name', async () => {
    const other = await plane.makeNamespace();
    const install = (name: string): Promise<string> =>
      helm(
        [
          ...['install', name, CHART, '--namespace', other.name, '--values', MINIMAL],
          ...valuesOf({ definitionsNamespace: namespace.name, crds: { enabled: false } }),
        ],
        env,
      );
    await helm(
      ['install', 'pegboard', CHART, '--namespace', namespace.name, '--take-ownership', '--values', MINIMAL],
      env,
    );
    expect(await install('pegboard').then(() => '', messageOf)).include('invalid ownership metadata');
    await install('second');
    const config = async ({ path }: KubeNamespace, name: string): Promise<string> =>
      JSON.stringify((await plane.admin.get(path(`configmaps/${name}`)))['data']);
    // Nothing names the Lease, so both have that of the plugin.
    expect(await config(namespace, 'pegboard')).not.include('lease');
    expect(await config(other, 'second-pegboard')).not.include('lease');
    await helm(['uninstall', 'second', '--namespace', other.name], env);
    await plane.admin.get(namespace.path('roles/pegboard', 'rbac.authorization.k8s.io/v1'));
    await helm(['uninstall', 'pegboard', '--namespace', namespace.name], env);
  });

  it('listens on all addresses of the pod, unless the values say otherwise', async () => {
    const hostOf = async (...options: readonly string[]): Promise<string> => {
      const objects = await rendered('--values', MINIMAL, ...options);
      const map = objects.find(({ kind }) => kind === 'ConfigMap');
      const { 'config.yaml': text = '' } = map?.['data'] as Readonly<Record<string, string>>;
      return (parse(text) as { readonly aggregator: { readonly host: string } }).aggregator.host;
    };
    expect(await hostOf()).equal('0.0.0.0');
    expect(await hostOf('--set', 'config.aggregator.host=::1')).equal('::1');
  });

  it('names the pod in metrics and traces', async () => {
    const objects = await rendered('--values', MINIMAL);
    const text = JSON.stringify(objects.find(({ kind }) => kind === 'Deployment'));
    expect(text).contain('service.instance.id=$(POD_NAME),k8s.pod.name=$(POD_NAME)');
    expect(text).contain('{"name":"POD_NAME","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}');
  });

  it('gives Node.js a heap of 60 % of the memory limit', async () => {
    const heapOf = async (...options: readonly string[]): Promise<unknown> => {
      const objects = await rendered('--values', MINIMAL, ...options);
      const text = JSON.stringify(objects.find(({ kind }) => kind === 'Deployment'));
      return /--max-old-space-size=(\d+)/.exec(text)?.[1];
    };
    expect(await heapOf()).equal('307');
    for (const [limit, heap] of [
      ['1.5Gi', '921'],
      ['2G', '1144'],
      ['1073741824', '614'],
      ['2e9', '1144'],
    ])
      expect(await heapOf('--set-string', `resources.limits.memory=${limit}`), limit).equal(heap);
    expect(await heapOf('--set', 'resources.limits.memory=null')).equal(undefined);
  });

  it('grants the service account what the tests grant it', async () => {
    const objects = await rendered('--values', join(VALUE_FILES, 'teams.yaml'));
    const roles = objects.filter(({ kind, metadata }) => kind === 'Role' && metadata.name === 'pegboard');
    const granted = roles.map(({ rules }) => rules);
    expect(granted).deep.equal([SERVICE_RULES, TEAM_RULES, TEAM_RULES]);
    const verbs = JSON.stringify(objects.filter(({ kind }) => kind?.includes('Role')));
    expect(verbs).not.include('*');
  });

  it('grants it what pods of servers need where definitions are, if they are wanted', async () => {
    const objects = await rendered('--values', join(VALUE_FILES, 'pods.yaml'));
    const [role] = objects.filter(({ kind, metadata }) => kind === 'Role' && metadata.name === 'pegboard');
    expect(role?.metadata.namespace).equal('kube-public');
    expect(role?.['rules']).deep.equal([...SERVICE_RULES, ...POD_RULES]);
    const [map] = objects.filter(({ kind }) => kind === 'ConfigMap');
    expect(JSON.stringify(map?.['data']))
      .include('gatewayNamespace')
      .include('registry.example.com/pegboard');
  });

  it('lets the gateway reach pods of servers at the port that config says', async () => {
    const egressWith = async (config: object): Promise<string> => {
      const values = ['--values', join(VALUE_FILES, 'pods.yaml'), ...valuesOf({ config })];
      const [policy] = (await rendered(...values)).filter(({ kind }) => kind === 'NetworkPolicy');
      return JSON.stringify((policy?.['spec'] as { readonly egress: unknown }).egress);
    };
    expect(await egressWith({})).include('{"port":8443}');
    expect(await egressWith({ plugins: { pods: { config: { port: 9443 } } } }))
      .include('{"port":9443}')
      .not.include('8443');
  });

  it('has no pods of servers beside its own Secrets', async () => {
    const values = ['--values', join(VALUE_FILES, 'pods.yaml'), ...valuesOf({ definitionsNamespace: '' })];
    expect(await rendered(...values).catch(String)).match(/definitionsNamespace to a namespace of its own/);
  });

  it('is upgraded from another version with the same keys, and leaves definitions when it is removed', async () => {
    const former = makeDirectory();
    cpSync(CHART, former.path, { recursive: true });
    const meta = readFileSync(join(CHART, 'Chart.yaml'), 'utf8');
    writeFileSync(former.at('Chart.yaml'), meta.replaceAll('0.1.0', '0.0.9'));
    writeFileSync(
      former.at('templates/former.yaml'),
      'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: former }\n',
    );
    const of = (chart: string, ...more: readonly string[]): readonly string[] => [
      'pegboard',
      chart,
      '--namespace',
      namespace.name,
      '--values',
      MINIMAL,
      ...more,
    ];
    // The tests have applied the definitions without helm.
    await helm(['install', ...of(former.path, '--take-ownership')], env);
    const keys = async (): Promise<unknown> =>
      (await plane.admin.get(namespace.path('secrets/pegboard-keys')))['data'];
    const first = await keys();
    expect(Object.keys(first as object)).deep.equal(['keys.json']);
    await plane.admin.create(namespace.path('mcpservers', 'pegboard.dev/v1alpha1'), {
      apiVersion: 'pegboard.dev/v1alpha1',
      kind: 'MCPServer',
      metadata: { name: 'kept' },
      spec: { type: 'streamable-http', url: 'https://mcp.example.com/mcp' },
    });
    await helm(['upgrade', ...of(CHART, '--set', 'replicas=0')], env);
    expect(await keys()).deep.equal(first);
    const deployment = await plane.admin.get(namespace.path('deployments/pegboard', 'apps/v1'));
    expect(JSON.stringify(deployment)).include('pegboard:0.1.0').include('"replicas":0');
    expect((await plane.admin.ask('GET', namespace.path('configmaps/former'))).status).equal(404);
    await helm(['uninstall', 'pegboard', '--namespace', namespace.name], env);
    expect((await plane.admin.ask('GET', namespace.path('deployments/pegboard', 'apps/v1'))).status).equal(
      404,
    );
    expect(await keys()).deep.equal(first);
    await plane.admin.get(namespace.path('mcpservers/kept', 'pegboard.dev/v1alpha1'));
    await installCrds(plane);
  });

  it('drops at a rollback what the older definitions do not know, and has it back by the commands that it prints', async () => {
    const former = makeDirectory();
    cpSync(CHART, former.path, { recursive: true });
    const file = former.at('files/crds/mcpservers.yaml');
    const text = readFileSync(file, 'utf8');
    const older = text.replace(/^( +)description:\n(?:\1 .*\n)+/m, '');
    expect(older).not.equal(text);
    writeFileSync(file, older);
    const of = ['--namespace', namespace.name, '--values', MINIMAL];
    await helm(['install', 'pegboard', former.path, '--take-ownership', ...of], env);
    const notes = await helm(['upgrade', 'pegboard', CHART, ...of], env);
    const printed = (command: RegExp): Promise<unknown> =>
      promisify(execFile)('sh', ['-c', command.exec(notes)?.[0] ?? `echo ${command.source}; false`], {
        cwd: former.path,
        env: { ...process.env, ...env, PATH: `${dirname(KUBECTL)}:${process.env['PATH'] ?? ''}` },
      });
    const resource = namespace.path('mcpservers', 'pegboard.dev/v1alpha1');
    const object = {
      apiVersion: 'pegboard.dev/v1alpha1',
      kind: 'MCPServer',
      metadata: { name: 's' },
      spec: { type: 'streamable-http', url: 'https://mcp.example.com/mcp', description: 'one' },
    };
    const hasField = async (method: 'GET' | 'POST', path: string): Promise<boolean> => {
      const options = method === 'GET' ? {} : { body: { ...object, metadata: { generateName: 's-' } } };
      const { status, text: answer } = await plane.admin.ask(method, path, options);
      // 429: the API server begins its storage of the kind anew.
      return status < 300 && answer.includes('"description":"one"');
    };
    const isNewer = (): Promise<boolean> => hasField('POST', `${resource}?dryRun=All`);
    const knows = (): Promise<boolean> => hasField('GET', `${resource}/s`);
    await until(isNewer, { what: 'the newer definition' });
    await plane.admin.create(resource, object);
    await printed(/kubectl .* get .* > saved\.yaml/);
    await helm(['rollback', 'pegboard', '1', '--namespace', namespace.name], env);
    await until(async () => !(await isNewer()), { what: 'the older definition' });
    const isWritten = async (): Promise<boolean> => {
      const body = { status: { state: 'Failed' } };
      return (await plane.admin.ask('PATCH', `${resource}/s/status`, { body })).status === 200;
    };
    await until(isWritten, { what: 'a write that loses it for good' });
    await helm(['upgrade', 'pegboard', CHART, ...of], env);
    await until(isNewer, { what: 'the newer definition again' });
    expect(await knows()).equal(false);
    await printed(/kubectl .*apply -f saved\.yaml/);
    expect(await knows()).equal(true);
    await helm(['uninstall', 'pegboard', '--namespace', namespace.name], env);
    await installCrds(plane);
  });

  it('lets every authenticated user edit workflows, nothing else, and fewer if the values say so', async () => {
    await helm(
      ['install', 'pegboard', CHART, '--namespace', namespace.name, '--take-ownership', '--values', MINIMAL],
      env,
    );
    const alice = plane.as({
      token: await plane.issuer.idToken('alice@example.com', { groups: ['oidc-staff'] }),
    });
    const group = 'pegboard.dev/v1alpha1';
    const create = async (name: string): Promise<number> => {
      const spec = { description: 'one', steps: [{ id: 'a', tool: 'core_mcpserver_list' }] };
      const body = { apiVersion: group, kind: 'Workflow', metadata: { name }, spec };
      return (await alice.ask('POST', namespace.path('workflows', group), { body })).status;
    };
    await until(async () => (await create('one')) === 201, { what: 'the role' });
    expect((await alice.ask('DELETE', namespace.path('workflows/one', group))).status).equal(200);
    const server = {
      apiVersion: group,
      kind: 'MCPServer',
      metadata: { name: 's' },
      spec: { type: 'stdio', command: ['a'] },
    };
    expect((await alice.ask('POST', namespace.path('mcpservers', group), { body: server })).status).equal(
      403,
    );
    expect((await alice.ask('GET', namespace.path('secrets'))).status).equal(403);
    const narrow = join(VALUE_FILES, 'narrow-roles.yaml');
    await helm(['upgrade', 'pegboard', CHART, '--namespace', namespace.name, '--values', narrow], env);
    await until(async () => (await create('two')) === 403, { what: 'the narrower role' });
    await helm(['uninstall', 'pegboard', '--namespace', namespace.name], env);
  });

  it('makes only what its values ask for', async () => {
    expect(kinds(await rendered('--values', MINIMAL, '--set', 'crds.enabled=false'))).deep.equal([
      'ConfigMap pegboard',
      'Deployment pegboard',
      'PersistentVolumeClaim pegboard',
      'Pod pegboard-test',
      'Role pegboard',
      'Role pegboard-workflow-editor',
      'RoleBinding pegboard',
      'RoleBinding pegboard-workflow-editor',
      'Secret pegboard-keys',
      'Service pegboard',
      'ServiceAccount pegboard',
    ]);
    expect(kinds(await rendered('--values', join(VALUE_FILES, 'own-objects.yaml')))).deep.equal([
      'ConfigMap pegboard',
      'Deployment pegboard',
      'PersistentVolumeClaim pegboard',
      'Pod pegboard-test',
      'Service pegboard',
    ]);
  });
});

/** @throws Error with what it has printed */
async function kubectl(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input = '',
): Promise<string> {
  const child = spawn(KUBECTL, args, { env: { ...process.env, ...env } });
  child.stdin.end(input);
  const [out, complaint, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('close', resolve)),
  ]);
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${complaint}`);
  return out;
}
/** `over` in place of the same keys of `under`. */
function merged(under: JsonObject, over: JsonObject): JsonObject {
  const isMap = (value: unknown): value is JsonObject =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const joined = Object.entries(over).map(([key, value]) => {
    const below = under[key];
    return [key, isMap(value) && isMap(below) ? merged(below, value) : value] as const;
  });
  return { ...under, ...Object.fromEntries(joined) };
}
