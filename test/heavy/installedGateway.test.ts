import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import { mcpClient } from '../contract/index.ts';
import { makeDirectory } from '../support/directory.ts';
import { freePort } from '../support/everything.ts';
import { textOf } from '../support/mcpClient.ts';
import { asPod } from '../support/kube/asPod.ts';
import type { ControlPlane } from '../support/kube/controlPlane.ts';
import { CHART, VALUE_FILES, helm, objectsIn, valuesOf } from '../support/kube/helm.ts';
import { AUDIENCE, trustedIssuer } from '../support/kube/kubeIssuer.ts';
import type { KubeNamespace, Rule } from '../support/kube/kubeNamespace.ts';
import { planeWithCrds } from '../support/kube/planeWithCrds.ts';
import { needRoot } from '../support/needRoot.ts';
import { servePegboard } from '../support/serve.ts';
import type { Pegboard } from '../support/serve.ts';
import { ROOT } from '../support/sources.ts';
import { until } from '../support/until.ts';

const GROUP = 'pegboard.dev/v1alpha1';
const HOSTILE = join(ROOT, 'test/plugins/upstream/fixtures/hostile.mjs');
const ALICE = { kind: 'User', name: 'oidc:alice@example.com', apiGroup: 'rbac.authorization.k8s.io' };
const MINIMAL = join(VALUE_FILES, 'minimal.yaml');

interface Container {
  readonly args: readonly string[];
  /** The only field that an entry takes its value from is the name of the pod. */
  readonly env: readonly { readonly name: string; readonly value?: string }[];
}
interface HookContainer {
  readonly command: readonly string[];
  readonly args: readonly string[];
}
interface Deployment {
  readonly spec: { readonly template: { readonly spec: { readonly containers: readonly [Container] } } };
}

const POD = 'pegboard-0';

