import { defer } from './cleanup.ts';

export interface HeldTimers {
  /** Runs the timers that are due within that time, in their order. */
  readonly pass: (ms: number) => void;
  /** Back to the real timers; after a test by itself. */
  readonly end: () => void;
}
interface Held {
  readonly at: number;
  readonly run: () => void;
}

/** Timers of this process that run only when the test lets time pass. Call it before what sets them. */
export function heldTimers(): HeldTimers {
  const real = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };
  const held = new Map<object, Held>();
  let now = 0;
  const set = (run: (...parts: readonly unknown[]) => void, ms = 0, ...parts: readonly unknown[]): object => {
    const timer = { unref: () => timer, ref: () => timer };
    held.set(timer, { at: now + ms, run: () => run(...parts) });
    return timer;
  };
  const clear = (timer: object): void => void held.delete(timer);
  Object.assign(globalThis, { setTimeout: set, clearTimeout: clear });
  const end = (): void => void Object.assign(globalThis, real);
  defer(end);
  const pass = (ms: number): void => {
    const until = now + ms;
    for (;;) {
      const [next] = [...held].filter(([, { at }]) => at <= until).sort(([, a], [, b]) => a.at - b.at);
      if (next === undefined) break;
      now = next[1].at;
      held.delete(next[0]);
      next[1].run();
    }
    now = until;
  };
  return { pass, end };
}
