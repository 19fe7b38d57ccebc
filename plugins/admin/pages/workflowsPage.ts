import { isObject } from 'pegboard';
import type { JsonObject, Scope } from 'pegboard';
import { html } from '../../kit/http/page.ts';
import { answerOf } from '../data/answerOf.ts';
import { excerpt } from '../../kit/pages/excerpt.ts';
import type { Excerpt } from '../../kit/pages/excerpt.ts';
import { runTool } from '../data/runTool.ts';
import { definePage } from '../web/definePage.ts';
import type { Page } from '../web/definePage.ts';
import { pager } from '../../kit/pages/pager.ts';
import { badge, hyperlink, table } from '../../kit/pages/parts.ts';
import { counted, inPath, shown } from '../../kit/pages/words.ts';

interface WorkflowsFacts {
  /** As core_workflow_list gives them. */
  readonly workflows: Excerpt<JsonObject>;
}

/** `/workflows`: the workflows, and whether each can run now. */
export function workflowsPage(scope: Scope<unknown>): Page {
  return definePage<WorkflowsFacts>({
    path: '/workflows',
    nav: 'Workflows',
    facts: async ({ query, request }) => {
      const { workflows } = answerOf(await runTool(scope, 'core_workflow_list', {}, request));
      return { workflows: excerpt(Array.isArray(workflows) ? workflows.filter(isObject) : [], query) };
    },
    show: ({ workflows }, { query }) => ({
      title: counted(workflows.total, 'workflow'),
      body: html`<p><a href="/runs">Runs of all workflows</a></p>
        ${table(
          {
            caption: 'Workflows',
            empty:
              'No workflow is defined. Add a file to the folder workflows, or type pegboard create -f FILE.',
          },
          ['Workflow', 'Now', 'Does', 'Runs'],
          workflows.items.map(({ name, description, available }) => [
            hyperlink(`/workflows/${inPath(String(name))}`, String(name)),
            badge(available === true ? 'available' : 'unavailable'),
            typeof description === 'string' ? shown(description, 200) : undefined,
            hyperlink(`/runs?workflow=${inPath(String(name))}`, 'runs'),
          ]),
        )}${pager(workflows, query)}`,
    }),
  });
}
