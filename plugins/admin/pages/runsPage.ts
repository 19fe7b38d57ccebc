import { ConfigControl } from 'pegboard';
import type { Scope } from 'pegboard';
import { html } from '../../kit/http/page.ts';
import type { Html } from '../../kit/http/page.ts';
import type { RunSummary } from '../../contracts/runs.ts';
import { excerpt } from '../../kit/pages/excerpt.ts';
import { ownerIn } from '../data/ownerIn.ts';
import type { Excerpt } from '../../kit/pages/excerpt.ts';
import { runsIn } from '../data/runsIn.ts';
import { asked, choicesOf, filterForm } from '../../kit/pages/filterForm.ts';
import { definePage } from '../web/definePage.ts';
import type { Page } from '../web/definePage.ts';
import { pager } from '../../kit/pages/pager.ts';
import { hyperlink, table } from '../../kit/pages/parts.ts';
import { ago, counted, inPath, shown, took } from '../../kit/pages/words.ts';
import { runBadge } from './runPage.ts';

interface RunsFacts {
  readonly runs: Excerpt<RunSummary>;
  /** Names of those that may be asked for. */
  readonly workflows: readonly string[];
}

/** `/runs?status=&workflow=`: runs of workflows, of all callers, newest first. */
export function runsPage(scope: Scope<unknown>): Page {
  return definePage<RunsFacts>({
    path: '/runs',
    nav: 'Runs',
    takes: 'use',
    facts: async (visit) => {
      const { query, request } = visit;
      const [status, workflow] = [asked(query, 'status'), asked(query, 'workflow')];
      const filter = {
        ...(status !== '' && { status }),
        ...(ownerIn(visit) !== undefined && { readableBy: request }),
      };
      const known = await runsIn(scope).list(filter);
      const names = ownerIn(visit) === undefined ? definedIn(scope) : known.map((run) => run.workflow_name);
      const found = workflow === '' ? known : known.filter((run) => run.workflow_name === workflow);
      return { runs: excerpt(found, query), workflows: [...new Set(names)].sort() };
    },
    show: ({ runs, workflows }, { query }) => ({
      title: counted(runs.total, 'run'),
      body: html`${filterForm(
        [
          { name: 'status', label: 'Status', choices: STATUSES },
          { name: 'workflow', label: 'Workflow', choices: choicesOf(workflows, asked(query, 'workflow')) },
        ],
        query,
      )}
      ${runTable(runs.items)}${pager(runs, query)}`,
    }),
  });
}

function definedIn(scope: Scope<unknown>): readonly string[] {
  return scope
    .get(ConfigControl)
    .resources('Workflow')
    .map(({ name }) => name);
}

const STATUSES = [
  ['', 'all'],
  ['running', 'running'],
  ['completed', 'completed'],
  ['failed', 'failed'],
  ['cancelled', 'cancelled'],
] as const;

export function runTable(runs: readonly RunSummary[], empty = 'There is no such run.'): Html {
  return table(
    { caption: 'Runs', empty },
    ['Started', 'Workflow', 'Status', 'Took', 'Steps', 'Error'],
    runs.map(
      ({ execution_id: id, workflow_name: workflow, status, started_at, duration_ms, step_count, error }) => [
        html`<a href="/runs/${inPath(id)}">${ago(started_at)}</a>`,
        hyperlink(`/workflows/${inPath(workflow)}`, workflow),
        runBadge(status),
        html`<span class="number">${took(duration_ms)}</span>`,
        html`<span class="number">${String(step_count)}</span>`,
        error === undefined ? undefined : shown(error, 160),
      ],
    ),
  );
}
