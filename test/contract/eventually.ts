import { setTimeout as pause } from 'node:timers/promises';

/** Polls `condition` until it returns something truthy.
 *  @param what names the condition in the failure */
export async function eventually<T>(
  condition: () => T | Promise<T>,
  what: string,
  withinMs = 30_000,
): Promise<NonNullable<T>> {
  const end = performance.now() + withinMs;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms: ${what}`);
    await pause(5);
  }
}
