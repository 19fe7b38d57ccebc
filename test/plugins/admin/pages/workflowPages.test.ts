import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { ANYONE } from '../../../../kernel/contracts/request.ts';
import type { JsonObject } from '../../../../kernel/contracts/json.ts';
import { callCore, answerIn } from '../../../support/coreTools.ts';
import { until } from '../../../support/until.ts';
import { INJECTED, LONG, SCRIPT, openBooth, submits } from '../booth.ts';
import type { AdminSite } from '../adminGateway.ts';

interface Runs {
  readonly runs: { readonly total: number; readonly items: readonly RunRow[] };
}
interface RunRow {
  readonly execution_id: string;
  readonly workflow_name: string;
  readonly status: string;
}
const ship = { tool: 'x_booth_ship', args: { to: '{{ .input.to }}', items: 1 } };
const workflow = (definition: JsonObject): string => JSON.stringify(definition);
const FILES = {
  'workflows/order.yaml': workflow({
    description: `Ships ${SCRIPT}`,
    args: {
      to: { type: 'string', required: true, description: 'Customer' },
      pin: { type: 'string', default: '4711-4711', sensitive: true },
    },
    steps: [
      { id: 'first', ...ship },
      {
        id: 'both',
        parallel: [
          { id: 'left', ...ship },
          { id: 'right', ...ship, allowFailure: true },
        ],
      },
      { id: 'stuck', tool: 'x_booth_break', condition: { fromStep: 'first' } },
      { id: 'never', ...ship },
    ],
  }),
  'workflows/slow.yaml': workflow({ steps: [{ id: 'wait', tool: 'x_booth_wait' }] }),
  'workflows/lost.yaml': workflow({ steps: [{ id: 'one', tool: 'x_nowhere_tool' }] }),
};

