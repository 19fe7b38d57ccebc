import { spawn } from 'node:child_process';
import { cpSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
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
import { SERVICE_RULES } from '../support/kube/serviceUser.ts';
import type { KubeNamespace } from '../support/kube/kubeNamespace.ts';
import { planeWithCrds } from '../support/kube/planeWithCrds.ts';
import { until } from '../support/until.ts';
import { sampleOf } from '../schemas/sampleOf.ts';

const MINIMAL = join(VALUE_FILES, 'minimal.yaml');

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
      kubectl(['get', 'httproutes,servicemonitors'], { KUBECONFIG: served }).then(
        () => true,
        () => false,
      ),
    );
  });
  beforeEach(async () => {
    namespace = await plane.makeNamespace();
    const admin = plane.certificateOf('admin', 'system:masters');
    env = { KUBECONFIG: plane.kubeconfig(admin, namespace.name) };
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
    const objects = await rendered('--values', MINIMAL);
    const role = objects.find(({ kind, metadata }) => kind === 'Role' && metadata.name === 'pegboard');
    expect(role?.['rules']).deep.equal(SERVICE_RULES);
    const verbs = JSON.stringify(objects.filter(({ kind }) => kind?.includes('Role')));
    expect(verbs).not.include('*');
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
