/** A value that is made when it is first asked for: what the start does not need must not delay it. */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
