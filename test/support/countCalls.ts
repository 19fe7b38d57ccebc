import { defer } from './cleanup.ts';

/** Counts calls of `owner[name]` from now on. */
export function countCalls<Name extends PropertyKey>(
  owner: Record<Name, (...args: never[]) => unknown>,
  name: Name,
): () => number {
  let calls = 0;
  const real = owner[name];
  owner[name] = function (this: unknown, ...args: never[]) {
    calls += 1;
    return real.apply(this, args);
  };
  defer(() => (owner[name] = real));
  return () => calls;
}
