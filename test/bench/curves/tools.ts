import { writeServer } from '../targets.ts';
import { pointOf } from './curve.ts';
import type { Curve } from './curve.ts';
import { inFrontOfTools } from './manyTools.ts';
import { call, waitForTools, withGateway } from './runningGateway.ts';

const TIMES = 60;
const EACH = 1_000;
const QUERIES = ['create a branch', 'stop the pod', 'list invoices', 'move a page to a user', 'delete 77'];

/** Tools of servers with a thousand each. */
export const toolsCurve: Curve = {
  name: 'tools',
  sizes: [1_000, 10_000, 100_000],
  measure: (sizes, directory) =>
    inFrontOfTools(async function* (urlOf) {
      for (const size of sizes) {
        const place = directory();
        for (let at = 0; at < size / EACH; at += 1)
          writeServer(place, `s${at}`, ['type: streamable-http', `url: ${urlOf(EACH)}`]);
        yield* await withGateway(place, {}, async (gateway) => {
          await waitForTools(gateway, size);
          const last = `x_s${size / EACH - 1}_stop_rule_999`;
          const point = (operation: string, name: string, argsAt: (at: number) => object) =>
            pointOf(gateway, { operation, size, times: TIMES }, (at) =>
              call(gateway, name, { ...argsAt(at) }),
            );
          return [
            await point('page of list_tools', 'list_tools', (at) => ({ offset: (at * 50) % size })),
            await point('search', 'filter_tools', (at) => ({ query: QUERIES[at % QUERIES.length] })),
            await point('describe_tool', 'describe_tool', () => ({ name: last })),
            await point('call', 'call_tool', () => ({ name: last, arguments: { text: 'a' } })),
            await pointOf(gateway, { operation: 'near names', size, times: TIMES }, (at) =>
              gateway.client.post({
                jsonrpc: '2.0',
                id: 8,
                method: 'tools/call',
                params: { name: 'call_tool', arguments: { name: `x_s0_stop_rul_${at}`, arguments: {} } },
              }),
            ),
          ];
        });
      }
    }),
};
