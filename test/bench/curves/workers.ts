import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient, initialize } from '../client.ts';
import { cleanEnv, cpuUs, launch, rssBytes, stopChild, urlOf } from '../processes.ts';
import { serveCommand, writeServer } from '../targets.ts';
import { pointOf } from './curve.ts';
import type { Curve } from './curve.ts';
import { call, inFrontOfUpstream, inParallel, waitForTools } from './runningGateway.ts';
import type { RunningGateway } from './runningGateway.ts';

const TIMES = 200;
const CALLS = 64;
const PARALLEL = 16;
const ECHO = { name: 'x_up_echo', arguments: { text: 'a' } };

/** Processes that serve one port, on all cores: CPU and memory are those of all of them, the memory without a collection before. */
export const workersCurve: Curve = {
  name: 'workers',
  sizes: [1, 2],
  measure: (sizes, directory) =>
    inFrontOfUpstream(async function* (url) {
      for (const size of sizes) {
        const place = directory();
        writeServer(place, 'up', ['type: streamable-http', `url: ${url}`]);
        const plugins = { workers: { config: { count: size } } };
        writeFileSync(join(place, 'config.yaml'), JSON.stringify({ plugins }));
        const child = launch(serveCommand(place, []), { env: cleanEnv() });
        try {
          const client = createClient(await urlOf(child, 'pegboard'), PARALLEL);
          await initialize(client);
          const pids = [child.pid ?? 0, ...childrenOf(child.pid ?? 0)];
          const sum = (read: (pid: number) => number): number =>
            pids.map(read).reduce((all, one) => all + one, 0);
          const gateway: RunningGateway = {
            client,
            readyMs: 0,
            cpuMs: () => sum(cpuUs) / 1e3,
            rssMb: () => Promise.resolve(sum(rssBytes) / 1e6),
          };
          await waitForTools(gateway, 1);
          yield await pointOf(
            gateway,
            { operation: `${CALLS} calls by 16 callers`, size, times: TIMES },
            () => inParallel(CALLS, () => call(gateway, 'call_tool', ECHO)),
          );
          client.close();
        } finally {
          await stopChild(child);
        }
      }
    }),
};

/** Source: proc(5), /proc/pid/task/tid/children */
function childrenOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}
