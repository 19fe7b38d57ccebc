type Test = (...args: unknown[]) => unknown;

/** Counts the items that Array.prototype.some and find visit while `work` runs: libraries compare with them. */
export async function looksDuring(work: () => unknown): Promise<number> {
  const { some, find } = Array.prototype;
  let count = 0;
  const counting = (original: (test: never, bound?: unknown) => unknown) =>
    function (this: unknown, test: Test, bound?: unknown): unknown {
      const counted: Test = (...args) => {
        count += 1;
        return Reflect.apply(test, bound, args);
      };
      return Reflect.apply(original, this, [counted]);
    };
  Object.assign(Array.prototype, { some: counting(some), find: counting(find) });
  try {
    await work();
  } finally {
    Object.assign(Array.prototype, { some, find });
  }
  return count;
}
