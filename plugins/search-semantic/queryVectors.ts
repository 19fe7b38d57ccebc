import { recentlyUsed } from '../kit/limits/recentlyUsed.ts';
import type { Embedder } from './embedder.ts';

/** Searches whose texts are embedded at a time; more go by words. */
const MAX_RUNNING = 8;

/** The vectors of the last queries. Those that come too late for their search are there for the next with the same words. */
export class QueryVectors {
  readonly #embedder: Embedder;
  readonly #signal: AbortSignal;
  readonly #known: ReturnType<typeof recentlyUsed<Float32Array>>;
  /** Vectors that are being made, by text. */
  readonly #running = new Map<string, Promise<Float32Array | undefined>>();
  /** Requests under way, each for the texts of one search. */
  #requests = 0;

  constructor(embedder: Embedder, max: number, signal: AbortSignal) {
    this.#embedder = embedder;
    this.#signal = signal;
    this.#known = recentlyUsed(max);
  }

  /** One vector for each text of a search; undefined if too many searches are under way, or one cannot be made. */
  async of(texts: readonly string[]): Promise<readonly Float32Array[] | undefined> {
    const queries = texts.map((text) => text.replace(/\s+/g, ' ').trim());
    const isNew = (query: string): boolean =>
      this.#known.get(query) === undefined && !this.#running.has(query);
    const unknown = [...new Set(queries)].filter(isNew);
    if (unknown.length > 0 && this.#requests >= MAX_RUNNING) return undefined;
    if (unknown.length > 0) this.#begin(unknown);
    const vectors = queries.map(async (query) => this.#known.get(query) ?? (await this.#running.get(query)));
    const all = await Promise.all(vectors);
    return all.every((vector) => vector !== undefined) ? all : undefined;
  }

  #begin(queries: readonly string[]): void {
    this.#requests += 1;
    const made = this.#embedder.embed(queries, 'query', this.#signal).finally(() => {
      this.#requests -= 1;
      for (const query of queries) this.#running.delete(query);
    });
    for (const [at, query] of queries.entries()) {
      const vector = made.then((vectors) => {
        const one = vectors[at];
        if (one !== undefined) this.#known.set(query, one);
        return one;
      });
      // A search that was answered by words does not wait for it.
      vector.catch(() => undefined);
      this.#running.set(query, vector);
    }
  }
}
