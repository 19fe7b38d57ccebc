import type { EventEmitter } from 'node:events';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';

const SHORTEST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 50;

export interface Deadline {
  /** Named in the failure. */
  readonly what?: string;
  readonly withinMs?: number;
}

/** Polls `condition` until it returns something truthy, less often the longer it takes: several wait at once on few cores.
 *  @throws Error naming `what` when it does not in time */
export async function until<T>(
  condition: () => T | Promise<T>,
  { what = String(condition), withinMs = 30_000 }: Deadline = {},
): Promise<NonNullable<T>> {
  const end = performance.now() + withinMs;
  for (;;) {
    const begun = performance.now();
    const value = await condition();
    if (value) return value;
    const now = performance.now();
    if (now > end) throw new Error(`not within ${withinMs} ms: ${what}`);
    await pause(Math.min(Math.max(SHORTEST_PAUSE_MS, 3 * (now - begun)), LONGEST_PAUSE_MS));
  }
}

/** @throws Error naming `what` when `promise` has not settled in time */
export async function within<T>(
  promise: Promise<T>,
  { what = 'a promise settles', withinMs = 30_000 }: Deadline = {},
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`not within ${withinMs} ms: ${what}`));
    }, withinMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The arguments of the next `event`. */
export function nextEvent(emitter: EventEmitter, event: string, withinMs = 5_000): Promise<unknown[]> {
  return within(once(emitter, event), { what: `event ${event}`, withinMs });
}

/** A promise with its resolver, for tests that decide when something ends. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}
