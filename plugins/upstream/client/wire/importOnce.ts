/** Imports a module at the first call. Each `import()` asks the resolver in another thread, also for a module that is there. */
export function importOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => (loaded ??= load());
}
