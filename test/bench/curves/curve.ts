/** What a curve of the growth bench is made of. */
import { median } from '../median.ts';
import type { RunningGateway } from './runningGateway.ts';

const LEAST_TIMES = 5;
const WARM_UP_MS = 2_000;
const MEASURED_MS = 4_000;

export interface Point {
  readonly operation: string;
  readonly size: number;
  /** Median time of one operation; undefined where only its CPU time counts. */
  readonly ms: number | undefined;
  /** CPU time of the gateway for one operation. */
  readonly cpuMs: number;
  /** Memory of the gateway after garbage collection, at this size. */
  readonly rssMb: number;
}

export interface Curve {
  readonly name: string;
  readonly sizes: readonly number[];
  /** Measures each size in turn. @param directory makes an empty one */
  measure(sizes: readonly number[], directory: () => string): AsyncIterable<Point>;
}

/** Runs an operation often enough for a median, or as often as a few seconds allow.
 *  @param run does it once, given how often it was done before */
export async function pointOf(
  gateway: RunningGateway,
  { operation, size, times }: { readonly operation: string; readonly size: number; readonly times: number },
  run: (at: number) => Promise<unknown>,
): Promise<Point> {
  let done = 0;
  const repeat = async (forMs: number): Promise<readonly number[]> => {
    const end = performance.now() + forMs;
    const all: number[] = [];
    while (all.length < times && (all.length < LEAST_TIMES || performance.now() < end)) {
      const begin = performance.now();
      await run(done++);
      all.push(performance.now() - begin);
    }
    return all;
  };
  await repeat(WARM_UP_MS);
  const cpuBefore = gateway.cpuMs();
  const all = await repeat(MEASURED_MS);
  const cpuMs = (gateway.cpuMs() - cpuBefore) / all.length;
  return { operation, size, ms: median(all), cpuMs, rssMb: await gateway.rssMb() };
}

/** The slope of a straight line through log size and log value: 0 is flat, 1 is as large as the size. */
export function exponentOf(points: readonly (readonly [size: number, value: number])[]): number {
  const logs = points.map(([size, value]) => [Math.log(size), Math.log(value)] as const);
  const meanX = logs.reduce((sum, [x]) => sum + x, 0) / logs.length;
  const meanY = logs.reduce((sum, [, y]) => sum + y, 0) / logs.length;
  const over = logs.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  return over / logs.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
}
