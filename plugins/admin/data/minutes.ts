import type { KernelEvent } from 'pegboard';
import type { EndedCall } from '../../contracts/callHistory.ts';
import { MeantCalls } from '../../kit/calls/meantCalls.ts';
import { outcomeOf } from '../../kit/metrics/outcomeOf.ts';
import { CallSeries } from './callSeries.ts';
import type { CallFigures, Span } from './callSeries.ts';

export type Minute = Pick<CallFigures, 'calls' | 'errors'>;

/** Calls, errors and durations by server: those that `MeantCalls` counts. */
export class Minutes {
  readonly #all = new CallSeries();
  readonly #byServer = new Map<string, CallSeries>();
  readonly #meant = new MeantCalls();

  /** @returns whether it counts */
  take(event: KernelEvent): boolean {
    if (!this.#meant.isEnd(event)) return false;
    const at = Date.now();
    if (event.type === 'call.refused') this.add({ at, server: undefined, isError: true, ms: undefined });
    else this.add({ at, server: event.call.tool.server, isError: outcomeOf(event) !== 'ok', ms: event.ms });
    return true;
  }

  /** Also of a call before the last start. */
  add({ at, server, isError, ms }: EndedCall): void {
    this.#all.count(at, isError, ms);
    if (server === undefined) return;
    let series = this.#byServer.get(server);
    if (series === undefined) this.#byServer.set(server, (series = new CallSeries()));
    series.count(at, isError, ms);
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
