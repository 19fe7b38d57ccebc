import type { Scope } from 'pegboard';
import { answerOf } from '../data/answerOf.ts';
import { runTool } from '../data/runTool.ts';
import type { Action } from '../web/definePage.ts';
import { inPath } from '../../kit/pages/words.ts';

/** `POST /runs/<id>/cancel`: by core_workflow_execution_cancel. */
export function runActions(scope: Scope<unknown>): readonly Action[] {
  return [
    {
      method: 'POST',
      path: '/runs/:id/cancel',
      takes: 'use',
      run: async ({ params: { id = '' }, request }) => {
        const answer = answerOf(
          await runTool(scope, 'core_workflow_execution_cancel', { execution_id: id }, request),
        );
        return { message: String(answer['message']), next: `/runs/${inPath(id)}` };
      },
    },
  ];
}
