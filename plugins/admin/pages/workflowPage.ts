import { isObject } from 'pegboard';
import { hiddenIn, hiderOf } from 'pegboard/kit';
import type { JsonObject, Scope } from 'pegboard';
import { html } from '../../kit/http/page.ts';
import type { Html } from '../../kit/http/page.ts';
import type { RunSummary } from '../../contracts/runs.ts';
import { answerOf } from '../data/answerOf.ts';
import { conditionText } from '../data/conditionText.ts';
import { fieldText } from '../data/argumentFields.ts';
import { graphOfWorkflow } from '../data/graphSteps.ts';
import type { GraphRow } from '../data/graphSteps.ts';
import { runsIn } from '../data/runsIn.ts';
import { runTool } from '../data/runTool.ts';
import { definePage } from '../web/definePage.ts';
import type { Page } from '../web/definePage.ts';
import { badge, facts, hyperlink, output, section, table } from '../../kit/pages/parts.ts';
import { block, inPath, shown } from '../../kit/pages/words.ts';
import { runTable } from './runsPage.ts';
import { stepAnchor, stepGraph } from './stepGraph.ts';

const RUNS = 5;
const MAX_STEPS = 500;
const MAX_CHARS = 65_536;

interface WorkflowFacts {
  readonly name: string;
  /** As core_workflow_get gives it. */
  readonly workflow: JsonObject;
  readonly yaml: string;
  /** Tools that are missing and why, as core_workflow_available gives them. */
  readonly missing: readonly JsonObject[];
  /** The last ones. */
  readonly runs: readonly RunSummary[];
  readonly graph: readonly GraphRow[];
}

/** `/workflows/<name>`: one workflow with its steps. */
export function workflowPage(scope: Scope<unknown>): Page {
  return definePage<WorkflowFacts>({
    path: '/workflows/:name',
    facts: async ({ params: { name = '' }, request }) => {
      const got = answerOf(await runTool(scope, 'core_workflow_get', { name }, request));
      const { workflow, yaml } = withoutDefaults(got);
      const { details } = answerOf(await runTool(scope, 'core_workflow_available', { name }, request));
      const runs = await runsIn(scope).list({ workflow: name });
      const defined = runsIn(scope).definedSteps(name);
      return {
        name,
        workflow,
        yaml,
        missing: listIn(details),
        runs: runs.slice(0, RUNS),
        graph: defined === undefined ? [] : graphOfWorkflow(defined),
      };
    },
    show: (workflow) => ({ title: shown(workflow.name), body: bodyOf(workflow) }),
  });
}

/** Defaults of sensitive arguments are hidden. */
function withoutDefaults({ workflow, yaml }: JsonObject): Pick<WorkflowFacts, 'workflow' | 'yaml'> {
  const args = isObject(workflow) && isObject(workflow['args']) ? Object.values(workflow['args']) : [];
  const secrets = args.flatMap((one) =>
    isObject(one) && one['sensitive'] === true ? [{ name: 'password', text: fieldText(one['default']) }] : [],
  );
  const hide = hiderOf(secrets);
  const hidden = hiddenIn(workflow, hide);
  return { workflow: isObject(hidden) ? hidden : {}, yaml: hide(String(yaml)) };
}

function bodyOf({ name, workflow, yaml, missing, runs, graph }: WorkflowFacts): Html {
  const { description, steps, args, timeout } = workflow;
  const phases = [
    ['Steps', steps],
    ['After a failure', workflow['onFailure'] ?? workflow['on_failure']],
    ['In any case', workflow['finally']],
  ] as const;
  return html`${section(
    'What it does',
    html`<p class="words">${typeof description === 'string' ? block(description, 5_000) : ''}</p>
      ${facts([['Time limit', timeout === undefined ? undefined : shown(fieldText(timeout))]])}
      ${missing.length === 0 ? undefined : missingTable(missing)}
      <p class="row actions"><a class="button" href="/tools/${inPath(`workflow_${name}`)}">Run it…</a></p>`,
    badge(missing.length === 0 ? 'available' : 'unavailable'),
  )}
  ${section('Arguments', argumentTable(args))}${section('Graph', stepGraph(graph))}
  ${phases.map(([title, list]) => (listIn(list).length === 0 ? undefined : section(title, stepList(listIn(list)))) ?? html``)}
  ${section('Last runs', runTable(runs, 'It has not run yet.'), hyperlink(`/runs?workflow=${inPath(name)}`, 'all of them'))}
  ${section(
    'Definition',
    html`<details data-keep="yaml">
      <summary>As the text of a file</summary>
      ${output('Definition', block(yaml, MAX_CHARS))}
    </details>`,
  )}`;
}

function missingTable(missing: readonly JsonObject[]): Html {
  return table(
    { caption: 'Missing tools', empty: '' },
    ['Missing tool', 'Step', 'Why', 'What to do'],
    missing.map(({ tool, step, reason, remedy }) => [
      html`<code>${shown(String(tool))}</code>`,
      shown(String(step)),
      shown(String(reason), 300),
      typeof remedy === 'string' ? shown(remedy, 300) : undefined,
    ]),
  );
}

function argumentTable(args: unknown): Html {
  const entries = Object.entries(isObject(args) ? args : {});
  return table(
    { caption: 'Arguments', empty: 'It takes none.' },
    ['Argument', 'Type', 'Required', 'Default', 'Meaning'],
    entries.map(([name, declared]) => {
      const { type, required, default: preset, description, sensitive } = isObject(declared) ? declared : {};
      return [
        html`<code>${shown(name)}</code>`,
        shown(fieldText(type)),
        required === true ? 'yes' : 'no',
        // It may be a secret.
        preset === undefined ? undefined : sensitive === true ? 'not shown' : shown(fieldText(preset)),
        typeof description === 'string' ? shown(description, 300) : undefined,
      ];
    }),
  );
}

/** Steps of loops and groups are indented below them. */
function stepList(steps: readonly JsonObject[]): Html {
  return html`<ol class="steps">
    ${steps.slice(0, MAX_STEPS).map(stepItem)}
  </ol>`;
}

function stepItem(step: JsonObject): Html {
  const { id, tool, condition, args, parallel } = step;
  const loop = step['forEach'] ?? step['for_each'];
  const inner = isObject(loop) ? listIn(loop['steps']) : listIn(parallel);
  const what = isObject(loop)
    ? html`for each of <code>${shown(fieldText(loop['items']))}</code>`
    : Array.isArray(parallel)
      ? html`at the same time`
      : html`<a href="/tools/${inPath(String(tool))}"><code>${shown(String(tool))}</code></a>`;
  const may =
    (step['allowFailure'] ?? step['allow_failure']) === true
      ? html`<span class="quiet">may fail</span>`
      : undefined;
  return html`<li class="step" id="${stepAnchor(String(id))}">
    <div class="line"><strong>${shown(String(id))}</strong> ${what} ${may}</div>
    ${condition === undefined ? undefined : html`<p class="hint">if ${shown(conditionText(condition), 300)}</p>`}
    ${
      isObject(args) && Object.keys(args).length > 0
        ? html`<details data-keep="arguments of ${String(id)}">
            <summary>Arguments</summary>
            ${output(`Arguments of ${shown(String(id))}`, block(JSON.stringify(args, null, 2)))}
          </details>`
        : undefined
    }
    ${inner.length === 0 ? undefined : stepList(inner)}
  </li>`;
}

function listIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
