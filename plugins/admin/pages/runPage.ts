import { GatewayError } from 'pegboard';
import type { Scope } from 'pegboard';
import { html } from '../../kit/http/page.ts';
import type { Html } from '../../kit/http/page.ts';
import type { RunFacts, RunStep } from '../../contracts/runs.ts';
import { graphOfRun } from '../data/graphSteps.ts';
import type { GraphRow } from '../data/graphSteps.ts';
import { ownerIn } from '../data/ownerIn.ts';
import { runsIn } from '../data/runsIn.ts';
import { actionForm } from '../../kit/pages/actionForm.ts';
import { definePage } from '../web/definePage.ts';
import type { Page, Visit } from '../web/definePage.ts';
import { badge, facts, hyperlink, output, section } from '../../kit/pages/parts.ts';
import { callsAt } from '../web/callLinks.ts';
import { spanBar } from '../web/spanBar.ts';
import type { Span } from '../web/spanBar.ts';
import { ago, block, counted, inPath, shown, took } from '../../kit/pages/words.ts';
import { stepAnchor, stepGraph } from './stepGraph.ts';

const MAX_CHARS = 20_000;
const MAX_STEPS = 500;
const CUT = html`<p class="care-box">
  The run was too large to be kept whole: values, and the first steps, may be missing.
</p>`;

interface RunPageFacts extends RunFacts {
  readonly graph: readonly GraphRow[];
}
/** The list of the calls of a step; undefined where the visitor may not read it. */
type CallsOf = (step: RunStep) => string | undefined;

/** `/runs/<id>`: one run of a workflow with its steps, as a graph and as a list. */
export function runPage(scope: Scope<unknown>): Page {
  return definePage<RunPageFacts>({
    path: '/runs/:id',
    takes: 'use',
    facts: async (visit) => {
      const { id = '' } = visit.params;
      const runs = runsIn(scope);
      const isAll = ownerIn(visit) === undefined;
      const run = await runs.find(id, visit.request, isAll);
      // The definition may have changed since, and is not for who only uses it.
      if (run !== undefined && (run.hasValues || isAll))
        return { ...run, graph: graphOfRun(run, isAll ? runs.definedSteps(run.workflow_name) : undefined) };
      throw new GatewayError(
        'REQUEST_NOT_FOUND',
        `there is no run ${shown(id)}; it may have been removed because of its age`,
      );
    },
    show: (run, visit) => ({
      title: `Run of ${shown(run.workflow_name)}`,
      body: html`${stateSection(run, visit)}${section(
        counted(run.steps.length, 'step'),
        html`${run.truncated && CUT}${stepGraph(run.graph, (id) => isListed(run, id))}${stepList(run, (step) => (ownerIn(visit) === undefined ? callsOf(step, scope) : undefined))}`,
      )}${valueSection(run)}`,
    }),
  });
}

/** Those of its tool that ended while it ran, or soon after: a cancelled call ends later than its step. */
function callsOf(
  { tool, status, started_at: since, completed_at }: RunStep,
  scope: Scope<unknown>,
): string | undefined {
  if (tool === '' || status === 'skipped') return undefined;
  const until = new Date(
    (completed_at === undefined ? Date.now() : Date.parse(completed_at)) + 1_000,
  ).toISOString();
  return callsAt(scope, { tool, since, until });
}

function stateSection(
  { execution_id: id, workflow_name: workflow, status, started_at, duration_ms, error }: RunFacts,
  visit: Visit,
): Html {
  const cancel = actionForm(visit, {
    action: `/runs/${inPath(id)}/cancel`,
    label: 'Cancel',
    about: `the run of ${shown(workflow)}`,
    warning:
      'Its current call is cancelled too. What its steps have done already stays done, unless the workflow cleans up.',
  });
  const body = html`${error === undefined ? undefined : html`<p class="fault">${shown(error, 2_000)}</p>`}
  ${facts([
    ['Workflow', hyperlink(`/workflows/${inPath(workflow)}`, workflow)],
    ['Started', ago(started_at)],
    [status === 'running' ? 'Running for' : 'Took', took(duration_ms)],
    ['Id', html`<code>${shown(id)}</code>`],
  ])}
  ${status === 'running' ? html`<div class="row actions">${cancel}</div>` : undefined}`;
  return section('State', body, runBadge(status));
}

