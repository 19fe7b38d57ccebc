/** What a curve of the growth bench is made of. */
import { median } from '../median.ts';
import type { RunningGateway } from './runningGateway.ts';

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

/** Runs an operation often enough for a median. @param run does it once, given how often it was done before */
export async function pointOf(
  gateway: RunningGateway,
  { operation, size, times }: { readonly operation: string; readonly size: number; readonly times: number },
  run: (at: number) => Promise<unknown>,
): Promise<Point> {
  const warmUps = times;
  for (let at = 0; at < warmUps; at += 1) await run(at);
  const cpuBefore = gateway.cpuMs();
  const all: number[] = [];
  for (let at = warmUps; at < warmUps + times; at += 1) {
    const begin = performance.now();
    await run(at);
    all.push(performance.now() - begin);
  }
  const cpuMs = (gateway.cpuMs() - cpuBefore) / times;
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
