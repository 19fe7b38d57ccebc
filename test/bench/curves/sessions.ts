import { createClient, initializeMessage } from '../client.ts';
import { startUpstream, writeServer } from '../targets.ts';
import { pointOf } from './curve.ts';
import type { Curve, Point } from './curve.ts';
import { call, inParallel, waitForTools, withGateway } from './runningGateway.ts';

const TIMES = 300;

/** Sessions that stay open, of one gateway. */
export const sessionsCurve: Curve = {
  name: 'sessions',
  sizes: [1_000, 10_000, 100_000],
  async *measure(sizes, directory) {
    const upstream = await startUpstream('http');
    if (upstream.kind !== 'http') throw new Error('the upstream is not there');
    try {
      const place = directory();
      writeServer(place, 'up', ['type: streamable-http', `url: ${upstream.url}`]);
      yield* await withGateway(place, {}, async (gateway) => {
        await waitForTools(gateway, 1);
        const { url } = gateway.client;
        const opener = createClient(url, 16);
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
    } finally {
      await upstream.stop();
    }
  },
};