/** A run in progress is neither good nor bad yet, unlike a server that runs. */
export function runBadge(status: string): Html {
  return status === 'running' ? html`<span class="badge care">running</span>` : badge(status);
}

function isListed({ steps }: RunFacts, id: string): boolean {
  return steps.slice(0, MAX_STEPS).some(({ parent, step_id: own }) => own === id || parent === id);
}

/** Iterations and members of a group are indented below its name: a loop or a group has no record of its own. */
function stepList(run: RunFacts, callsOf: CallsOf): Html {
  const steps = run.steps.slice(0, MAX_STEPS);
  if (steps.length === 0) return html`<p class="empty">None has begun.</p>`;
  const start = Date.parse(run.started_at);
  const within = { start, end: start + run.duration_ms };
  const byParent = new Map<string, RunStep[]>();
  for (const step of steps) {
    const name = step.parent ?? step.step_id;
    byParent.set(name, [...(byParent.get(name) ?? []), step]);
  }
  const anchors = new Set<string>();
  const items = [...byParent].map(([name, list]) => {
    const isSingle = list.every(({ parent }) => parent === undefined);
    if (!isSingle) anchors.add(name);
    const inner = list.map((step) => {
      // Of a loop, the graph leads to the first time.
      const anchor = anchors.has(step.step_id) ? undefined : stepAnchor(step.step_id);
      anchors.add(step.step_id);
      return stepItem(step, { within, anchor, calls: callsOf(step) });
    });
    if (isSingle) return inner;
    return html`<li class="step" id="${stepAnchor(name)}">
      <div class="line"><strong>${shown(name)}</strong></div>
      <ol class="steps">
        ${inner}
      </ol>
    </li>`;
  });
  const rest = run.steps.length - steps.length;
  return html`<ol class="steps">
      ${items.flat()}
    </ol>
    ${rest === 0 ? undefined : html`<p class="quiet">and ${counted(rest, 'more step')}</p>`}`;
}

interface StepParts {
  readonly within: Span;
  readonly anchor: string | undefined;
  readonly calls: string | undefined;
}

function stepItem(step: RunStep, { within, anchor, calls }: StepParts): Html {
  const { step_id: id, tool, status, iteration, attempts = 1, error, input, result } = step;
  const start = Date.parse(step.started_at);
  const ms = status === 'running' ? Math.max(0, within.end - start) : step.duration_ms;
  const key = `${id} ${String(iteration ?? '')}`;
  return html`<li class="step" ${anchor === undefined ? undefined : html`id="${anchor}"`}>
    <div class="line">
      <strong>${shown(id)}${iteration === undefined ? '' : ` · ${String(iteration)}`}</strong>
      ${tool === '' ? undefined : html`<a href="/tools/${inPath(tool)}"><code>${shown(tool)}</code></a>`}
      ${runBadge(status)}
      ${attempts > 1 ? html`<span class="quiet">${counted(attempts, 'attempt')}</span>` : undefined}
      ${calls === undefined ? undefined : html`<a href="${calls}">calls<span class="spoken"> of ${shown(id)}</span></a>`}
      <span class="took number">${status === 'skipped' ? 'not run' : took(ms)}</span>
    </div>
    ${status === 'skipped' ? undefined : spanBar({ start, end: start + ms }, within, status === 'failed')}
    ${error === undefined ? undefined : html`<p class="fault">${shown(error, 2_000)}</p>`}
    ${folded('Input', key, input)}${folded('Result', key, result)}
  </li>`;
}

function valueSection({ hasValues, input, result }: RunFacts): Html {
  if (hasValues)
    return section('Values', html`${folded('Input', 'run', input)}${folded('Result', 'run', result)}`);
  return section(
    'Values',
    html`<p class="quiet">
      Inputs and results belong to the person who started the run, so they are not shown here. To show those
      of all runs on these pages, set plugins.workflow.config.executionVisibility to operators; without
      aggregator.admin.signIn that is everyone who can open them.
    </p>`,
  );
}

function folded(title: string, key: string, value: unknown): Html | undefined {
  if (value === undefined) return undefined;
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return html`<details data-keep="${title} ${key}">
    <summary>${title}</summary>
    ${output(title, block(text, MAX_CHARS))}
  </details>`;
}
