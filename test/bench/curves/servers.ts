import { setTimeout as sleep } from 'node:timers/promises';
import { writeServer } from '../targets.ts';
import { pointOf } from './curve.ts';
import type { Curve } from './curve.ts';
import { inFrontOfTools } from './manyTools.ts';
import { call, waitForTools, withGateway } from './runningGateway.ts';

const TIMES = 100;
const SETTLE_MS = 2_000;
const IDLE_SECONDS = 10;

/** Connected servers with one tool each, at one address. */
export const serversCurve: Curve = {
  name: 'servers',
  sizes: [10, 100, 1_000],
  measure: (sizes, directory) =>
    inFrontOfTools(async function* (urlOf) {
      for (const size of sizes) {
        const place = directory();
        for (let at = 0; at < size; at += 1)
          writeServer(place, `s${at}`, ['type: streamable-http', `url: ${urlOf(1)}`]);
        yield* await withGateway(place, {}, async (gateway) => {
          const begin = performance.now();
          await waitForTools(gateway, size);
          const ms = gateway.readyMs + performance.now() - begin;
          const connected = { size, ms, cpuMs: gateway.cpuMs(), rssMb: await gateway.rssMb() };
          await sleep(SETTLE_MS);
          const cpuBefore = gateway.cpuMs();
          await sleep(IDLE_SECONDS * 1_000);
          const cpuMs = (gateway.cpuMs() - cpuBefore) / IDLE_SECONDS;
          const idle = { size, ms: undefined, cpuMs, rssMb: await gateway.rssMb() };
          const args = { name: `x_s${size - 1}_create_branch_0`, arguments: { text: 'a' } };
          return [
            { operation: 'start until all are connected', ...connected },
            { operation: 'an idle second', ...idle },
            await pointOf(gateway, { operation: 'call', size, times: TIMES }, () =>
              call(gateway, 'call_tool', args),
            ),
            await pointOf(gateway, { operation: 'core_service_list', size, times: TIMES }, () =>
              call(gateway, 'call_tool', { name: 'core_service_list', arguments: {} }),
            ),
          ];
        });
      }
    }),
};
