import { expect } from 'chai';
import { mcpClient } from '../contract/index.ts';
import type { McpClient } from '../contract/index.ts';
import { makeDirectory } from '../support/directory.ts';
import type { ControlPlane } from '../support/kube/controlPlane.ts';
import { planeWithCrds } from '../support/kube/planeWithCrds.ts';
import type { KubeObject } from '../support/kube/kubeClient.ts';
import type { KubeNamespace, Rule } from '../support/kube/kubeNamespace.ts';
import { SERVICE_RULES, serviceUser } from '../support/kube/serviceUser.ts';
import { servePegboard } from '../support/serve.ts';
import type { Pegboard } from '../support/serve.ts';
import { until } from '../support/until.ts';

const GROUP = 'pegboard.dev/v1alpha1';
const HOUR_MS = 3_600_000;
const ROW = 'pegboard.dev/row';
const KEYS = JSON.stringify({ keys: [{ id: '0badcafe', key: Buffer.alloc(32, 7).toString('base64') }] });
/** As long as the name of a workflow may be; a label takes no more. */
const LONG = `long-${'n'.repeat(58)}`;

interface Execution extends KubeObject {
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status: Readonly<Record<string, unknown>>;
}
interface Row {
  readonly execution_id: string;
  readonly workflow_name: string;
  readonly status: string;
  readonly error?: string;
}