describe('a gateway installed by helm', () => {
  let plane: ControlPlane;
  let namespace: KubeNamespace;

  before(async function () {
    needRoot(this);
    plane = await planeWithCrds(this);
  });
  beforeEach(async () => {
    namespace = await plane.makeNamespace();
  });

  const read = async <T>(resource: string, group?: string): Promise<T> =>
    (await plane.admin.get(namespace.path(resource, group))) as T;
  const dataOf = async (resource: string): Promise<Readonly<Record<string, string>>> =>
    (await read<{ readonly data: Readonly<Record<string, string>> }>(resource)).data;
  const create = (resource: string, object: object): Promise<unknown> =>
    plane.admin.create(namespace.path(resource, resource === 'secrets' ? undefined : GROUP), object);

  const install = async (): Promise<void> => {
    const admin = plane.certificateOf('admin', 'system:masters');
    const { url, ca } = plane.issuer;
    const trusted = trustedIssuer(plane.issuer, AUDIENCE);
    const values = {
      signIn: { issuerUrl: url },
      rbac: { secrets: [{ names: ['token'] }], serverEditors: { enabled: true, subjects: [ALICE] } },
      config: {
        aggregator: {
          extraCaFile: makeDirectory({ 'ca.pem': ca }).at('ca.pem'),
          oauth: { server: { trustedIssuers: [trusted] } },
        },
        references: { allow: ['secret:token/key'] },
        plugins: { workflow: { config: { executionMaxCount: 1, executionSweepMs: 1_000 } } },
      },
    };
    const names = ['pegboard', CHART, '--namespace', namespace.name, '--take-ownership'];
    const env = { KUBECONFIG: plane.kubeconfig(admin, namespace.name) };
    await helm(['install', ...names, '--values', MINIMAL, ...valuesOf(values)], env);
  };

  /** Does what a node would do: starts the process of the Deployment with its ConfigMap, Secrets and service account. */
  const start = async (): Promise<Pegboard> => {
    const { spec } = await read<Deployment>('deployments/pegboard', 'apps/v1');
    const [{ args, env }] = spec.template.spec.containers;
    const { 'keys.json': keys = '' } = await dataOf('secrets/pegboard-keys');
    const { 'config.yaml': config = '' } = await dataOf('configmaps/pegboard');
    const pod = makeDirectory({
      'etc/pegboard/config.yaml': config.replace('/etc/', '/run/pod/etc/'),
      'etc/pegboard-secrets/keys/keys.json': Buffer.from(keys, 'base64').toString(),
      'etc/pegboard-secrets/sign-in/client-secret': 'secret',
      'var/lib/pegboard/.keep': '',
    });
    const inPod = (text: string): string => text.replace(/^((?:--[a-z-]+=)?)(?=\/(etc|var)\/)/, '$1/run/pod');
    const { directory } = await namespace.addServiceAccount('pegboard');
    return servePegboard(undefined, args.slice(1).map(inPod), {
      env: {
        ...plane.env,
        ...Object.fromEntries(
          env.map(({ name, value = POD }) => [name, inPod(value.replaceAll('$(POD_NAME)', POD))]),
        ),
        OTEL_EXPORTER_PROMETHEUS_PORT: String(await freePort()),
      },
      within: asPod(directory, pod.path),
      withinMs: 20_000,
    });
  };

  it('uses exactly the rights that the chart grants, and people edit definitions by theirs', async () => {
    await install();
    await create('secrets', { metadata: { name: 'token' }, stringData: { key: 'sesame' } });
    const gateway = await start();
    expect(await helmTest(`http://127.0.0.1:1/ready`)).equal(1);
    expect(await helmTest(new URL('/ready', gateway.url).href)).equal(0);
    const token = await plane.issuer.idToken('alice@example.com');
    const alice = await mcpClient(gateway.url, { authorization: `Bearer ${token}` });
    const call = async (tool: string, args: object = {}): Promise<string> => {
      const result = await alice.callTool(tool, args as Readonly<Record<string, unknown>>);
      expect(result.isError ?? false, textOf(result)).equal(false);
      return textOf(result);
    };
    const command = [process.execPath, HOSTILE, 'plain'];
    const env = { TOKEN: '${secret:token/key}' };
    await call('core_mcpserver_create', { name: 's', type: 'stdio', command, env, autoStart: true });
    await call('core_mcpserver_create', {
      name: 'away',
      type: 'streamable-http',
      url: 'http://127.0.0.1:1/mcp',
    });
    const steps = [{ id: 'a', tool: 'core_mcpserver_list', args: {} }];
    await call('core_workflow_create', { name: 'w', description: 'one', steps });
    await call('core_workflow_update', { name: 'w', description: 'two' });
    await call('workflow_w');
    await call('workflow_w');
    const rows = await call('core_workflow_execution_list');
    const [{ execution_id }] = (JSON.parse(rows) as { executions: [{ execution_id: string }] }).executions;
    await call('core_workflow_execution_get', { execution_id });
    const runs = async (): Promise<number> =>
      (await read<{ items: readonly object[] }>('workflowexecutions', GROUP)).items.length;
    await until(async () => (await runs()) === 1, { what: 'one run is left', withinMs: 20_000 });

    const hasStatus = async (resource: string): Promise<boolean> =>
      JSON.stringify(await read(resource, GROUP)).includes('"type":"Ready"');
    await create('toolsetpresets', {
      apiVersion: GROUP,
      kind: 'ToolsetPreset',
      metadata: { name: 'p' },
      spec: { include: [{ server: 's' }] },
    });
    const spec = { groups: ['a'], toolset: ['preset:p'] };
    await create('accesses', { apiVersion: GROUP, kind: 'Access', metadata: { name: 'a' }, spec });
    for (const resource of [
      'mcpservers/s',
      'mcpservers/away',
      'workflows/w',
      'toolsetpresets/p',
      'accesses/a',
    ])
      await until(() => hasStatus(resource), { what: resource, withinMs: 20_000 });
    // The same failure again is counted by the same Event.
    await call('core_service_restart', { name: 'away' });
    const isCounted = async (): Promise<boolean> =>
      /"count":[2-9]/.test(JSON.stringify(await read('events')));
    await until(isCounted, { what: 'an Event with a count', withinMs: 20_000 });
    await call('core_workflow_delete', { name: 'w' });
    await call('core_mcpserver_delete', { name: 'away' });
    expect(await gateway.stop()).deep.equal({ code: 0, signal: null });

    const account = `system:serviceaccount:${namespace.name}:pegboard`;
    expect(used(account)).deep.equal(await granted('pegboard', 'pegboard-secrets-0'));
    expect(used(ALICE.name)).deep.equal(await granted('pegboard-workflow-editor', 'pegboard-server-editor'));
    expect(JSON.stringify(gateway.lines)).not.include('forbidden').not.include('sesame');
  });

  /** Runs what the pod of `helm test` would, against this address. @returns its exit code */
  async function helmTest(url: string): Promise<number | null> {
    const admin = plane.certificateOf('admin', 'system:masters');
    const env = { KUBECONFIG: plane.kubeconfig(admin, namespace.name) };
    const hooks = objectsIn(await helm(['get', 'hooks', 'pegboard', '--namespace', namespace.name], env));
    const [{ spec }] = hooks as unknown as readonly [
      { readonly spec: { readonly containers: readonly [HookContainer] } },
    ];
    const [{ command, args }] = spec.containers;
    const [program = '', ...options] = [...command, ...args];
    return spawnSync(program, options, { env: { ...process.env, URL: url } }).status;
  }

  /** `<group> <resource> <verb>` of each request of that user. */
  function used(name: string): readonly string[] {
    const lines = plane
      .requests()
      .filter(({ user, objectRef }) => user.username === name && objectRef?.namespace === namespace.name);
    expect(lines.filter(({ responseStatus }) => responseStatus?.code === 403)).deep.equal([]);
    const rights = lines.map(({ verb, objectRef: { apiGroup = '', resource = '', subresource } = {} }) =>
      [apiGroup, subresource === undefined ? resource : `${resource}/${subresource}`, verb].join(' '),
    );
    return [...new Set(rights)].sort();
  }
  async function granted(...names: readonly string[]): Promise<readonly string[]> {
    const roles = names.map(async (name) => {
      const { rules } = await read<{ rules: readonly Rule[] }>(
        `roles/${name}`,
        'rbac.authorization.k8s.io/v1',
      );
      return rules.flatMap(({ apiGroups, resources, verbs }) =>
        apiGroups.flatMap((group) =>
          resources.flatMap((resource) => verbs.map((verb) => `${group} ${resource} ${verb}`)),
        ),
      );
    });
    return (await Promise.all(roles)).flat().sort();
  }
});
