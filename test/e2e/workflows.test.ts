import { join } from 'node:path';
import { cpSync, readFileSync, readdirSync } from 'node:fs';
import { expect } from 'chai';
import { makeDirectory } from '../support/directory.ts';
import type { Directory } from '../support/directory.ts';
import { McpClient, textOf } from '../support/mcpClient.ts';
import { processesBelow, processesNaming } from '../support/proc.ts';
import { servePegboard } from '../support/serve.ts';
import type { Pegboard } from '../support/serve.ts';
import { until } from '../support/until.ts';
import { ROOT } from '../support/sources.ts';

type Json = Readonly<Record<string, unknown>>;
const EXAMPLE = join(ROOT, 'examples/workflows/');

describe('e2e: examples/workflows', function () {
  this.timeout(60_000);
  let directory: Directory;
  let pegboard: Pegboard;
  let client: McpClient;
  let files: string;

  before(async () => {
    directory = copiedExample();
    files = directory.at('files');
    for (const name of readdirSync(directory.at('mcpservers'))) {
      const definition = readFileSync(directory.at(`mcpservers/${name}`), 'utf8');
      const moved = definition
        .replace('- examples/workflows/files', `- ${files}`)
        .replace('${env:PWD}/examples/workflows', directory.path);
      directory.write(`mcpservers/${name}`, moved);
    }
    pegboard = await servePegboard(directory.path);
    client = await McpClient.connect(pegboard.url);
    await until(
      async () => {
        const { workflows } = await answer('core_workflow_list');
        return (workflows as readonly Json[]).every(({ available }) => available === true);
      },
      { what: 'all servers answer', withinMs: 30_000 },
    );
  });
  after(async () => {
    expect(await pegboard.stop()).to.deep.equal({ code: 0, signal: null });
  });

  async function answer(name: string, args: Json = {}, at = client): Promise<Json> {
    return JSON.parse(textOf(await at.callTool(name, args))) as Json;
  }
  const longCall = (seconds: number): Json => {
    const params = { name: 'call_tool', arguments: { name: 'workflow_long', arguments: { seconds } } };
    return { jsonrpc: '2.0', id: 777, method: 'tools/call', params };
  };
  /** Id of the newest run of `long`. */
  const latestLong = async (at = client): Promise<string> => {
    const asked = { workflow_name: 'long', limit: 1 };
    const { executions } = await answer('core_workflow_execution_list', asked, at);
    return String((executions as readonly Json[])[0]?.['execution_id']);
  };
  const newerLong = (than: string, at = client): Promise<string> =>
    until(async () => {
      const id = await latestLong(at);
      return id === than ? undefined : id;
    });
  const statusOf = async (execution_id: string, at = client): Promise<unknown> =>
    (await answer('core_workflow_execution_get', { execution_id }, at))['status'];
  const show = (document: Json): void => {
    if (process.env['SHOW_DOCUMENTS'] !== undefined) console.log(JSON.stringify(document, undefined, 2));
  };
  const stepsOf = ({ steps }: Json): string[] =>
    (steps as readonly Json[]).map(({ id, status }) => `${String(id)} ${String(status)}`);

  it('each workflow has a row in the README, a tool, and arguments as a schema', async () => {
    const names = readdirSync(`${EXAMPLE}workflows`).map((name) => name.replace('.yaml', ''));
    const readme = readFileSync(`${EXAMPLE}README.md`, 'utf8');
    for (const name of names) {
      expect(readme).to.contain(`[${name}](workflows/${name}.yaml)`);
      const described = JSON.parse(
        textOf(await client.callMeta('describe_tool', { name: `workflow_${name}` })),
      ) as Json;
      expect(described['inputSchema']).to.include({ type: 'object' });
    }
    expect(names).to.have.length.of.at.least(5);
  });

  it('report: declares itself read-only, and its output is the document', async () => {
    const text = textOf(await client.callMeta('describe_tool', { name: 'workflow_report' }));
    expect(JSON.parse(text)).to.deep.include({
      annotations: { readOnlyHint: true },
      labels: { area: 'files' },
    });
    const document = await answer('workflow_report');
    show(document);
    expect(document).to.deep.include({
      folder: files,
      files: ['about.txt', 'notes.md', 'plans.md'],
      documents: '2',
    });
  });

  it('read-all: runs a concurrent loop in which one file is missing', async () => {
    const document = await answer('workflow_read-all', {
      folder: files,
      names: ['about.txt', 'none.txt', 'notes.md'],
    });
    show(document);
    expect(document).to.include({ status: 'completed' });
    expect(stepsOf(document)).to.deep.equal(['read completed', 'read failed', 'read completed']);
    expect(String((document['steps'] as readonly Json[])[1]?.['error'])).to.contain('ENOENT');
  });

  it("ask-around: keeps the results of a group's other members", async () => {
    const document = await answer('workflow_ask-around');
    show(document);
    expect(document).to.include({ status: 'completed' });
    expect(stepsOf(document)).to.deep.equal([
      'sum completed',
      'missing failed',
      'greeting completed',
      'verdict completed',
    ]);
    const steps = document['steps'] as readonly Json[];
    expect(JSON.stringify(steps[0]?.['result'])).to.contain('42');
    expect(JSON.stringify(steps[3]?.['result'])).to.contain('one question failed');
  });

  it('publish: completes, and cleans up when it fails', async () => {
    const good = await answer('workflow_publish', { folder: files, title: 'News' });
    show(good);
    expect(stepsOf(good)).to.deep.equal(['draft completed', 'complete completed', 'check completed']);
    expect(readFileSync(`${files}/draft.md`, 'utf8')).to.equal('# News\n\nReady.\n');
    const bad = await answer('workflow_publish', { folder: files, placeholder: 'OTHER' });
    show(bad);
    expect(bad).to.include({ status: 'failed' });
    expect(stepsOf(bad)).to.deep.equal([
      'draft completed',
      'complete failed',
      'mark completed',
      'check completed',
    ]);
    expect(readFileSync(`${files}/draft.md`, 'utf8')).to.match(/^abandoned in step complete: /);
    const { executions } = await answer('core_workflow_execution_list', { workflow_name: 'publish' });
    expect((executions as readonly Json[]).map(({ status }) => status)).to.deep.equal([
      'failed',
      'completed',
    ]);
  });

  it('journal: files, clock, git and memory in one run', async () => {
    const document = await answer('workflow_journal', { text: 'Went to sea.' });
    show(document);
    const file = `${files}/journal/${String(document['day'])}.md`;
    expect(document).to.include({ file, latest: 'journal: Went to sea.', commits: 1 });
    expect(readFileSync(file, 'utf8')).to.contain('Went to sea.');
    const { entities } = await answer('x_memory_read_graph');
    expect(JSON.stringify(entities)).to.contain('Went to sea.');
  });

  it('overview: runs workflows in a workflow, and lists stay lists', async () => {
    const document = await answer('workflow_overview');
    show(document);
    expect(document).to.include({ folder: files, failed: '0' });
    expect(document['read']).to.be.at.least(3);
  });

  it('long: continues detached, is cancelled by its id, and the record shows it', async () => {
    const { execution_id } = await answer('workflow_long', { seconds: 30, _async: true });
    await until(async () => {
      const { steps } = await answer('core_workflow_execution_get', { execution_id });
      return (steps as readonly Json[]).some(
        ({ step_id, status }) => step_id === 'begin' && status === 'completed',
      );
    });
    expect(await answer('core_workflow_execution_cancel', { execution_id })).to.include({
      status: 'cancelled',
    });
    const record = await answer('core_workflow_execution_get', { execution_id });
    show(record);
    expect(record).to.include({ status: 'cancelled' });
  });

  it('long: reports each step to a client that asked for progress', async () => {
    client.heard.length = 0;
    await client.request('tools/call', {
      name: 'call_tool',
      arguments: { name: 'workflow_long', arguments: { seconds: 0.1 } },
      _meta: { progressToken: 'p' },
    });
    const told = client.heard.filter(({ method }) => method === 'notifications/progress');
    expect(told.map(({ params }) => params)).to.deep.equal([
      { progressToken: 'p', progress: 1, total: 3, message: 'step begin completed' },
      { progressToken: 'p', progress: 2, total: 3, message: 'step middle completed' },
      { progressToken: 'p', progress: 3, total: 3, message: 'step end completed' },
    ]);
  });

  it('long: ends when the client cancels its request', async () => {
    const before = await latestLong();
    const pending = client.post(longCall(30));
    const running = await newerLong(before);
    await client.notify('notifications/cancelled', { requestId: 777, reason: 'enough' });
    await until(async () => (await statusOf(running)) === 'cancelled', { what: 'the run is cancelled' });
    await pending;
  });

  it('long: survives its connection, ends with its session', async () => {
    const own = await McpClient.connect(pegboard.url);
    const gone = new AbortController();
    const before = await latestLong(own);
    const lost = own.post(longCall(0.8), {}, gone.signal).then(
      () => 'answered',
      () => 'lost',
    );
    const running = await newerLong(before, own);
    gone.abort();
    expect(await lost).to.equal('lost');
    const pending = own.post(longCall(30));
    const second = await newerLong(running, own);
    await until(async () => (await statusOf(running, own)) === 'completed', { what: 'it completes' });
    expect(await own.end()).to.equal(204);
    // Its record has no reader any more; its end is reported to all clients.
    const ended = { resourceName: 'long', reason: 'WorkflowExecutionCancelled' };
    const told = async (): Promise<boolean> =>
      textOf(await client.callTool('core_events', ended)).includes(second);
    await until(told, { what: 'it is cancelled' });
    await pending;
  });

  it('a definition renamed during its run: the run ends as it began, under its old name', async () => {
    const spec =
      'steps:\n  - { id: a, tool: x_everything_trigger-long-running-operation, args: { duration: 0.5, steps: 1 } }\n';
    directory.write('workflows/before.yaml', spec);
    await until(async () => JSON.stringify(await answer('core_workflow_list')).includes('"before"'));
    const { execution_id } = await answer('workflow_before', { _async: true });
    directory.write('workflows/after.yaml', spec);
    directory.remove('workflows/before.yaml');
    await until(async () => {
      const list = JSON.stringify(await answer('core_workflow_list'));
      return list.includes('"after"') && !list.includes('"before"');
    });
    await until(async () => (await statusOf(String(execution_id))) !== 'running');
    expect(await answer('core_workflow_execution_get', { execution_id })).to.include({
      workflow_name: 'before',
      status: 'completed',
    });
    directory.remove('workflows/after.yaml');
  });

  it('a file saved into the folder becomes a tool within a second, and its removal removes the tool', async () => {
    directory.write(
      'workflows/fresh.yaml',
      'steps:\n  - { id: a, tool: x_everything_echo, args: { message: hi } }\n',
    );
    const isThere = async (): Promise<boolean> =>
      JSON.stringify(await answer('core_workflow_list')).includes('"fresh"');
    await until(isThere, { what: 'workflow_fresh is there' });
    expect(await answer('workflow_fresh')).to.include({ status: 'completed' });
    directory.remove('workflows/fresh.yaml');
    await until(async () => !(await isThere()), { what: 'workflow_fresh is gone' });
  });

  it('a server that dies in the middle of a loop fails that iteration, and the run shows it', async () => {
    directory.write(
      'workflows/dies.yaml',
      `steps:
  - id: each
    forEach:
      items: [1, 2, 3]
      steps:
        - { id: slow, tool: x_everything_trigger-long-running-operation, args: { duration: 20, steps: 2 } }
`,
    );
    await until(async () => (await answer('core_workflow_list').then(JSON.stringify)).includes('"dies"'));
    const { execution_id } = await answer('workflow_dies', { _async: true });
    const record = (): Promise<Json> => answer('core_workflow_execution_get', { execution_id });
    await until(async () => JSON.stringify((await record())['steps']).includes('"running"'));
    const first = await until(() => childOf(pegboard.pid, 'server-everything'));
    process.kill(first, 'SIGKILL');
    // The tool is declared read-only, so the call is sent once more.
    const second = await until(async () => {
      const { state } = await answer('core_service_status', { name: 'everything' });
      const child = childOf(pegboard.pid, 'server-everything');
      return state === 'running' && child !== first ? child : undefined;
    });
    process.kill(second, 'SIGKILL');
    await until(async () => (await record())['status'] !== 'running', { withinMs: 20_000 });
    const ended = await record();
    expect(ended).to.include({ status: 'failed' });
    expect(String(ended['error'])).to.contain('step slow failed').and.contain('everything');
    expect(ended['steps']).to.have.length(1);
  });

  it('a workflow whose server is stopped is listed as unavailable, and its calls are refused with the names', async () => {
    await client.callTool('core_service_stop', { name: 'everything' });
    const available = await answer('core_workflow_available', { name: 'long' });
    expect(available).to.include({ available: false });
    expect((available['details'] as readonly Json[])[0]).to.include({
      tool: 'x_everything_echo',
      reason: 'server not found: everything (stopped)',
      remedy: 'start it with core_service_start',
      step: 'begin',
      file: directory.at('workflows/long.yaml'),
    });
    const refused = await client.callTool('workflow_long');
    expect(refused.isError).to.equal(true);
    expect(textOf(refused)).to.contain(
      'workflow long is not available (missing required tools): x_everything_echo, x_everything_trigger',
    );
  });
});