describe('the pages of workflows', () => {
  let site: AdminSite;
  const runs = (query = ''): Promise<Runs> => site.facts<Runs>(`/runs?${query}`);
  const order = async (): Promise<string> => {
    await site.post('/tools/workflow_order', { 'arg.to': 'Ada', confirm: 'yes' });
    return (await runs('workflow=order')).runs.items[0]?.execution_id ?? '';
  };
  /** A run that another caller has started, and that waits. */
  const slow = async (): Promise<string> => {
    const { execution_id: id } = answerIn(await callCore(site.gateway, 'workflow_slow', { _async: true }));
    await until(
      async () => (await site.facts<{ steps: readonly unknown[] }>(`/runs/${String(id)}`)).steps.length > 0,
    );
    return String(id);
  };
  beforeEach(async () => {
    site = await openBooth(FILES);
  });

  it('list the workflows and whether each can run now', async () => {
    const { text } = await site.get('/workflows');
    expect(text)
      .match(/\/workflows\/order"[^]*available[^]*\/workflows\/slow"/)
      .and.match(/\/workflows\/lost"[^]*unavailable/);
    expect(await site.facts('/workflows')).nested.property('workflows.total', 3);
  });

  it('show a workflow with its steps indented, its arguments, and a link to run it', async () => {
    const { text } = await site.get('/workflows/order');
    expect(text).match(
      /<strong>both<\/strong>[^]*at the same time[^]*<ol class="steps">[^]*<strong>left<\/strong>[^]*<strong>right/,
    );
    expect(text).include('href="/tools/workflow_order"').and.include('Customer').and.not.match(INJECTED);
    expect(text).match(/<td data-label="Default">\s*<div>not shown/);
    expect(text).include('[redacted]').and.not.include('4711-4711');
    const lost = await site.get('/workflows/lost');
    expect(lost.text).include('It has not run yet.').and.not.include('There is no such run.');
    expect(lost.text).include('x_nowhere_tool').and.include('unavailable');
    expect((await site.get('/workflows/none')).status).equal(404);
  });

  it('show a run with a failed step: the durations as bars, the error, inputs and results folded', async () => {
    const id = await order();
    const run = await site.facts<{ status: string; steps: readonly { step_id: string; status: string }[] }>(
      `/runs/${id}`,
    );
    expect(run.status).equal('failed');
    expect(Object.fromEntries(run.steps.map(({ step_id, status }) => [step_id, status]))).include({
      first: 'completed',
      left: 'completed',
      stuck: 'failed',
    });
    const { text } = await site.get(`/runs/${id}`);
    expect(text).match(/<strong>stuck<\/strong>[^]*?failed[^]*?<rect\s+class="bad"[^]*?the belt is stuck/);
    expect(text).match(
      /<strong>first<\/strong>[^]*?completed[^]*?<rect\s+class="good"[^]*?<summary>Input<\/summary>/,
    );
    expect(text).match(/<strong>both<\/strong>[^]*?<ol class="steps">[^]*?<strong>left/);
    expect(text).not.match(INJECTED).and.not.include('Cancel');
  });

  it('draw a workflow as a graph whose steps lead to the list below it', async () => {
    const { text } = await site.get('/workflows/order');
    const [graph = ''] = /<svg[^>]*role="group"[^]*?<\/section>/.exec(text) ?? [];
    const targets = [...graph.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    expect(targets).deep.equal([
      'step-first',
      'step-both',
      'step-left',
      'step-right',
      'step-stuck',
      'step-never',
    ]);
    for (const id of targets) expect(text, id).include(`id="${String(id)}"`);
    expect(graph)
      .match(/both<\/tspan>\s*at the same time/)
      .and.not.match(INJECTED);
    expect([...graph.matchAll(/class="edge"/g)]).length(3);
  });

  it('draw a run with the state and duration of each step, those that it has not reached included', async () => {
    const id = await order();
    const { text } = await site.get(`/runs/${id}`);
    const noted = [...text.matchAll(/<title>(\w+): ([^<]+)<\/title>/g)].map(([, step, note]) => [
      step,
      note?.replace(/[\d.]+ m?s/, '… ms'),
    ]);
    expect(Object.fromEntries(noted)).deep.equal({
      first: 'completed · … ms',
      left: 'completed · … ms',
      right: 'completed · … ms',
      stuck: 'failed · … ms',
      never: 'not run',
    });
    expect(text).match(/class="node good"[^]*class="node bad"[^]*class="node calm"/);
    expect(text).include('href="#step-stuck"').and.not.include('href="#step-never"');
    const waiting = await site.get(`/runs/${await slow()}`);
    expect(waiting.text)
      .include('<title>wait: running</title>')
      .and.match(/class="node care"/);
  });

  it('draw a completed run from its records if the workflow has had more steps since', async () => {
    const short = { name: 'short', steps: [{ id: 'one', ...ship }] };
    const args = { to: { type: 'string', required: true } };
    await callCore(site.gateway, 'core_workflow_create', { ...short, args });
    await site.post('/tools/workflow_short', { 'arg.to': 'Ada', confirm: 'yes' });
    const [run] = (await runs('workflow=short')).runs.items;
    expect(run).property('status', 'completed');
    const steps = [...short.steps, { id: 'later', ...ship }];
    await callCore(site.gateway, 'core_workflow_update', { name: 'short', args, steps });
    const { text } = await site.get(`/runs/${String(run?.execution_id)}`);
    expect(text).include('<title>one: completed').and.not.include('later');
  });

  it('draw a run of a workflow that is gone from its records', async () => {
    const id = await order();
    await callCore(site.gateway, 'core_workflow_delete', { name: 'order' });
    const { text } = await site.get(`/runs/${id}`);
    expect(text).include('<title>stuck: failed').and.not.include('<title>never');
    expect(text).match(/both<\/tspan>\s*at the same time/);
  });

  it('link each step of a run to the calls that it has made', async () => {
    const { execution_id } = answerIn(
      await callCore(site.gateway, 'workflow_order', { to: 'Ada', _async: true }),
    );
    const id = String(execution_id);
    await until(async () => (await site.facts(`/runs/${id}`))['status'] === 'failed');
    const [, href = ''] =
      /href="(\/calls\?tool=x_booth_break[^"]+)"/.exec((await site.get(`/runs/${id}`)).text) ?? [];
    await until(
      async () => (await site.get(href.replaceAll('&amp;', '&'))).text.includes('1 call, 1 error'),
      {
        what: 'the call is listed',
      },
    );
  });

  it('list the runs by status and workflow', async () => {
    await order();
    await slow();
    const names = async (query: string): Promise<readonly string[]> =>
      (await runs(query)).runs.items.map(({ workflow_name: name, status }) => `${name} ${status}`);
    expect(await names('')).deep.equal(['slow running', 'order failed']);
    expect(await names('status=failed')).deep.equal(['order failed']);
    expect(await names('workflow=slow')).deep.equal(['slow running']);
    expect(await names('status=completed')).deep.equal([]);
    expect((await site.get('/runs?status=failed')).text)
      .match(/<option value="failed" selected>/)
      .and.include('the belt is stuck');
  });

  it('show the runs of others without their inputs and results, unless the configuration gives them to all', async () => {
    const id = await slow();
    const { text } = await site.get(`/runs/${id}`);
    expect(text)
      .include('x_booth_wait')
      .and.include('executionVisibility')
      .and.not.include('<summary>Input</summary>');
    expect(await site.facts(`/runs/${id}`)).property('hasValues', false);
    expect((await site.get(`/runs/${await order()}`)).text).include('<summary>Input</summary>');
  });

  it('show the values of everybody’s runs, secrets hidden, where the configuration gives them to operators', async () => {
    const started = async (): Promise<string> => {
      const { execution_id: id } = answerIn(
        await callCore(site.gateway, 'workflow_order', { to: 'Ada', pin: '0815-0815', _async: true }),
      );
      await until(async () => (await site.facts(`/runs/${String(id)}`))['status'] === 'failed');
      return String(id);
    };
    const id = await started();
    const { directory, pipeline } = site.gateway;
    const config = readFileSync(directory.at('config.yaml'), 'utf8');
    const text = async (): Promise<string> => (await site.get(`/runs/${id}`)).text;
    expect(await text()).not.include('<summary>Input</summary>');
    directory.write(
      'config.yaml',
      config.replace('plugins: {', 'plugins: { workflow: { config: { executionVisibility: operators } },'),
    );
    await pipeline.reload();
    expect(await text())
      .include('<summary>Input</summary>')
      .and.include('Ada')
      .and.not.include('0815-0815');
    directory.write('config.yaml', config);
    await pipeline.reload();
    expect(await text()).not.include('<summary>Input</summary>');
  });

  it('cancel a run, also of another caller, by a form of the page only if a browser sends it', async () => {
    const id = await slow();
    expect((await site.get(`/runs/${id}`)).text).include('Cancel');
    const path = `/runs/${id}/cancel`;
    expect((await site.post(path, {}, { origin: site.url })).status).equal(403);
    expect(await site.facts(`/runs/${id}`)).property('status', 'running');
    expect(await submits(site, { page: `/runs/${id}`, path })).deep.equal([403, 303]);
    expect(await site.facts(`/runs/${id}`)).property('status', 'cancelled');
    expect((await site.post(path, {}, { accept: 'application/json' })).text).include('had ended already');
  });

  it('leave the cancelling of a run to its caller and to the operator', async () => {
    const id = await slow();
    const { catalogue, calls } = site.gateway.kernel;
    const tool = catalogue.shared('core_workflow_execution_cancel');
    if (tool === undefined) throw new Error('there is no such tool');
    const request = { ...ANYONE, anonymousOwner: 'another' };
    const refused = await calls.run(tool, { execution_id: id }, request).then(
      () => 'cancelled',
      (error: unknown) => (error as { code?: string }).code,
    );
    expect(refused).equal('RESOURCE_NOT_FOUND');
    expect((await site.post(`/runs/${id}/cancel`)).status).equal(303);
  });

  it('are harmless with hostile names', async () => {
    for (const name of [encodeURIComponent(SCRIPT), LONG])
      for (const path of [`/workflows/${name}`, `/runs/${name}`]) {
        const { status, text } = await site.get(path);
        expect(status, path.slice(0, 40)).equal(404);
        expect(text).not.match(INJECTED);
        expect(text.length).below(10_000);
      }
    expect((await site.post(`/runs/${LONG}/cancel`)).status).equal(404);
    for (const query of [`status=${encodeURIComponent(`">${SCRIPT}`)}`, `workflow=${LONG}`]) {
      const { status, text } = await site.get(`/runs?${query}`);
      expect(status).equal(200);
      expect(text).not.match(INJECTED);
    }
  });
});
