/** Cuts a byte stream into lines; a line over `maxBytes()` is reported once and skipped to its end. */
export class LineSplitter {
  #parts: Buffer[] = [];
  #bytes = 0;
  #skipping = false;
  readonly #maxBytes: () => number;
  readonly #onLine: (line: string) => void;
  readonly #onTooLong: () => void;

  constructor(maxBytes: () => number, onLine: (line: string) => void, onTooLong: () => void) {
    this.#maxBytes = maxBytes;
    this.#onLine = onLine;
    this.#onTooLong = onTooLong;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (;;) {
      const at = chunk.indexOf(0x0a, from);
      if (at < 0) break;
      this.#take(chunk.subarray(from, at));
      this.#finish();
      from = at + 1;
    }
    this.#take(chunk.subarray(from));
  }

  /** A last line without a line break counts. */
  end(): void {
    this.#finish();
  }

  #take(part: Buffer): void {
    if (this.#skipping || part.length === 0) return;
    this.#bytes += part.length;
    this.#parts.push(part);
    if (this.#bytes <= this.#maxBytes()) return;
    this.#parts = [];
    this.#skipping = true;
    this.#onTooLong();
  }

  #finish(): void {
    const line = this.#skipping ? '' : Buffer.concat(this.#parts).toString('utf8').trim();
    this.#parts = [];
    this.#bytes = 0;
    this.#skipping = false;
    if (line !== '') this.#onLine(line);
  }
}
