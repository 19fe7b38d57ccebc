import { createClient, initializeMessage } from '../client.ts';
import { writeServer } from '../targets.ts';
import { pointOf } from './curve.ts';
import type { Curve, Point } from './curve.ts';
import { call, inParallel, waitForTools, withGateway, inFrontOfUpstream } from './runningGateway.ts';

const TIMES = 300;

/** Sessions that stay open, of one gateway. */
export const sessionsCurve: Curve = {
  name: 'sessions',
  sizes: [1_000, 10_000, 100_000],
  measure: (sizes, directory) =>
    inFrontOfUpstream(async function* (url) {
      const place = directory();
      writeServer(place, 'up', ['type: streamable-http', `url: ${url}`]);
      yield* await withGateway(place, {}, async (gateway) => {
        await waitForTools(gateway, 1);
        const opener = createClient(gateway.client.url, 16);
        const openOne = async (at: number): Promise<void> => {
          const { status } = await opener.post(initializeMessage(at));
          if (status !== 200) throw new Error(`initialize: HTTP ${status}`);
        };
        const points: Point[] = [];
        let open = 0;
        for (const size of sizes) {
          await inParallel(size - open, openOne);
          open = size;
          points.push(
            await pointOf(gateway, { operation: 'initialize', size, times: TIMES }, openOne),
            await pointOf(gateway, { operation: 'call', size, times: TIMES }, () =>
              call(gateway, 'call_tool', { name: 'x_up_echo', arguments: { text: 'a' } }),
            ),
          );
        }
        opener.close();
        return points;
      });
    }),
};
