import type { Draw, Drawn, Quota } from '../contracts/processes.ts';

const MINUTE_MS = 60_000;
/** A worker that has ended without giving its running calls back holds them for this time: they may still run at their servers. */
const HELD_MS = 30_000;

interface Held {
  readonly calls: number;
  readonly until: number;
}
interface Budget {
  /** When the bucket is full again (generic cell rate algorithm). */
  fullAt: number;
  readonly held: Map<string, Held>;
}

/** Budgets of calls that the workers make together, counted in the first process. */
export class LocalQuotas {
  readonly #budgets = new Map<string, Budget>();
  readonly #now: () => number;
  #sweepAt = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** @param holder the process that draws */
  draw(holder: string, name: string, { callsPerMinute, burst, concurrent }: Quota, draw: Draw): Drawn {
    const now = this.#now();
    this.#sweep(now);
    const budget: Budget = this.#budgets.get(name) ?? { fullAt: now, held: new Map() };
    this.#budgets.set(name, budget);
    let [calls, waitMs] = [draw.calls, 0];
    if (callsPerMinute > 0) {
      const interval = MINUTE_MS / callsPerMinute;
      const most = burst * interval;
      const fullAt = Math.min(Math.max(budget.fullAt - draw.back * interval, now), now + most);
      // A clock in fractions must not cost a call.
      const free = Math.floor((most - (fullAt - now)) / interval + 0.01);
      calls = Math.min(draw.calls, free);
      if (calls < draw.calls) waitMs = Math.ceil(fullAt - now - (burst - 1 - calls) * interval);
      calls += Math.min(draw.spare, Math.floor((free - calls) / 2));
      budget.fullAt = fullAt + calls * interval;
    }
    return {
      calls,
      held: concurrent > 0 ? hold(budget, holder, concurrent, draw.hold, now) : draw.hold,
      waitMs,
    };
  }

  #sweep(now: number): void {
    if (now < this.#sweepAt) return;
    this.#sweepAt = now + MINUTE_MS;
    for (const [name, { fullAt, held }] of this.#budgets) {
      for (const [holder, { calls, until }] of held) if (calls === 0 || until < now) held.delete(holder);
      if (fullAt < now && held.size === 0) this.#budgets.delete(name);
    }
  }
}

function hold({ held }: Budget, holder: string, concurrent: number, wanted: number, now: number): number {
  let free = concurrent;
  for (const [other, { calls, until }] of held) if (other !== holder && until > now) free -= calls;
  const calls = Math.max(Math.min(wanted, free), 0);
  held.set(holder, { calls, until: now + HELD_MS });
  return calls;
}
