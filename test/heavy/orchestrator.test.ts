import { join } from 'node:path';
import { makeDirectory } from '../support/directory.ts';
import { needKube } from '../support/kube/binaries.ts';
import { controlPlane } from '../support/kube/controlPlane.ts';
import type { ControlPlane } from '../support/kube/controlPlane.ts';
import type { KubeObject } from '../support/kube/kubeClient.ts';
import type { KubeNamespace } from '../support/kube/kubeNamespace.ts';
import { installCrds } from '../support/kube/installCrds.ts';
import { servePegboard } from '../support/serve.ts';
import type { Pegboard } from '../support/serve.ts';
import { ROOT } from '../support/sources.ts';
import { until } from '../support/until.ts';
import { mcpClient } from '../contract/index.ts';

const GROUP = 'pegboard.dev/v1alpha1';
const HOSTILE = join(ROOT, 'test/plugins/upstream/fixtures/hostile.mjs');

function server(name: string, spec: object = {}): object {
  return {
    apiVersion: GROUP,
    kind: 'MCPServer',
    metadata: { name },
    spec: { type: 'stdio', command: [process.execPath, HOSTILE, 'plain'], autoStart: true, ...spec },
  };
}

describe('orchestrator mode', () => {
  let plane: ControlPlane;
  let namespace: KubeNamespace;
  let gateway: Pegboard;
  let servers: string;

  before(async function () {
    this.timeout(60_000);
    needKube(this);
    plane = await controlPlane();
    await installCrds(plane);
  });
  beforeEach(async () => {
    namespace = await plane.makeNamespace();
    servers = namespace.path('mcpservers', GROUP);
    const config = `orchestrator: true\nnamespace: ${namespace.name}\n`;
    const directory = makeDirectory({ 'config.yaml': config });
    const KUBECONFIG = plane.kubeconfig(plane.certificateOf('pegboard', 'system:masters'), namespace.name);
    gateway = await servePegboard(directory.path, [], { env: { KUBECONFIG } });
  });

  const statusOf = async (name: string): Promise<Record<string, unknown>> =>
    ((await plane.admin.get(`${servers}/${name}`)) as KubeObject & { status?: Record<string, unknown> })
      .status ?? {};

  it('takes definitions from custom resources, and writes their status', async () => {
    await plane.admin.create(servers, server('s'));
    await until(async () => (await statusOf('s'))['state'] === 'Running', { what: 'the status' });
    console.log(JSON.stringify(await statusOf('s'), null, 1));
    const client = await mcpClient(gateway.url);
    console.log(JSON.stringify(await client.callTool('core_mcpserver_list', {})));
    console.log(gateway.lines);
  });
});
