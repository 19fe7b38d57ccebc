import { expect } from 'chai';
import { makeDirectory } from '../support/directory.ts';
import { simulatedApi } from '../support/kube/simulatedApi.ts';
import type { SimulatedApi } from '../support/kube/simulatedApi.ts';
import { servePegboard } from '../support/serve.ts';
import type { Pegboard } from '../support/serve.ts';
import { until } from '../support/until.ts';

const GROUP = 'pegboard.dev/v1alpha1';
const SERVERS = `/apis/${GROUP}/namespaces/tools/mcpservers`;
const POLICIES = '/apis/networking.k8s.io/v1/namespaces/tools/networkpolicies';
const SECRETS = '/api/v1/namespaces/tools/secrets';
const OBJECTS = ['deployments', 'networkpolicies', 'serviceaccounts', 'secrets'];
const YAML = `orchestrator: true
namespace: tools
plugins: { pods: { config: { image: 'pegboard:1', gatewayLabels: { app: pegboard }, everySeconds: 1 } } }
`;

describe('e2e: two replicas that keep pods of servers', () => {
  let api: SimulatedApi;
  let keys: string;

  beforeEach(async () => {
    api = await simulatedApi(() => true);
    const ring = [{ id: 'a'.repeat(8), key: Buffer.alloc(32, 'a').toString('base64') }];
    keys = makeDirectory({ 'keys.json': JSON.stringify({ keys: ring }) }).at('keys.json');
  });
  const start = (user: string): Promise<Pegboard> =>
    servePegboard(makeDirectory({ 'config.yaml': YAML }).path, [], {
      env: {
        KUBECONFIG: api.kubeconfig(api.certificateOf(user), 'tools'),
        PEGBOARD_KEYS_FILE: keys,
      },
    });
  const writesOf = (user: string): readonly string[] =>
    api
      .requests()
      .filter(({ user: by, verb }) => by.username === user && ['create', 'update', 'delete'].includes(verb))
      .filter(({ objectRef }) => OBJECTS.includes(objectRef?.resource ?? ''))
      .map(({ verb, objectRef }) => `${verb} ${objectRef?.resource ?? ''}`);
  const isRepaired = async (): Promise<void> => {
    await api.admin.delete(`${POLICIES}/mcp-s`);
    await until(async () => ((await api.admin.get(POLICIES)).items ?? []).length === 1, {
      what: 'the policy',
      withinMs: 20_000,
    });
  };

  it('write objects in the one that holds the Lease, and after it in the other, with the same key', async () => {
    const first = await start('first');
    await first.logged('this process writes status and Events from now on');
    const second = await start('second');
    await api.admin.create(SERVERS, {
      apiVersion: GROUP,
      kind: 'MCPServer',
      metadata: { name: 's' },
      spec: { type: 'stdio', runsIn: 'pod', image: `a@sha256:${'a'.repeat(64)}`, command: ['a'] },
    });
    await until(() => writesOf('first').includes('create deployments'), { withinMs: 20_000 });
    await isRepaired();
    await isRepaired();
    expect(writesOf('second')).deep.equal([]);
    const secrets = async (): Promise<string> =>
      JSON.stringify(
        (await api.admin.get(SECRETS)).items?.map(({ metadata, data }) => [metadata.name, data]),
      );
    const before = await secrets();
    await first.stop();
    const written = writesOf('first').length;
    await second.logged('this process writes status and Events from now on');
    await isRepaired();
    await isRepaired();
    expect(writesOf('second')).include('create networkpolicies');
    expect(writesOf('first').length).equal(written);
    expect(await secrets()).equal(before);
  });
});
