import type { ServerResponse } from 'node:http';

export interface UnreadParts {
  /** Bytes of all answers together. */
  readonly maxBytes: () => number;
  /** Hears of an answer that is given up. */
  readonly dropped: (bytes: number) => void;
}

/** Answers that their clients have not read yet, oldest first. Over the bound the oldest are given up, with their connections. */
export class UnreadAnswers {
  readonly #parts: UnreadParts;
  readonly #bytesByAnswer = new Map<ServerResponse, number>();
  /** One for all answers: nothing is made for those that are read at once. */
  readonly #written: (this: ServerResponse) => void;
  #bytes = 0;

  constructor(parts: UnreadParts) {
    this.#parts = parts;
    const keep = (res: ServerResponse): void => this.#keep(res);
    this.#written = function () {
      keep(this);
    };
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Looks at an answer when it is written whole. */
  watch(res: ServerResponse): void {
    res.on('prefinish', this.#written);
  }

  #keep(res: ServerResponse): void {
    const bytes = res.writableLength;
    if (bytes === 0 || res.destroyed) return;
    this.#bytesByAnswer.set(res, bytes);
    this.#bytes += bytes;
    res.once('finish', () => this.#forget(res)).once('close', () => this.#forget(res));
    this.#bound();
  }

  #bound(): void {
    for (const [res, bytes] of this.#bytesByAnswer) {
      // A single one is no flood, however large.
      if (this.#bytes <= this.#parts.maxBytes() || this.#bytesByAnswer.size === 1) return;
      this.#forget(res);
      res.destroy();
      this.#parts.dropped(bytes);
    }
  }

  #forget(res: ServerResponse): void {
    this.#bytes -= this.#bytesByAnswer.get(res) ?? 0;
    this.#bytesByAnswer.delete(res);
  }
}
