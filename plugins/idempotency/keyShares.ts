import { hasShare } from '../kit/limits/shares.ts';
import { noRoom, noShare } from './refusals.ts';

/** Minimum time between counts: counting reads all keys, and a caller without room may call often. */
const RECOUNT_MS = 1_000;

export interface KeySource {
  /** Ids of all stored keys, those of other and former processes included. */
  readonly ids: () => Promise<readonly string[]>;
  /** Whether the call of this key is running: its key is stored, or is about to be. */
  readonly isRunning: (id: string) => boolean;
  readonly maxKeys: () => number;
  /** ms of a clock */
  readonly now: () => number;
}

/** Counts the stored keys, and the owners of those that this process has recorded. */
export class KeyShares {
  readonly #source: KeySource;
  readonly #sharerById = new Map<string, string>();
  readonly #heldBySharer = new Map<string, number>();
  #known = 0;
  #counted: Promise<void> | undefined;
  #countedAt = -Infinity;

  constructor(source: KeySource) {
    this.#source = source;
  }

  /** Counts again: the limit, perhaps the vault, has changed. */
  recount(): void {
    this.#counted = undefined;
  }

  /** Reserves room for a new key. Counts again before a refusal, as keys may have expired.
   *  @throws GatewayError STORE_FORBIDDEN; errors of the source */
  async take(id: string, sharer: string): Promise<void> {
    await (this.#counted ??= this.#count());
    if (!this.#hasRoom(sharer) && this.#source.now() - this.#countedAt >= RECOUNT_MS)
      await (this.#counted = this.#count());
    const max = this.#source.maxKeys();
    const held = this.#heldBy(sharer);
    if (this.#known >= max) throw noRoom(max);
    if (!this.#hasRoom(sharer)) throw noShare(held, max - this.#known, max);
    this.#known += 1;
    this.#sharerById.set(id, sharer);
    this.#heldBySharer.set(sharer, held + 1);
  }

  /** Releases the room of a key that was not stored, or was deleted. */
  give(id: string): void {
    this.#known -= 1;
    this.#forget(id);
  }

  #hasRoom(sharer: string): boolean {
    return hasShare({ held: this.#heldBy(sharer), kept: this.#known, max: this.#source.maxKeys() });
  }

  #heldBy(sharer: string): number {
    return this.#heldBySharer.get(sharer) ?? 0;
  }

  #forget(id: string): void {
    const sharer = this.#sharerById.get(id);
    if (sharer === undefined) return;
    this.#sharerById.delete(id);
    const held = this.#heldBy(sharer) - 1;
    if (held > 0) this.#heldBySharer.set(sharer, held);
    else this.#heldBySharer.delete(sharer);
  }

  async #count(): Promise<void> {
    const { ids, isRunning, now } = this.#source;
    this.#countedAt = now();
    try {
      const known = new Set(await ids());
      for (const id of [...this.#sharerById.keys()]) {
        if (isRunning(id)) known.add(id);
        else if (!known.has(id)) this.#forget(id);
      }
      this.#known = known.size;
    } catch (error) {
      this.#counted = undefined;
      throw error;
    }
  }
}
