import { setTimeout as pause } from 'node:timers/promises';
import { makeDirectory } from '../support/directory.ts';
import type { Directory } from '../support/directory.ts';
import { startRedis } from '../support/redis.ts';
import { balancerOver } from './balancerOver.ts';
import { Load, SLOW_SERVER } from './load.ts';
import type { Phase } from './load.ts';
import { Replica } from './replica.ts';

const REPLICAS = 3;
/** Time after which clients know that the connections of a killed process are closed. */
const CLOSED_MS = 100;
const CUT_MS = 5_000;
const STEADY_MS = 5_000;
/** Time after which calls of a phase have ended. */
const SETTLE_MS = 2_000;

export interface ReplicasOptions {
  readonly sessions: number;
  readonly cuts: number;
}

/** Three processes on one Redis behind the balancer of the example: undisturbed, restarted one after the other, one killed, Redis
 *  cut. */
export async function disturbReplicas({ sessions, cuts }: ReplicasOptions): Promise<readonly Phase[]> {
  const redis = await startRedis();
  const directory = definitions(redis.url);
  const gateways = await Promise.all(Array.from({ length: REPLICAS }, () => Replica.start(directory)));
  const url = await balancerOver(gateways.map(({ port }) => port));
  const load = new Load(url, sessions);
  await load.begin();
  const inPhase = async (name: string, disturb: () => Promise<void>): Promise<void> => {
    load.enter(name);
    await disturb();
    await pause(SETTLE_MS);
    load.phase.dead = gateways.filter((one) => one.hasDied).length;
  };
  await inPhase('undisturbed', () => pause(STEADY_MS));
  await inPhase('rolling restart', async () => {
    for (const one of gateways) {
      await one.end('stop');
      await one.start();
    }
  });
  await inPhase('kill -9 of one', async () => {
    const [killed] = gateways;
    load.goneAt = Infinity;
    await killed?.end('kill');
    await pause(CLOSED_MS);
    load.goneAt = performance.now();
    await killed?.start();
  });
  await inPhase(`Redis cut ${cuts} times`, async () => {
    load.isStoreAway = true;
    for (let cut = 0; cut < cuts; cut += 1) {
      // In turns: the connection is refused, and no answer comes.
      if (cut % 2 === 0) await redis.kill();
      else redis.signal('SIGSTOP');
      await pause(CUT_MS);
      if (cut % 2 === 0) await redis.restart();
      else redis.signal('SIGCONT');
      await load.keysWork();
    }
    load.isStoreAway = false;
  });
  await inPhase('undisturbed again', () => pause(STEADY_MS));
  return load.end();
}

function definitions(redis: string): Directory {
  const directory = makeDirectory({ 'slow.mjs': SLOW_SERVER });
  const plugins = {
    'vault-file': false,
    'vault-redis': { config: { url: redis } },
    http: { config: { drainMs: 2_000 } },
    idempotency: { config: { maxKeys: 1_000_000 } },
  };
  directory.write('config.yaml', JSON.stringify({ plugins }));
  const command = [process.execPath, directory.at('slow.mjs')];
  directory.write('mcpservers/slow.yaml', JSON.stringify({ type: 'stdio', autoStart: true, command }));
  return directory;
}
