import type { Labels, Sample } from '../contract.ts';

/** A counter by one set of labels. */
export class Tally {
  readonly #counts = new Map<string, { readonly labels: Labels; value: number }>();

  /** @param values of the labels, in the same order each time */
  add(labels: Labels, by = 1): void {
    const key = keyOf(labels);
    const known = this.#counts.get(key);
    if (known === undefined) this.#counts.set(key, { labels, value: by });
    else known.value += by;
  }

  samples(): Iterable<Sample> {
    return this.#counts.values();
  }
}

export function keyOf(labels: Labels): string {
  let key = '';
  for (const name in labels) key += `${labels[name]}\n`;
  return key;
}
