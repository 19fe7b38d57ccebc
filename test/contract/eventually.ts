import { setTimeout as pause } from 'node:timers/promises';

/** Asks again and again until `condition` gives something truthy.
 *  @param what it is that did not happen, for the failure */
export async function eventually<T>(
  condition: () => T | Promise<T>,
  what: string,
  withinMs = 5_000,
): Promise<NonNullable<T>> {
  const end = performance.now() + withinMs;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms: ${what}`);
    await pause(5);
  }
}
