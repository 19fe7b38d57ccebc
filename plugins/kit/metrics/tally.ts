import type { Labels, Sample } from '../../contracts/metrics.ts';

/** A counter by labels. */
export class Tally {
  readonly #counts = new Map<string, { readonly labels: Labels; value: number }>();

  /** @param labels always the same names in the same order */
  add(labels: Labels = {}, by = 1): void {
    const key = labelKey(labels);
    const known = this.#counts.get(key);
    if (known === undefined) this.#counts.set(key, { labels, value: by });
    else known.value += by;
  }

  samples(): Iterable<Sample> {
    return this.#counts.values();
  }

  /** Ends the series of what exists no longer. */
  keep(isKept: (labels: Labels) => boolean): void {
    for (const [key, { labels }] of this.#counts) if (!isKept(labels)) this.#counts.delete(key);
  }
}

export function labelKey(labels: Labels): string {
  let key = '';
  for (const name in labels) key += `${labels[name]}\0`;
  return key;
}
