import { expect } from 'chai';
import type { JsonObject } from '../../../kernel/index.ts';
import { callCore } from '../../support/coreTools.ts';
import { makeDirectory } from '../../support/directory.ts';
import type { Gateway } from '../../support/gateway.ts';
import { simulatedApi } from '../../support/kube/simulatedApi.ts';
import type { SimulatedApi } from '../../support/kube/simulatedApi.ts';
import { serveHere } from '../../support/serveHere.ts';
import { until } from '../../support/until.ts';
import { withVariables } from '../../support/withVariables.ts';

const GROUP = 'pegboard.dev/v1alpha1';
const SERVERS = `/apis/${GROUP}/namespaces/tools/mcpservers`;
const PATHS = {
  deployments: '/apis/apps/v1/namespaces/tools/deployments',
  networkpolicies: '/apis/networking.k8s.io/v1/namespaces/tools/networkpolicies',
  serviceaccounts: '/api/v1/namespaces/tools/serviceaccounts',
  secrets: '/api/v1/namespaces/tools/secrets',
  pods: '/api/v1/namespaces/tools/pods',
};
const SPEC = {
  type: 'stdio',
  runsIn: 'pod',
  image: `ghcr.io/acme/files@sha256:${'a'.repeat(64)}`,
  command: ['files', '$(HOME)'],
  timeout: 2,
};
const CONFIG = { image: 'pegboard:1', gatewayLabels: { app: 'pegboard' }, everySeconds: 1 };

