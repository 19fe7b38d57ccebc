import { recentlyUsed } from '../kit/limits/recentlyUsed.ts';
import type { Embedder } from './embedder.ts';

/** Queries that are embedded at a time; more go by words. */
const MAX_RUNNING = 8;

/** The vectors of the last queries. One that comes too late for its search is there for the next with the same words. */
export class QueryVectors {
  readonly #embedder: Embedder;
  readonly #signal: AbortSignal;
  readonly #known: ReturnType<typeof recentlyUsed<Float32Array>>;
  readonly #running = new Map<string, Promise<Float32Array | undefined>>();

  constructor(embedder: Embedder, max: number, signal: AbortSignal) {
    this.#embedder = embedder;
    this.#signal = signal;
    this.#known = recentlyUsed(max);
  }

  /** @returns undefined if too many are under way */
  of(text: string): Float32Array | undefined | Promise<Float32Array | undefined> {
    const query = text.replace(/\s+/g, ' ').trim();
    const known = this.#known.get(query) ?? this.#running.get(query);
    if (known !== undefined || this.#running.size >= MAX_RUNNING) return known;
    const made = this.#make(query);
    this.#running.set(query, made);
    return made;
  }

  async #make(query: string): Promise<Float32Array | undefined> {
    try {
      const [vector] = await this.#embedder.embed([query], 'query', this.#signal);
      if (vector !== undefined) this.#known.set(query, vector);
      return vector;
    } finally {
      this.#running.delete(query);
    }
  }
}
