import { ConfigControl, Shutdown, definePlugin, readSchema } from 'pegboard';
import type { Finding, Settings } from 'pegboard';
import { HttpListener } from '../contracts/http.ts';
import { WorkerLine } from '../contracts/processes.ts';
import type { WorkersConfig } from './config.ts';
import { serveAsWorker } from './serveAsWorker.ts';
import { supervise } from './supervise.ts';

/** Processes that serve one port together: this one is the first of them and keeps the others running (decision D208). */
export const plugin = definePlugin<WorkersConfig>({
  name: 'workers',
  api: 1,
  edge: true,
  configSchema: readSchema('config/workers'),
  enabled: ({ plugins }, env) =>
    env['PEGBOARD_WORKER'] !== undefined || typeof plugins['workers'] === 'object',
  requires: [ConfigControl, HttpListener, Shutdown],
  provides: [WorkerLine],
  check: (_, settings) => [...findings(settings)],
  apply: (scope) => {
    const number = process.env['PEGBOARD_WORKER'];
    if (number === undefined) supervise(scope);
    else serveAsWorker(scope, Number(number));
  },
});

function* findings({ aggregator }: Settings): Generator<Finding> {
  const path = ['count'];
  if (aggregator.transport === 'stdio')
    yield {
      path,
      message: 'a client over stdio has one process; remove plugins.workers, or set aggregator.transport',
    };
  if (process.platform === 'win32')
    yield { path, message: 'Windows gives no listening sockets to other processes; remove plugins.workers' };
}
