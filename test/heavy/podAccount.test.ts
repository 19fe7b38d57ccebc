import { expect } from 'chai';
import { makeDirectory } from '../support/directory.ts';
import { asPod } from '../support/kube/asPod.ts';
import type { ControlPlane } from '../support/kube/controlPlane.ts';
import { planeWithCrds } from '../support/kube/planeWithCrds.ts';
import type { KubeNamespace, ServiceAccount } from '../support/kube/kubeNamespace.ts';
import { SERVICE_RULES } from '../support/kube/serviceUser.ts';
import { needRoot } from '../support/needRoot.ts';
import { servePegboard } from '../support/serve.ts';
import type { Pegboard } from '../support/serve.ts';
import { until } from '../support/until.ts';

const GROUP = 'pegboard.dev/v1alpha1';

describe('orchestrator mode with the service account of a pod', () => {
  let plane: ControlPlane;
  let namespace: KubeNamespace;
  let account: ServiceAccount;

  before(async function () {
    needRoot(this);
    plane = await planeWithCrds(this);
  });
  beforeEach(async () => {
    namespace = await plane.makeNamespace();
    account = await namespace.addServiceAccount('pegboard');
    await namespace.grant({ kind: 'ServiceAccount', name: account.name }, SERVICE_RULES);
  });

  const serve = (): Promise<Pegboard> => {
    const text = `orchestrator: true\nnamespace: ${namespace.name}\n`;
    return servePegboard(makeDirectory({ 'config.yaml': text }).path, [], {
      env: { ...plane.env },
      within: asPod(account.directory),
    });
  };
  const servers = (): string => namespace.path('mcpservers', GROUP);
  const observed = async (name: string): Promise<unknown> => {
    const { status, metadata } = await plane.admin.get(`${servers()}/${name}`);
    const { observedGeneration } = (status ?? {}) as { readonly observedGeneration?: number };
    return observedGeneration === metadata['generation'];
  };

  it('reads definitions and writes status, also after the token has been replaced', async () => {
    const gateway = await serve();
    await gateway.logged('definitions are custom resources');
    const spec = { type: 'streamable-http', url: 'http://127.0.0.1:1/mcp' };
    const kind = { apiVersion: GROUP, kind: 'MCPServer' };
    await plane.admin.create(servers(), { ...kind, metadata: { name: 'one' }, spec });
    await until(() => observed('one'), { what: 'its status', withinMs: 20_000 });
    const before = account.token();
    await account.rotateToken();
    const isRefused = async (): Promise<boolean> =>
      (await plane.as({ token: before }).ask('GET', servers())).status === 401;
    await until(isRefused, { what: 'the refusal of the former token', withinMs: 90_000 });
    await plane.admin.ask('PATCH', `${servers()}/one`, { body: { spec: { description: 'edited' } } });
    await until(() => observed('one'), { what: 'the status of the edit', withinMs: 20_000 });
    // A watch may be interrupted by an API server that has just been restarted; no token may be refused.
    const said = gateway.lines.map((line) => JSON.stringify({ ...line, time: undefined }));
    const refusals = said.filter((line) => /\b401\b|unauthorized/i.test(line));
    expect(refusals).deep.equal([]);
  });
});
