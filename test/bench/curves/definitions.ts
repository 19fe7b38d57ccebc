import { median } from '../median.ts';
import { writeServer } from '../targets.ts';
import type { Curve } from './curve.ts';
import { withGateway } from './runningGateway.ts';

const STARTS = 3;

/** Definitions of servers that do not start by themselves. */
export const definitionsCurve: Curve = {
  name: 'definitions',
  sizes: [10, 100, 1_000, 5_000],
  async *measure(sizes, directory) {
    for (const size of sizes) {
      const place = directory();
      for (let at = 0; at < size; at += 1)
        writeServer(place, `s${at}`, ['type: stdio', 'command: [node, server.js]', 'autoStart: false']);
      const starts: { ms: number; cpuMs: number; rssMb: number }[] = [];
      while (starts.length < STARTS)
        await withGateway(place, {}, async (gateway) => {
          starts.push({ ms: gateway.readyMs, cpuMs: gateway.cpuMs(), rssMb: await gateway.rssMb() });
        });
      const of = (key: 'ms' | 'cpuMs' | 'rssMb'): number => median(starts.map((start) => start[key]));
      yield { operation: 'start until ready', size, ms: of('ms'), cpuMs: of('cpuMs'), rssMb: of('rssMb') };
    }
  },
};
