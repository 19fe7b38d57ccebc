import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { KUBECTL } from '../support/kube/binaries.ts';
import type { ControlPlane } from '../support/kube/controlPlane.ts';
import { planeWithCrds } from '../support/kube/planeWithCrds.ts';
import type { KubeObject } from '../support/kube/kubeClient.ts';
import type { KubeNamespace } from '../support/kube/kubeNamespace.ts';
import { startOrchestrated } from '../support/kube/orchestratedGateway.ts';
import { askCore } from '../support/coreTools.ts';
import { until } from '../support/until.ts';
import type { Orchestrated } from '../support/kube/orchestratedGateway.ts';

const GROUP = 'pegboard.dev/v1alpha1';
/** Nothing listens there. */
const AWAY = { type: 'streamable-http', url: 'http://127.0.0.1:1/mcp' };

interface KubeEvent extends KubeObject {
  readonly reason: string;
  readonly type: string;
  readonly count: number;
  readonly message: string;
  readonly involvedObject: { readonly kind: string; readonly name: string; readonly uid: string };
}

describe('orchestrator mode: Events', () => {
  let plane: ControlPlane;
  let namespace: KubeNamespace;
  let servers: string;
  let gateway: Orchestrated;
  before(async function () {
    plane = await planeWithCrds(this);
  });
  beforeEach(async () => {
    namespace = await plane.makeNamespace();
    servers = namespace.path('mcpservers', GROUP);
    gateway = await startOrchestrated(plane, namespace);
    await until(() => gateway.auth.gateway.log.having('this process writes status').length > 0);
  });
  const add = async (name: string, spec: object = AWAY): Promise<string> => {
    const object = { apiVersion: GROUP, kind: 'MCPServer', metadata: { name }, spec };
    return String((await plane.admin.create(servers, object)).metadata.uid);
  };
  const events = async (): Promise<readonly KubeEvent[]> =>
    ((await plane.admin.get(namespace.path('events'))).items ?? []) as readonly KubeEvent[];
  const found = async (reason: string): Promise<KubeEvent> => {
    let event: KubeEvent | undefined;
    await until(async () => (event = (await events()).find((one) => one.reason === reason)) !== undefined, {
      what: reason,
      withinMs: 10_000,
    });
    return event as KubeEvent;
  };

  it('are about the object, in kubectl describe, and in core_events too', async () => {
    const uid = await add('away');
    const failed = await found('MCPServerFailed');
    expect(failed).include({ type: 'Warning' });
    expect(failed.involvedObject).include({ kind: 'MCPServer', name: 'away', uid });
    const KUBECONFIG = plane.kubeconfig(plane.certificateOf('admin', 'system:masters'), namespace.name);
    const { stdout } = await promisify(execFile)(KUBECTL, ['describe', 'mcpserver', 'away'], {
      env: { ...process.env, KUBECONFIG },
    });
    expect(stdout).include('MCPServerFailed').include('ECONNREFUSED');
    expect(JSON.stringify(await askCore(gateway.auth.gateway, 'core_events'))).include('MCPServerFailed');
  });

  it('are one Event with a count if they are equal', async () => {
    await add('away');
    await found('MCPServerFailed');
    const tell = (message: string): void => {
      const notice = { server: 'away', reason: 'Told', message, severity: 'Normal' } as const;
      gateway.auth.gateway.kernel.emit({ type: 'server.healthCheckFailed', ...notice });
    };
    const told = async (): Promise<readonly string[]> =>
      (await events())
        .filter(({ reason }) => reason === 'Told')
        .map(({ message, count }) => `${count} ${message}`)
        .sort();
    for (const message of ['same', 'same', 'other']) tell(message);
    await until(async () => (await told()).join() === '1 other,2 same', { what: 'two at once' });
    tell('same');
    await until(async () => (await told()).join() === '1 other,3 same', { what: 'a later one' });
  });

  it('warn of a definition that is refused, with the place, once for each edit', async () => {
    await add('wrong', { ...AWAY, includeTools: ['[z-a'] });
    const refused = await found('ConfigInvalid');
    expect(refused).include({ type: 'Warning', count: 1 });
    expect(refused.message).include('mcpservers/wrong spec.includeTools[0]');
    await add('other');
    await until(async () => (await events()).some(({ involvedObject }) => involvedObject.name === 'other'));
    expect(await found('ConfigInvalid')).include({ count: 1 });
  });
});
