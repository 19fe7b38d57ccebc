import type { MemoryShare } from '../../memory/contract.ts';

/** The memory that arguments and results of a run take: its steps keep them until it has ended. */
export class RunMemory {
  readonly #share: MemoryShare | undefined;
  #bytes = 0;

  constructor(share: MemoryShare | undefined) {
    this.#share = share;
  }

  /** @throws GatewayError MEMORY_FULL */
  async takes(bytes: number): Promise<void> {
    this.#bytes += bytes;
    if (this.#share?.size(this.#bytes) === false) await this.#share.room();
  }

  end(): void {
    this.#share?.size(0);
  }
}
