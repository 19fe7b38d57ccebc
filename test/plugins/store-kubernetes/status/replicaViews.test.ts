import { mkdirSync } from 'node:fs';
import { expect } from 'chai';
import { definePlugin } from '../../../../kernel/index.ts';
import type { JsonObject } from '../../../../kernel/index.ts';
import { Channel } from '../../../../plugins/contracts/processes.ts';
import { ServiceSource } from '../../../../plugins/contracts/services.ts';
import { defer } from '../../../support/cleanup.ts';
import { makeDirectory } from '../../../support/directory.ts';
import { FakeBus } from '../../../support/fakeBus.ts';
import { bootGateway, moduleOf } from '../../../support/gateway.ts';
import { simulatedApi } from '../../../support/kube/simulatedApi.ts';
import type { SimulatedApi } from '../../../support/kube/simulatedApi.ts';
import { peerOn } from '../../../support/peers.ts';
import { until } from '../../../support/until.ts';
import { withVariables } from '../../../support/withVariables.ts';
import { HttpFixture } from '../../upstream/httpFixture.ts';

const GROUP = 'pegboard.dev/v1alpha1';
const PATH = `/apis/${GROUP}/namespaces/tools/mcpservers`;
const TOPIC = 'kubernetes-status';
const LOOK_MS = 30_000;
const FAILED = {
  state: 'Failed',
  reason: 'UpstreamUnreachable',
  ready: false,
  since: '2026-11-30T10:00:00Z',
};

