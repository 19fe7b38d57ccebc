/** Runs `work` and counts the turns of the event loop that it leaves to others. */
export async function turnsDuring<T>(
  work: () => Promise<T>,
): Promise<{ readonly value: T; readonly count: number }> {
  let count = 0;
  let timer = setImmediate(function tick() {
    count += 1;
    timer = setImmediate(tick);
  });
  try {
    return { value: await work(), count };
  } finally {
    clearImmediate(timer);
  }
}
