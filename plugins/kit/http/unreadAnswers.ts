import type { ServerResponse } from 'node:http';

/** Responses that clients have not read yet, oldest first. Over the bound, the oldest are dropped with their connections. */
export class UnreadAnswers {
  readonly #maxBytes: () => number;
  readonly #dropped: (bytes: number) => void;
  readonly #bytesByAnswer = new Map<ServerResponse, number>();
  /** One function for all responses: nothing is allocated for those that are read at once. */
  readonly #written: (this: ServerResponse) => void;
  #bytes = 0;

  /** @param maxBytes bound on the bytes of all unread responses together
   *  @param dropped called with the size of a response that is dropped */
  constructor(maxBytes: () => number, dropped: (bytes: number) => void) {
    this.#maxBytes = maxBytes;
    this.#dropped = dropped;
    const keep = (res: ServerResponse): void => this.#keep(res);
    this.#written = function () {
      keep(this);
    };
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Checks a response once it is completely written. */
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
      // A single response is allowed, however large.
      if (this.#bytes <= this.#maxBytes() || this.#bytesByAnswer.size === 1) return;
      this.#forget(res);
      res.destroy();
      this.#dropped(bytes);
    }
  }

  #forget(res: ServerResponse): void {
    this.#bytes -= this.#bytesByAnswer.get(res) ?? 0;
    this.#bytesByAnswer.delete(res);
  }
}
