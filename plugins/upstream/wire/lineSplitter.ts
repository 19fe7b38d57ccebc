/** Splits a byte stream into lines; decodes once per chunk where it can. Cutting at newlines never cuts a UTF-8 character. */
export class LineSplitter {
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** Whole lines that nobody wanted yet. */
  #rest: string | undefined;
  readonly #maxBytes: number;
  readonly #take: (line: string) => boolean;
  readonly #overflow: () => void;

  /** @param take gets each line; false when the next ones have to wait */
  constructor(maxBytes: number, take: (line: string) => boolean, overflow: () => void) {
    this.#maxBytes = maxBytes;
    this.#take = take;
    this.#overflow = overflow;
  }

  /** @returns false when lines are left: goOn() comes before the next chunk */
  push(chunk: Buffer): boolean {
    const end = chunk.lastIndexOf(10);
    if (end < 0) {
      this.#hold(chunk);
      return true;
    }
    const whole = chunk.subarray(0, end);
    this.#rest = this.#heldBytes === 0 ? whole.toString('utf8') : this.#joined(whole);
    if (end + 1 < chunk.length) this.#hold(chunk.subarray(end + 1));
    return this.goOn();
  }

  /** Hands over the lines that are left. @returns false when some still are */
  goOn(): boolean {
    const text = this.#rest;
    if (text === undefined) return true;
    let start = 0;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', start)) {
      const line = text.slice(start, at);
      start = at + 1;
      if (this.#take(line)) continue;
      this.#rest = text.slice(start);
      return false;
    }
    this.#rest = undefined;
    return this.#take(start === 0 ? text : text.slice(start));
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
