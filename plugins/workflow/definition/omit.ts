/** A copy without these keys. */
export function omit<T extends object, K extends keyof T>(value: T, ...keys: readonly K[]): Omit<T, K> {
  const kept = Object.entries(value).filter(([key]) => !(keys as readonly PropertyKey[]).includes(key));
  return Object.fromEntries(kept) as Omit<T, K>;
}
