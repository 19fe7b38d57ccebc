import { expect } from 'chai';
import type { JsonObject } from '../../kernel/index.ts';
import { Replica } from '../soak/replica.ts';
import { makeDirectory } from '../support/directory.ts';
import { simulatedApi } from '../support/kube/simulatedApi.ts';
import type { SimulatedApi } from '../support/kube/simulatedApi.ts';
import { needRedis, startRedis } from '../support/redis.ts';
import { until } from '../support/until.ts';
import { HttpFixture } from '../plugins/upstream/httpFixture.ts';

const GROUP = 'pegboard.dev/v1alpha1';
const PATH = `/apis/${GROUP}/namespaces/tools/mcpservers`;
/** Nothing listens there. */
const AWAY = 'http://127.0.0.1:1/mcp';
const WITHIN_MS = 20_000;

interface View {
  readonly name: string;
  readonly state: string;
  readonly reason: string;
}

describe('e2e: two replicas in orchestrator mode', function () {
  this.timeout(60_000);
  let api: SimulatedApi;
  let server: HttpFixture;

  before(function () {
    needRedis(this);
  });
  beforeEach(async () => {
    api = await simulatedApi(() => true);
    server = new HttpFixture();
    server.hasSessions = false;
    await server.listen();
  });
  afterEach(() => server.kill());

  const statusOf = async (name: string): Promise<JsonObject> =>
    ((await api.admin.get(`${PATH}/${name}`)).status ?? {}) as JsonObject;
  const viewsOf = async (name: string): Promise<readonly string[]> =>
    (((await statusOf(name))['replicas'] ?? []) as View[]).map(({ state, reason }) => `${state} ${reason}`);
  const writes = (): number =>
    api.requests().filter(({ objectRef }) => objectRef?.subresource === 'status').length;

  it('tell at the object how each of them sees its server, until one of them ends', async () => {
    await api.admin.create(PATH, {
      apiVersion: GROUP,
      kind: 'MCPServer',
      metadata: { name: 's' },
      spec: { type: 'streamable-http', url: '${env:SERVER}' },
    });
    const { url } = await startRedis();
    const plugins = {
      'store-kubernetes': { config: { leaseSeconds: 3 } },
      'vault-file': false,
      'vault-redis': { config: { url } },
    };
    const settings = { orchestrator: true, namespace: 'tools', plugins };
    const directory = makeDirectory({ 'config.yaml': JSON.stringify(settings) });
    const KUBECONFIG = api.kubeconfig(api.certificateOf('service'), 'tools');
    const start = (SERVER: string): Promise<Replica> =>
      Replica.start(directory, { env: { KUBECONFIG, SERVER } });
    const first = await start(server.url);
    await until(async () => (await viewsOf('s')).join() === 'Connected Connected', {
      what: 'the view of the first',
      withinMs: WITHIN_MS,
    });
    const second = await start(AWAY);
    const both = ['Failed UpstreamUnreachable', 'Connected Connected'];
    await until(async () => (await viewsOf('s')).join() === both.join(), {
      what: 'the views of both',
      withinMs: WITHIN_MS,
    });
    const { replicas, ...status } = await statusOf('s');
    expect(status).include({ state: 'Connected', replicasReady: '1/2' });
    expect((replicas as readonly View[]).map(({ name }) => name.split('_').length)).deep.equal([2, 2]);
    const before = writes();
    const attempts = (): number =>
      second.lines.filter(({ text }) => text === 'server could not be connected').length;
    await until(() => attempts() > 1, { what: 'another attempt of the second', withinMs: WITHIN_MS });
    expect(writes()).equal(before);
    await first.end('stop');
    await until(async () => (await viewsOf('s')).join() === both[0], {
      what: 'the view of the other',
      withinMs: WITHIN_MS,
    });
    expect((await statusOf('s'))['replicasReady']).equal('0/1');
    await second.end('stop');
  });
});