describe('orchestrator mode: runs as WorkflowExecution objects', () => {
  let plane: ControlPlane;
  let namespace: KubeNamespace;
  let objects: string;

  before(async function () {
    plane = await planeWithCrds(this);
  });
  beforeEach(async () => {
    namespace = await plane.makeNamespace();
    objects = namespace.path('workflowexecutions', GROUP);
    await plane.admin.create(namespace.path('workflows', GROUP), {
      apiVersion: GROUP,
      kind: 'Workflow',
      metadata: { name: LONG },
      spec: {
        args: { word: { type: 'string', default: 'a' } },
        steps: [{ id: 'list', tool: 'core_mcpserver_list', args: {}, store: true }],
      },
    });
  });

  const serve = async (
    config: object = {},
    { rules = SERVICE_RULES, content = false }: { rules?: readonly Rule[]; content?: boolean } = {},
  ): Promise<Pegboard> => {
    const { kubeconfig: KUBECONFIG } = await serviceUser(plane, namespace, rules);
    const settings = {
      orchestrator: true,
      namespace: namespace.name,
      plugins: {
        workflow: { config: { executionVisibility: 'all', ...config } },
        'store-kubernetes': { config: { content } },
      },
    };
    const directory = makeDirectory({ 'config.yaml': JSON.stringify(settings), 'keys.json': KEYS });
    const env = { KUBECONFIG, PEGBOARD_KEYS_FILE: directory.at('keys.json') };
    const gateway = await servePegboard(directory.path, [], { env });
    const client = await mcpClient(gateway.url);
    await until(async () => JSON.stringify(await core(client, 'core_workflow_list')).includes(LONG));
    return gateway;
  };
  const run = (client: McpClient, args = {}): Promise<object> => core(client, `workflow_${LONG}`, args);
  const stored = async (): Promise<readonly Execution[]> =>
    ((await plane.admin.get(objects)).items ?? []) as readonly Execution[];
  const rows = async (client: McpClient): Promise<readonly Row[]> => {
    const { executions } = (await core(client, 'core_workflow_execution_list')) as {
      readonly executions: readonly Row[];
    };
    return executions;
  };

  it('shows each run to every process, with labels to select it by', async () => {
    const [one, other] = [await serve(), await serve()];
    const [here, there] = [await mcpClient(one.url), await mcpClient(other.url)];
    await run(here, { word: 'hush' });
    const [row] = await rows(there);
    expect(row).include({ workflow_name: LONG, status: 'completed' });
    const get = { execution_id: row?.execution_id };
    const record = await core(there, 'core_workflow_execution_get', get);
    expect(record).deep.include({ input: { word: 'hush' } });
    expect(record).deep.equal(await core(here, 'core_workflow_execution_get', get));
    const [object, ...more] = await stored();
    expect(more).deep.equal([]);
    expect(object?.metadata).deep.include({ name: row?.execution_id });
    const { 'pegboard.dev/workflow': workflow, 'pegboard.dev/status': status } =
      (object?.metadata['labels'] as Record<string, string> | undefined) ?? {};
    expect([workflow, status]).deep.equal([LONG, 'completed']);
    expect(object?.spec).deep.equal({ workflow: LONG });
    expect(object?.status).deep.include({ state: 'completed', stepCount: 1 });
    expect(Object.keys((object?.status['steps'] as readonly object[])[0] ?? {})).not.include('result');
    expect(JSON.stringify(object)).not.include('hush');
    await here.close();
    await there.close();
  });

  it('shows inputs and results in objects where the configuration says so, as one may read them', async () => {
    const client = await mcpClient((await serve({}, { content: true })).url);
    await run(client, { word: 'open' });
    const [object] = await stored();
    expect(object?.spec).deep.equal({ workflow: LONG, input: { word: 'open' } });
    expect(object?.status).include.keys('result', 'steps').and.not.include.keys('sealed');
    const record = await core(client, 'core_workflow_execution_get', { execution_id: object?.metadata.name });
    expect(record).deep.include({ input: { word: 'open' }, result: object?.status['result'] });
  });

  it('marks a run whose process has ended once no run can last so long, and no sooner', async () => {
    const client = await mcpClient((await serve()).url);
    await leave('young', new Date().toISOString());
    await leave('old', new Date(Date.now() - 2 * HOUR_MS).toISOString());
    const byId = Object.fromEntries((await rows(client)).map((row) => [row.execution_id, row]));
    expect(byId['young']).include({ status: 'running' });
    expect(byId['old']).include({ status: 'failed', error: 'interrupted: its process has ended' });
    const old = (await stored()).find(({ metadata }) => metadata.name === 'old');
    expect(old?.status).include({ state: 'failed' });
    expect(old).not.include.keys('record');
    const cancelled = await core(client, 'core_workflow_execution_cancel', { execution_id: 'young' });
    expect(JSON.stringify(cancelled)).contain('runs in another process');
  });

  it('keeps as many as executionMaxCount', async () => {
    const client = await mcpClient((await serve({ executionMaxCount: 2, executionSweepMs: 1_000 })).url);
    for (let count = 0; count < 4; count += 1) await run(client);
    await until(async () => (await stored()).length === 2, { what: 'two runs', withinMs: 10_000 });
    expect(await rows(client)).have.length(2);
  });

  it('has no warning at a start', async () => {
    const gateway = await serve();
    expect(gateway.lines.filter(({ level }) => level === 'warn')).deep.equal([]);
  });

  it('runs without the right to write them, and names the verb, the resource and the namespace', async () => {
    const rules = SERVICE_RULES.filter(({ resources }) => !resources.includes('workflowexecutions'));
    const gateway = await serve({}, { rules });
    const client = await mcpClient(gateway.url);
    expect(JSON.stringify(await run(client))).contain('"status":"completed"');
    const { reason } = await gateway.logged('record of a run could not be written');
    expect(reason).contain(
      `the service account of Pegboard may not create workflowexecutions.pegboard.dev in namespace ${namespace.name}`,
    );
  });

  it('writes the runs of an outage of the API server when it is back', async () => {
    const client = await mcpClient((await serve()).url);
    await plane.stop();
    expect(JSON.stringify(await run(client))).contain('"status":"completed"');
    await plane.start();
    await run(client);
    await until(async () => (await stored()).length === 2, { what: 'both runs', withinMs: 10_000 });
    const states = (await stored()).map(({ status }) => status['state']);
    expect(states).deep.equal(['completed', 'completed']);
  });

  /** What a process of an earlier version that was killed has left. */
  async function leave(name: string, started_at: string): Promise<void> {
    const row = {
      execution_id: name,
      workflow_name: LONG,
      status: 'running',
      started_at,
      duration_ms: 0,
      owner: '',
      process: 'gone',
    };
    await plane.admin.create(objects, {
      apiVersion: GROUP,
      kind: 'WorkflowExecution',
      metadata: { name, annotations: { [ROW]: JSON.stringify({ ...row, step_count: 0 }) } },
      record: { ...row, input: {}, steps: [] },
    });
  }
});

async function core(client: McpClient, tool: string, args: object = {}): Promise<object> {
  const { content, structuredContent } = await client.callTool(tool, args as Record<string, unknown>);
  if (structuredContent !== undefined) return structuredContent as object;
  const [first] = content as readonly { readonly text: string }[];
  return JSON.parse(first?.text ?? '{}') as object;
}
