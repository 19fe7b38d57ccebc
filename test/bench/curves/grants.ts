import { SERVERS, writeCallers } from '../callers.ts';
import { createClient, initialize } from '../client.ts';
import type { Client } from '../client.ts';
import { pointOf } from './curve.ts';
import type { Curve, Point } from './curve.ts';
import { call, withGateway, inFrontOfUpstream } from './runningGateway.ts';

const PEOPLE = 60;

/** Grants of people at five servers each; few of these people come. */
export const grantsCurve: Curve = {
  name: 'grants',
  sizes: [1_000, 10_000, 100_000],
  measure: (sizes, directory) =>
    inFrontOfUpstream(async function* (url) {
      for (const size of sizes) {
        const place = directory();
        writeCallers(place, url, size / SERVERS.length);
        yield* await withGateway(place, undefined, async (gateway) => {
          const clients: Client[] = [];
          const come = async (at: number): Promise<void> => {
            const client = createClient(gateway.client.url);
            client.token = `caller-${at}`;
            await initialize(client);
            clients.push(client);
          };
          const args = { name: `x_${SERVERS.at(-1)}_echo`, arguments: { text: 'a' } };
          const points: Point[] = [
            await pointOf(gateway, { operation: 'first session of a person', size, times: PEOPLE }, come),
            await pointOf(gateway, { operation: 'call with a grant', size, times: PEOPLE * 2 }, (at) => {
              const client = clients[at % clients.length];
              if (client === undefined) throw new Error('no person came');
              return call({ client }, 'call_tool', args);
            }),
          ];
          for (const client of clients) client.close();
          return points;
        });
      }
    }),
};
