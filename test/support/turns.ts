import { defer } from './cleanup.ts';

/** Counts turns of the event loop, until the test is over. @returns the current number */
export function turnCounter(): () => number {
  let turn = 0;
  let timer = setImmediate(function tick() {
    turn += 1;
    timer = setImmediate(tick);
  });
  defer(() => clearImmediate(timer));
  return () => turn;
}

/** Runs `work` and counts the turns of the event loop that it yields. */
export async function turnsDuring<T>(
  work: () => Promise<T>,
): Promise<{ readonly value: T; readonly count: number }> {
  const turn = turnCounter();
  return { value: await work(), count: turn() };
}
