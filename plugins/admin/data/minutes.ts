import type { KernelEvent } from 'pegboard';
import { outcomeOf } from '../../kit/metrics/outcomeOf.ts';
import { CallSeries } from './callSeries.ts';
import type { CallFigures, Span } from './callSeries.ts';

export type Minute = Pick<CallFigures, 'calls' | 'errors'>;

/** Calls, errors and durations by server. What clients called, not the meta-tool around it. */
export class Minutes {
  readonly #all = new CallSeries();
  readonly #byServer = new Map<string, CallSeries>();

  take(event: KernelEvent): void {
    if (event.type === 'call.refused') this.#all.count(true, undefined);
    if (event.type !== 'call.settled') return;
    const { tool, request } = event.call;
    if (tool.kind === 'meta' || request.transport === 'admin') return;
    const isError = outcomeOf(event) !== 'ok';
    this.#all.count(isError, event.ms);
    if (tool.server === undefined) return;
    let series = this.#byServer.get(tool.server);
    if (series === undefined) this.#byServer.set(tool.server, (series = new CallSeries()));
    series.count(isError, event.ms);
  }

  /** The last hour, the oldest minute first; the last one is not over yet. */
  all(): readonly Minute[] {
    return this.#all.parts('hour').map(minuteOf);
  }

  /** Sums of the last hour by server; only those that were called. */
  servers(): Readonly<Record<string, Minute>> {
    const sums = Object.entries(this.figures('hour')).map(([name, one]) => [name, minuteOf(one)] as const);
    return Object.fromEntries(sums);
  }

  /** Figures by server; only those that were called in that time. */
  figures(span: Span): Readonly<Record<string, CallFigures>> {
    const sums = [...this.#byServer].map(([server, series]) => [server, series.whole(span)] as const);
    return Object.fromEntries(sums.filter(([, { calls }]) => calls > 0));
  }

  /** @param server undefined: all of them, and what was refused before it ran */
  series(server?: string): CallSeries {
    return (server === undefined ? this.#all : this.#byServer.get(server)) ?? new CallSeries();
  }

  /** The server is not defined any more. */
  forgetOthers(servers: ReadonlySet<string>): void {
    for (const name of this.#byServer.keys()) if (!servers.has(name)) this.#byServer.delete(name);
  }
}

function minuteOf({ calls, errors }: CallFigures): Minute {
  return { calls, errors };
}

export function sumOfMinutes(minutes: readonly Minute[]): Minute {
  return minutes.reduce(
    (sum, { calls, errors }) => ({ calls: sum.calls + calls, errors: sum.errors + errors }),
    { calls: 0, errors: 0 },
  );
}
