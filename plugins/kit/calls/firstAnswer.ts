/** Asks one source after the other until one answers. @throws the error from `none` if no source does */
export function firstAnswer<S, A>(
  sources: readonly S[],
  ask: (source: S) => A | undefined,
  none: () => Error,
): A {
  for (const source of sources) {
    const answer = ask(source);
    if (answer !== undefined) return answer;
  }
  throw none();
}
