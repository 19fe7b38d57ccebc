import type { Scope } from 'pegboard';
import { runTool } from '../data/runTool.ts';
import { serverNamed } from '../data/servers.ts';
import type { Action } from '../web/definePage.ts';
import { inPath } from '../../kit/pages/words.ts';

const DONE = { start: 'started', stop: 'stopped', restart: 'restarted' } as const;

/** `POST /mcps/<name>/start`, `stop` and `restart`: by core_service_*. */
export function serverActions(scope: Scope<unknown>): readonly Action[] {
  return Object.entries(DONE).map(([operation, done]) => ({
    method: 'POST',
    path: `/mcps/:name/${operation}`,
    takes: 'operate',
    run: async ({ params, request }) => {
      const { name } = serverNamed(scope, params['name'] ?? '');
      await runTool(scope, `core_service_${operation}`, { name }, request);
      return { message: `server ${name} was ${done}`, next: `/mcps/${inPath(name)}` };
    },
  }));
}
