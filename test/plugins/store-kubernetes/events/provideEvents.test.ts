import { expect } from 'chai';
import type { JsonObject } from '../../../../kernel/index.ts';
import { callCore } from '../../../support/coreTools.ts';
import { makeDirectory } from '../../../support/directory.ts';
import type { Gateway } from '../../../support/gateway.ts';
import { simulatedApi } from '../../../support/kube/simulatedApi.ts';
import type { SimulatedApi } from '../../../support/kube/simulatedApi.ts';
import { metricsOf, valuesOf } from '../../../support/metrics.ts';
import { serveHere } from '../../../support/serveHere.ts';
import { until } from '../../../support/until.ts';
import { withVariables } from '../../../support/withVariables.ts';

const GROUP = 'pegboard.dev/v1alpha1';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/tools/leases';
/** More than may wait in all. */
const FLOOD = 1_200;
const MAX_OF_OBJECT = 20;

describe('orchestrator mode: Events of objects', function () {
  this.timeout(60_000);
  let api: SimulatedApi;
  let gateway: Gateway;

  beforeEach(async () => {
    api = await simulatedApi(() => true);
    for (const name of ['busy', 'calm'])
      await api.admin.create(`/apis/${GROUP}/namespaces/tools/mcpservers`, {
        apiVersion: GROUP,
        kind: 'MCPServer',
        metadata: { name },
        spec: { type: 'streamable-http', url: 'http://127.0.0.1:1/mcp', autoStart: false },
      });
    await api.admin.create(`/apis/${GROUP}/namespaces/tools/workflows`, {
      apiVersion: GROUP,
      kind: 'Workflow',
      metadata: { name: 'look' },
      spec: { steps: [{ id: 'a', tool: 'core_service_status', args: { name: 'hush' } }] },
    });
    withVariables({ KUBECONFIG: api.kubeconfig(api.certificateOf('service'), 'tools') });
    const config = { leaseSeconds: 3 };
    const settings = { orchestrator: true, namespace: 'tools', plugins: { 'store-kubernetes': { config } } };
    gateway = await serveHere(makeDirectory({ 'config.yaml': JSON.stringify(settings) }));
    await until(() => gateway.log.having('this process writes status').length > 0);
  });

  const tell = (server: string, message: string): void =>
    gateway.kernel.emit({ type: 'server.failed', server, reason: 'Told', message, severity: 'Warning' });
  const told = async (asked = 'Told'): Promise<readonly string[]> => {
    const { items = [] } = await api.admin.get('/api/v1/namespaces/tools/events');
    const events = items as readonly JsonObject[];
    return events.filter(({ reason }) => reason === asked).map(({ message }) => String(message));
  };
  const pending = (): number =>
    valuesOf(metricsOf(gateway), 'pegboard.kubernetes.writes.pending')['what=event'] ?? 0;

  it('are written though another object has more than may wait, whose latest ones wait', async () => {
    for (let at = 0; at < FLOOD; at += 1) tell('busy', `busy ${at}`);
    expect(pending()).most(MAX_OF_OBJECT + 1);
    tell('calm', 'calm');
    await until(async () => (await told()).includes('calm'), { what: 'the one of the other object' });
    expect(await told()).include(`busy ${FLOOD - MAX_OF_OBJECT}`);
  });

  it('are dropped, not written later, when another process has taken the Lease', async () => {
    for (let at = 0; at < FLOOD; at += 1) tell('busy', `busy ${at}`);
    await until(async () => (await told()).length > 0, { what: 'the first' });
    const spec = { holderIdentity: 'other', leaseDurationSeconds: 600 };
    await api.admin.ask('PATCH', `${LEASES}/pegboard`, { body: { spec } });
    await until(
      () => {
        tell('calm', 'calm');
        return pending() === 0;
      },
      { what: 'none to wait', withinMs: 8_000 },
    );
  });

  it('name a run that has failed, never the text of its error', async () => {
    const { isError, content } = await callCore(gateway, 'workflow_look');
    expect([isError, JSON.stringify(content)].join()).match(/^true,.*hush/);
    const reason = 'WorkflowExecutionFailed';
    await until(async () => (await told(reason)).length > 0, { what: 'the Event' });
    const [message] = await told(reason);
    expect(message).match(/^Workflow look failed \(execution: [0-9a-f-]{36}\)$/);
  });
});
