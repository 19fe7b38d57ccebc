import type { MemoryShare } from '../../contracts/memory.ts';

/** The memory that arguments and results of a run take: its steps keep them until it has ended. */
export class RunMemory {
  readonly #share: MemoryShare | undefined;
  #bytes = 0;

  constructor(share: MemoryShare | undefined) {
    this.#share = share;
  }

  /** @throws GatewayError MEMORY_FULL; then it is not counted, so that later steps, clean-up above all, have what is left */
  async takes(bytes: number): Promise<void> {
    this.#bytes += bytes;
    if (this.#share?.size(this.#bytes) !== false) return;
    try {
      await this.#share.room();
    } catch (error) {
      this.#bytes -= bytes;
      this.#share.size(this.#bytes);
      throw error;
    }
  }

  end(): void {
    this.#share?.size(0);
  }
}
