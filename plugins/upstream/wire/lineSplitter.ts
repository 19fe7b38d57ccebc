/** Splits a byte stream into lines; decodes once per chunk where it can. Cutting at newlines never cuts a UTF-8 character. */
export class LineSplitter {
  #held: Buffer[] = [];
  #heldBytes = 0;
  readonly #maxBytes: number;
  readonly #take: (line: string) => void;
  readonly #overflow: () => void;

  constructor(maxBytes: number, take: (line: string) => void, overflow: () => void) {
    this.#maxBytes = maxBytes;
    this.#take = take;
    this.#overflow = overflow;
  }

  push(chunk: Buffer): void {
    const end = chunk.lastIndexOf(10);
    if (end < 0) {
      this.#hold(chunk);
      return;
    }
    const whole = chunk.subarray(0, end);
    const text = this.#heldBytes === 0 ? whole.toString('utf8') : this.#joined(whole);
    if (end + 1 < chunk.length) this.#hold(chunk.subarray(end + 1));
    let start = 0;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', start)) {
      this.#take(text.slice(start, at));
      start = at + 1;
    }
    this.#take(start === 0 ? text : text.slice(start));
  }

  /** Hands over what came without a newline. */
  end(): void {
    if (this.#heldBytes > 0) this.#take(this.#joined(Buffer.alloc(0)));
  }

  #joined(last: Buffer): string {
    const text = Buffer.concat([...this.#held, last]).toString('utf8');
    this.#held = [];
    this.#heldBytes = 0;
    return text;
  }

  #hold(chunk: Buffer): void {
    this.#heldBytes += chunk.length;
    this.#held.push(chunk);
    if (this.#heldBytes <= this.#maxBytes) return;
    this.#held = [];
    this.#heldBytes = 0;
    this.#overflow();
  }
}
