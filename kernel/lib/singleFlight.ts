/** Runs `work` once at a time. Calls during a run share the one run that follows it, which sees the newest state. */
export function singleFlight<T>(work: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | undefined;
  let next: Promise<T> | undefined;
  const begin = (): Promise<T> => {
    next = undefined;
    current = work().finally(() => (current = undefined));
    return current;
  };
  return () => {
    if (current === undefined && next === undefined) return begin();
    next ??= (current ?? Promise.resolve()).then(begin, begin);
    return next;
  };
}
