import { expect } from 'chai';
import type { JsonObject } from '../../../../kernel/index.ts';
import { makeDirectory } from '../../../support/directory.ts';
import type { Gateway } from '../../../support/gateway.ts';
import { simulatedApi } from '../../../support/kube/simulatedApi.ts';
import type { SimulatedApi } from '../../../support/kube/simulatedApi.ts';
import { metricsOf, valuesOf } from '../../../support/metrics.ts';
import { serveHere } from '../../../support/serveHere.ts';
import { until } from '../../../support/until.ts';
import { withVariables } from '../../../support/withVariables.ts';
import { HttpFixture } from '../../upstream/httpFixture.ts';

const GROUP = 'pegboard.dev/v1alpha1';
const PATH = `/apis/${GROUP}/namespaces/tools/mcpservers`;
const SERVERS = 4;
const EDITS_OF_EACH = 40;
const NAMES = Array.from({ length: SERVERS }, (_, at) => `s${at}`);
/** What an object may have in the time of a test: first writes, then one in five or ten seconds. */
const MAX_OF_OBJECT = { status: 5, event: 10 };

describe('orchestrator mode: status and Events of a flood of edits', () => {
  let api: SimulatedApi;
  let server: HttpFixture;
  let gateway: Gateway;

  const writes = (): readonly string[] =>
    api
      .requests()
      .filter(({ user, verb }) => user.username === 'service' && ['create', 'patch'].includes(verb))
      .flatMap(({ objectRef }) =>
        objectRef?.resource === 'events' ? ['event'] : objectRef?.subresource === 'status' ? ['status'] : [],
      );
  const statusOf = async (name: string): Promise<JsonObject> =>
    ((await api.admin.get(`${PATH}/${name}`)).status ?? {}) as JsonObject;
  const isReady = async (name: string, generation: number): Promise<boolean> => {
    const { observedGeneration, state } = await statusOf(name);
    return state === 'Connected' && observedGeneration === generation;
  };

  beforeEach(async () => {
    api = await simulatedApi(() => true);
    server = new HttpFixture();
    server.hasSessions = false;
    await server.listen();
    for (const name of NAMES)
      await api.admin.create(PATH, {
        apiVersion: GROUP,
        kind: 'MCPServer',
        metadata: { name },
        spec: { type: 'streamable-http', url: server.url },
      });
    withVariables({ KUBECONFIG: api.kubeconfig(api.certificateOf('service'), 'tools') });
    const settings = { orchestrator: true, namespace: 'tools' };
    gateway = await serveHere(makeDirectory({ 'config.yaml': JSON.stringify(settings) }));
  });
  afterEach(() => server.kill());

  it('share few writes, and the last status arrives', async () => {
    await until(() => isReady('s0', 1), { what: 'the first status' });
    const begun = performance.now();
    let most = 0;
    const look = (): void => {
      const { 'what=status': pending = 0 } = valuesOf(
        metricsOf(gateway),
        'pegboard.kubernetes.writes.pending',
      );
      most = Math.max(most, pending);
    };
    for (let edit = 0; edit < EDITS_OF_EACH; edit += 1) {
      const body = { spec: { headers: { 'X-Edit': String(edit) } } };
      await Promise.all(NAMES.map((name) => api.admin.ask('PATCH', `${PATH}/${name}`, { body })));
      look();
    }
    for (const name of NAMES)
      await until(() => (look(), isReady(name, 1 + EDITS_OF_EACH)), { what: `the last status of ${name}` });
    const seconds = (performance.now() - begun) / 1_000;
    const count = (what: string): number => writes().filter((one) => one === what).length;
    expect(count('status')).most(SERVERS * (MAX_OF_OBJECT.status + 1 + seconds / 5));
    expect(count('event')).most(SERVERS * (MAX_OF_OBJECT.event + 1 + seconds / 10));
    expect(most).within(1, SERVERS);
  });
});