describe('pods of stdio servers, at a simulated API', function () {
  this.timeout(60_000);
  let api: SimulatedApi;
  let gateway: Gateway;

  beforeEach(async () => {
    api = await simulatedApi(() => true);
    withVariables({ KUBECONFIG: api.kubeconfig(api.certificateOf('service'), 'tools') });
  });
  const start = async (config: object | false = CONFIG): Promise<void> => {
    const plugins = config === false ? {} : { pods: { config } };
    const settings = { orchestrator: true, namespace: 'tools', plugins };
    gateway = await serveHere(makeDirectory({ 'config.yaml': JSON.stringify(settings) }));
  };
  const add = (name: string, spec: object = SPEC): Promise<unknown> =>
    api.admin.create(SERVERS, { apiVersion: GROUP, kind: 'MCPServer', metadata: { name }, spec });
  const all = async (plural: keyof typeof PATHS): Promise<readonly JsonObject[]> =>
    (await api.admin.get(PATHS[plural])).items ?? [];
  const one = async (plural: keyof typeof PATHS): Promise<JsonObject> => {
    await until(async () => (await all(plural)).length > 0, { what: plural, withinMs: 15_000 });
    return (await all(plural))[0] ?? {};
  };
  const status = async (): Promise<string> =>
    JSON.stringify(await callCore(gateway, 'core_service_status', { name: 's' }));

  it('lets the gateway in alone, and the server out as far as it is granted', async () => {
    await add('s');
    await start({ ...CONFIG, gatewayNamespace: 'front' });
    const from = [
      {
        podSelector: { matchLabels: { app: 'pegboard' } },
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'front' } },
      },
    ];
    const { spec } = await one('networkpolicies');
    expect(spec).deep.equal({
      podSelector: { matchLabels: { 'pegboard.dev/server': 'mcp-s' } },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [
        { from, ports: [{ port: 8443, protocol: 'TCP' }] },
        { ports: [{ port: 8444, protocol: 'TCP' }] },
      ],
    });
    await api.admin.ask('PATCH', `${SERVERS}/s`, { body: { spec: { grants: { network: 'all' } } } });
    await until(async () => JSON.stringify(await one('networkpolicies')).includes('169.254.0.0/16'), {
      withinMs: 15_000,
    });
  });

  it('lets a server out to the addresses that are listed, and to names only through a listed port 53', async () => {
    const network = ['10.1.2.3/8:5432', '0.0.0.0/0:443', '[fd00::7]:443', '[::/0]:8080', '10.96.0.10:53'];
    await add('s', { ...SPEC, grants: { network } });
    await start();
    const { spec } = await one('networkpolicies');
    const tcp = (port: number): object => ({ port, protocol: 'TCP' });
    const ofIpv4 = ['169.254.0.0/16', '168.63.129.16/32', '100.100.100.200/32'];
    const ofIpv6 = [
      ...['64:ff9b::a9fe:0/112', '64:ff9b::a83f:8110/128', '64:ff9b::6464:64c8/128', 'fe80::/10'],
      ...['fd00:ec2::/64', 'fd20:ce::/64', 'fd00:42::/64', 'fd00:c1::/64', 'fd00:a9fe:a9fe::/64'],
    ];
    expect((spec as JsonObject)['egress']).deep.equal([
      { to: [{ ipBlock: { cidr: '10.0.0.0/8' } }], ports: [tcp(5432)] },
      { to: [{ ipBlock: { cidr: '0.0.0.0/0', except: ofIpv4 } }], ports: [tcp(443)] },
      { to: [{ ipBlock: { cidr: 'fd00::7/128' } }], ports: [tcp(443)] },
      { to: [{ ipBlock: { cidr: '::/0', except: ofIpv6 } }], ports: [tcp(8080)] },
      { to: [{ ipBlock: { cidr: '10.96.0.10/32' } }], ports: [{ port: 53, protocol: 'UDP' }, tcp(53)] },
    ]);
    await api.admin.ask('PATCH', `${SERVERS}/s`, { body: { spec: { grants: { network: [] } } } });
    await until(async () => ((await one('networkpolicies'))['spec'] as JsonObject)['egress'] === undefined, {
      what: 'no egress',
    });
  });

  it('gives names that are long or have dots a name of their own, and labels that select no other', async () => {
    const long = `${'a'.repeat(45)}.b`;
    await add('a.b');
    await add('a-b');
    await add(long);
    await start();
    await until(async () => (await all('deployments')).length === 3, { withinMs: 15_000 });
    const names = (await all('deployments')).map(({ metadata }) => (metadata as { name: string }).name);
    expect(names.sort()[0]).equal('mcp-a-b');
    expect(new Set(names).size).equal(3);
    for (const name of names) expect(name.length).most(49);
  });

  it('gives no server the name of the objects of another one, whatever its name is', async () => {
    await add('a.b');
    await start();
    const { metadata } = await one('deployments');
    const { name } = metadata as { readonly name: string };
    await add(name.slice('mcp-'.length));
    await until(async () => (await all('deployments')).length === 2, { withinMs: 15_000 });
  });

  it('gives a server dollars as they are written', async () => {
    await add('s', { ...SPEC, command: ['sh', '-c', 'echo $$ $$(HOME) $A'] });
    await start();
    expect(JSON.stringify(await one('deployments'))).include('echo $$$$ $$$$(HOME) $$A');
  });

  it('keeps words of the command from being expanded, and texts of env from the Deployment', async () => {
    await add('s', { ...SPEC, env: { TOKEN: 'a text' } });
    await start();
    const text = JSON.stringify(await one('deployments'));
    expect(text).include('"$$(HOME)"').include('PEGBOARD_ENV_TOKEN').not.include('a text');
    const { data } = await one('secrets');
    const { key = '', 'env.TOKEN': token = '' } = data as Readonly<Record<string, string>>;
    expect(Buffer.from(token, 'base64').toString()).equal('a text');
    expect(Buffer.from(key, 'base64').toString()).match(/^[0-9a-f]{64}$/);
  });

  it('lets a definition lower the limits of the operator, and never raise them', async () => {
    await add('more', { ...SPEC, grants: { memoryMb: 0, cpus: 64 } });
    await add('less', { ...SPEC, grants: { memoryMb: 100, cpus: 0.25 } });
    await add('same');
    await start({ ...CONFIG, memoryMb: 700, cpus: 1.5 });
    await until(async () => (await all('deployments')).length === 3, { what: 'the Deployments' });
    const limits = new Map(
      (await all('deployments')).map(({ metadata, spec }) => {
        const { template } = spec as { template: { spec: { containers: JsonObject[] } } };
        const { resources } = template.spec.containers[0] as { resources: { limits: unknown } };
        return [(metadata as { name: string }).name, resources.limits];
      }),
    );
    expect(Object.fromEntries(limits)).deep.equal({
      'mcp-more': { cpu: '1500m', memory: '700Mi' },
      'mcp-less': { cpu: '250m', memory: '100Mi' },
      'mcp-same': { cpu: '1500m', memory: '700Mi' },
    });
  });

  it('makes no pod while something that confines it cannot be made', async () => {
    api.dropKind('networkpolicies');
    await add('s');
    await start();
    await until(() => gateway.log.having('pods of servers cannot be kept as defined').length > 0, {
      withinMs: 15_000,
    });
    expect(await all('deployments')).deep.equal([]);
  });

  it('says why no pod is ready, and shows the log of one', async () => {
    await add('s', { ...SPEC, autoStart: true });
    await start();
    await api.admin.create(PATHS.pods, {
      metadata: { name: 'mcp-s-1', labels: { 'pegboard.dev/server': 'mcp-s' } },
      status: {
        conditions: [
          { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes' },
        ],
      },
    });
    await until(async () => (await status()).includes('Unschedulable: 0/3 nodes'), { withinMs: 30_000 });
    await until(
      async () =>
        JSON.stringify(await callCore(gateway, 'core_server_logs', { server: 's' })).includes('mcp-s-1'),
      {
        withinMs: 30_000,
      },
    );
  });

  it('hides texts of env in the log of a pod that was never reached, also those that begin like a reference', async () => {
    const env = { TOKEN: 'sk-1234567890abcdef', ODD_SECRET: '${odd}-0987654321fedcba' };
    await add('s', { ...SPEC, env, autoStart: true });
    // Its log at this API is the pod as JSON.
    await api.admin.create(PATHS.pods, {
      metadata: {
        name: 'mcp-s-1',
        labels: { 'pegboard.dev/server': 'mcp-s' },
        annotations: { said: Object.values(env).join(' ') },
      },
    });
    await start();
    const logs = async (): Promise<string> =>
      JSON.stringify(await callCore(gateway, 'core_server_logs', { server: 's' }));
    await until(async () => (await logs()).includes('mcp-s-1'), { what: 'the log' });
    for (const text of Object.values(env)) {
      expect(await logs()).not.include(text);
      expect(JSON.stringify(gateway.log.records)).not.include(text);
    }
  });

  describe('whose definitions or keys change', () => {
    const keys = (...letters: readonly string[]): string => {
      const ring = letters.map((letter) => ({
        id: letter.repeat(8),
        key: Buffer.alloc(32, letter).toString('base64'),
      }));
      return makeDirectory({ 'keys.json': JSON.stringify({ keys: ring }) }).at('keys.json');
    };
    const startAs = async (user: string, file: string): Promise<Gateway> => {
      const KUBECONFIG = api.kubeconfig(api.certificateOf(user), 'tools');
      withVariables({ KUBECONFIG, PEGBOARD_KEYS_FILE: file });
      await start();
      return gateway;
    };
    const writesOf = (user: string): readonly string[] =>
      api
        .requests()
        .filter(
          ({ verb, user: by, objectRef }) =>
            by.username === user &&
            ['create', 'update', 'delete'].includes(verb) &&
            Object.keys(PATHS).includes(objectRef?.resource ?? ''),
        )
        .map(({ verb, objectRef }) => `${verb} ${objectRef?.resource ?? ''}`);
    const counts = async (): Promise<string> => {
      const plurals = ['deployments', 'networkpolicies', 'serviceaccounts', 'secrets'] as const;
      return String(await Promise.all(plurals.map(async (plural) => (await all(plural)).length)));
    };
    const made = (wanted: string): Promise<unknown> =>
      until(async () => (await counts()) === wanted, { what: wanted, withinMs: 20_000 });

    it('cleans up what another process has left behind, the Secret too', async () => {
      const file = keys('a');
      await add('s');
      const first = await startAs('first', file);
      await made('1,1,1,1');
      await first.stop();
      await api.admin.ask('PATCH', `${SERVERS}/s`, { body: { spec: { runsIn: 'gateway', image: null } } });
      await startAs('second', file);
      await made('0,0,0,0');
    });

    it('removes the Secret of a key of the vault that is not the first any more', async () => {
      await add('s');
      const first = await startAs('first', keys('a'));
      await made('1,1,1,1');
      const before = (await one('secrets'))['metadata'];
      await first.stop();
      await startAs('second', keys('b', 'a'));
      await until(() => writesOf('second').includes('delete secrets'), { withinMs: 15_000 });
      await made('1,1,1,1');
      expect((await one('secrets'))['metadata']).not.deep.equal(before);
    });

    it('lets what confines a pod go after the pod', async () => {
      await add('s');
      await start();
      await made('1,1,1,1');
      const metadata = {
        name: 'mcp-s-1',
        labels: { 'pegboard.dev/server': 'mcp-s', 'app.kubernetes.io/managed-by': 'pegboard-pods' },
      };
      await api.admin.create(PATHS.pods, { metadata });
      await api.admin.ask('PATCH', `${SERVERS}/s`, { body: { spec: { runsIn: 'gateway', image: null } } });
      await made('0,1,1,1');
      // Each list is that of another round.
      const lists = (): number =>
        api.requests().filter(({ verb, objectRef }) => verb === 'list' && objectRef?.resource === 'pods')
          .length;
      const from = lists();
      await until(() => lists() > from + 1, { withinMs: 15_000 });
      expect(await counts()).equal('0,1,1,1');
      await api.admin.delete(`${PATHS.pods}/mcp-s-1`);
      await made('0,0,0,0');
    });

    it('keeps the finalizers of others when it repairs', async () => {
      await add('s');
      await start();
      await made('1,1,1,1');
      const path = `${PATHS.networkpolicies}/mcp-s`;
      const finalizers = ['example.com/hold'];
      await api.admin.ask('PATCH', path, { body: { metadata: { finalizers }, spec: { ingress: [] } } });
      await until(async () => JSON.stringify(await one('networkpolicies')).includes('8443'), {
        withinMs: 15_000,
      });
      expect(JSON.stringify(await one('networkpolicies'))).include('example.com/hold');
    });
  });

  it('starts no such server while it is off, and never as a process of the gateway', async () => {
    await add('s', { ...SPEC, autoStart: true });
    await start(false);
    await until(async () => (await status()).includes('no plugin that makes pods runs'), {
      withinMs: 15_000,
    });
    expect(await all('deployments')).deep.equal([]);
  });

  it('does not start without its image and the labels of the gateway', async () => {
    const settings = { orchestrator: true, namespace: 'tools', plugins: { pods: { config: {} } } };
    const said = await serveHere(makeDirectory({ 'config.yaml': JSON.stringify(settings) })).catch(String);
    expect(said).match(/the configuration has 2 problem/);
  });
});
