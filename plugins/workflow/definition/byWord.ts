/** The text to which each of some words belongs, the first if there are several. @param words those of a text, with spaces between */
export function byWord(words: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const pairs = Object.entries(words).flatMap(([text, list]) =>
    list.split(' ').map((word) => [word, text] as const),
  );
  return new Map(pairs.reverse());
}