describe('orchestrator mode: how the replicas see a server', () => {
  let api: SimulatedApi;
  let server: HttpFixture;
  let bus: FakeBus;
  let asked: JsonObject[];
  let look: () => void;
  /** How often the list of all services was read. */
  let lists: number;

  const statusOf = async (name: string): Promise<JsonObject> =>
    ((await api.admin.get(`${PATH}/${name}`)).status ?? {}) as JsonObject;
  const reaches = (replicasReady: string | undefined): Promise<unknown> =>
    until(async () => (await statusOf('s'))['replicasReady'] === replicasReady, {
      what: `${replicasReady} in status`,
    });
  const tell = (id: string, message: JsonObject): void =>
    (bus.scopeOf(id).find(Channel) as Channel).publish(TOPIC, { id, name: `pod-${id}_1`, ...message });
  const writes = (): number =>
    api.requests().filter(({ objectRef }) => objectRef?.subresource === 'status').length;

  beforeEach(async () => {
    api = await simulatedApi(() => true);
    server = new HttpFixture();
    server.hasSessions = false;
    await server.listen();
    await api.admin.create(PATH, {
      apiVersion: GROUP,
      kind: 'MCPServer',
      metadata: { name: 's' },
      spec: { type: 'streamable-http', url: server.url },
    });
    bus = new FakeBus();
    asked = [];
    (bus.scopeOf('watcher').find(Channel) as Channel).subscribe(TOPIC, {
      message: (message) => void asked.push(message),
    });
    look = intervalsOf(LOOK_MS);
    withVariables({ KUBECONFIG: api.kubeconfig(api.certificateOf('service'), 'tools') });
    const plugin = peerOn(bus, 'own');
    lists = 0;
    const counter = definePlugin({
      name: 'test-counter',
      api: 1,
      configSchema: {},
      provides: [ServiceSource],
      apply: (scope) => {
        const services = (): readonly never[] => ((lists += 1), []);
        scope.provide(ServiceSource, { services });
      },
    });
    const settings = {
      orchestrator: true,
      namespace: 'tools',
      aggregator: { port: 0 },
      plugins: {
        [plugin.name]: { module: './peer.mjs' },
        [counter.name]: { module: './counter.mjs' },
      },
    };
    const directory = makeDirectory({
      'config.yaml': JSON.stringify(settings),
      'peer.mjs': moduleOf(plugin),
      'counter.mjs': moduleOf(counter),
    });
    mkdirSync(directory.at('state'), { mode: 0o700 });
    await bootGateway({ directory, builtIns: 'all' });
    await reaches('1/1');
  });
  afterEach(() => server.kill());

  it('lists ten of them, those first that are not ready, and says how many are left out; what is told again is not written', async () => {
    const ids = Array.from({ length: 12 }, (_, at) => String.fromCharCode(97 + at));
    for (const id of ids) tell(id, { kind: 'seen', servers: [['s', FAILED]] });
    await reaches('1/13');
    const { replicas, replicasLeftOut } = await statusOf('s');
    const listed = ids.slice(0, 10).map((id) => ({ name: `pod-${id}_1`, ...FAILED }));
    expect({ replicas, replicasLeftOut }).deep.equal({ replicas: listed, replicasLeftOut: 3 });
    const before = writes();
    for (const id of [...ids, 'z']) tell(id, { kind: 'seen', servers: [['s', FAILED]] });
    await reaches('1/14');
    expect(writes() - before).equal(1);
  });

  it('takes one off that has ended, that lives no more, and that has no such server any more', async () => {
    for (const id of ['a', 'b', 'c']) tell(id, { kind: 'seen', servers: [['s', FAILED]] });
    await reaches('1/4');
    tell('a', { kind: 'ended' });
    await reaches('1/3');
    bus.ended.add('b');
    look();
    await reaches('1/2');
    tell('c', { kind: 'seen', servers: [['s', null]] });
    await reaches('1/1');
  });

  it('asks all when it begins to write and may have missed messages, later those that it does not know; and tells its own view', async () => {
    tell('a', { kind: 'seen', servers: [['s', FAILED]] });
    await reaches('1/2');
    asked.length = 0;
    bus.gap();
    look();
    await until(() => asked.length === 2, { what: 'its questions' });
    expect(asked).deep.equal([
      { kind: 'ask', known: [] },
      { kind: 'ask', known: ['a'] },
    ]);
    asked.length = 0;
    tell('a', { kind: 'ask', known: ['own'] });
    tell('a', { kind: 'ask', known: [] });
    const seen = (): readonly JsonObject[] => asked.filter(({ kind }) => kind === 'seen');
    expect(seen()).have.length(1);
    const [[name, view]] = seen()[0]?.['servers'] as readonly [readonly [string, JsonObject]];
    expect(name).equal('s');
    expect(view).include({ state: 'Connected', reason: 'Connected', ready: true });
  });

  it('looks at all of many servers without a list of all services for each', async () => {
    const spec = { type: 'streamable-http', url: server.url, suspended: true };
    const names = Array.from({ length: 100 }, (_, at) => `many-${at}`);
    await Promise.all(
      names.map((name) =>
        api.admin.create(PATH, { apiVersion: GROUP, kind: 'MCPServer', metadata: { name }, spec }),
      ),
    );
    const toldOf = (): number =>
      asked.filter(({ kind }) => kind === 'seen').flatMap(({ servers }) => servers as unknown[]).length;
    await until(() => toldOf() >= names.length, { what: 'the views of all' });
    asked.length = 0;
    lists = 0;
    await api.admin.create(PATH, {
      apiVersion: GROUP,
      kind: 'MCPServer',
      metadata: { name: 'more' },
      spec,
    });
    await until(() => toldOf() > 0, { what: 'the view of one more' });
    expect(lists).below(names.length);
  });
});

/** @returns what runs the intervals of that length, which begin after this and do not run by themselves */
function intervalsOf(length: number): () => void {
  const { setInterval } = globalThis;
  const held: (() => void)[] = [];
  const none = setTimeout(() => undefined);
  const set = (run: () => void, ms?: number): NodeJS.Timeout => {
    if (ms !== length) return setInterval(run, ms);
    held.push(run);
    return none;
  };
  Object.assign(globalThis, { setInterval: set });
  defer(() => void Object.assign(globalThis, { setInterval }));
  return () => {
    for (const run of held) run();
  };
}