describe('e2e: a run cut by kill -9', function () {
  this.timeout(60_000);

  it('ends as failed after the restart, with the reason and the completed steps', async () => {
    const directory = copiedExample();
    for (const name of ['clock', 'files', 'git', 'memory']) directory.remove(`mcpservers/${name}.yaml`);
    const ask = async (client: McpClient, name: string, args: Json = {}): Promise<Json> =>
      JSON.parse(textOf(await client.callTool(name, args))) as Json;
    const start = async (): Promise<readonly [Pegboard, McpClient]> => {
      const pegboard = await servePegboard(directory.path);
      return [pegboard, await McpClient.connect(pegboard.url)];
    };
    const statuses = ({ steps }: Json): string[] =>
      (steps as readonly Json[]).map(({ step_id, status }) => `${String(step_id)} ${String(status)}`);

    const [first, before] = await start();
    await until(async () => (await ask(before, 'core_workflow_available', { name: 'long' }))['available'], {
      withinMs: 30_000,
    });
    const { execution_id } = await ask(before, 'workflow_long', { seconds: 30, _async: true });
    await until(async () => {
      const record = await ask(before, 'core_workflow_execution_get', { execution_id });
      return statuses(record).includes('middle running');
    });
    await first.kill();

    const [second] = await start();
    const record = await ask(before.movedTo(second.url), 'core_workflow_execution_get', { execution_id });
    if (process.env['SHOW_DOCUMENTS'] !== undefined) console.log(JSON.stringify(record, undefined, 2));
    expect(record).to.include({ status: 'failed', error: 'interrupted: service restarted' });
    expect(statuses(record)).to.deep.equal(['begin completed', 'middle failed']);
    expect(await second.stop()).to.deep.equal({ code: 0, signal: null });
  });
});

/** The example as in the repository, without files left by its runs. */
function copiedExample(): Directory {
  const directory = makeDirectory();
  const filter = (path: string): boolean => !/\/(state|journal|draft\.md)$/.test(path);
  cpSync(EXAMPLE, directory.path, { recursive: true, filter });
  return directory;
}

/** The descendant of `pid` whose command line contains `part`; undefined while there is none. */
function childOf(pid: number, part: string): number | undefined {
  const named = processesNaming(part);
  return processesBelow(pid).find((child) => named.includes(child));
}
