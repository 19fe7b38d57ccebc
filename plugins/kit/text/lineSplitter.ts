/** What is kept of each end of a line that is skipped. */
const END_BYTES = 256;

/** Splits a byte stream into lines; a line over the limit is reported once and skipped to its end. Decodes once per chunk
 *  where it can: cutting at newlines never cuts a UTF-8 character. */
export class LineSplitter {
  #held: Buffer[] = [];
  #heldBytes = 0;
  #isSkipping = false;
  /** Receives the ends of the line that skip() has dropped. */
  #skipped: ((ends: string) => void) | undefined;
  #ends = Buffer.alloc(0);
  /** Complete lines that were not handed over yet. */
  #rest: string | undefined;
  readonly #maxBytes: () => number;
  readonly #take: (line: string) => boolean;
  readonly #overflow: () => void;

  /** @param take receives each line; returns false to pause @param overflow reports a line that is too long */
  constructor(maxBytes: () => number, take: (line: string) => boolean, overflow: () => void) {
    this.#maxBytes = maxBytes;
    this.#take = take;
    this.#overflow = overflow;
  }

  /** Bytes of the line that is incomplete. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Drops the line that is incomplete, and the rest of it as it arrives. @param told receives its first and last bytes */
  skip(told: (ends: string) => void): void {
    this.#skipped = told;
    this.#ends = endsOf(Buffer.concat(this.#held));
    this.#held = [];
    this.#heldBytes = 0;
    this.#isSkipping = true;
  }

  /** @returns false if lines are left: call goOn() before the next chunk */
  push(chunk: Buffer): boolean {
    const end = chunk.lastIndexOf(10);
    if (end < 0) {
      this.#hold(chunk);
      return true;
    }
    const start = this.#isSkipping ? chunk.indexOf(10) + 1 : 0;
    if (this.#isSkipping) this.#endSkipping(chunk.subarray(0, start - 1));
    if (start <= end) this.#rest = this.#joined(chunk.subarray(start, end));
    this.#hold(chunk.subarray(end + 1));
    return this.goOn();
  }

  /** Hands over the lines that are left. @returns false if some still are */
  goOn(): boolean {
    const text = this.#rest;
    if (text === undefined) return true;
    const max = this.#maxBytes();
    let start = 0;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', start)) {
      const line = text.slice(start, at);
      start = at + 1;
      if (this.#give(line, max)) continue;
      this.#rest = text.slice(start);
      return false;
    }
    this.#rest = undefined;
    return this.#give(start === 0 ? text : text.slice(start), max);
  }

  /** Hands over a last line without a newline. */
  end(): void {
    if (this.#heldBytes > 0) this.#take(this.#joined(Buffer.alloc(0)));
  }

  #give(line: string, max: number): boolean {
    // A UTF-16 unit takes at most three bytes in UTF-8.
    if (line.length * 3 <= max || Buffer.byteLength(line) <= max) return this.#take(line);
    this.#overflow();
    return true;
  }

  #endSkipping(last: Buffer): void {
    this.#isSkipping = false;
    const told = this.#skipped;
    this.#skipped = undefined;
    told?.(endsOf(Buffer.concat([this.#ends, last])).toString('utf8'));
  }

  #joined(last: Buffer): string {
    if (this.#heldBytes === 0) return last.toString('utf8');
    const text = Buffer.concat([...this.#held, last]).toString('utf8');
    this.#held = [];
    this.#heldBytes = 0;
    return text;
  }

  #hold(chunk: Buffer): void {
    if (this.#skipped !== undefined) this.#ends = endsOf(Buffer.concat([this.#ends, chunk]));
    if (this.#isSkipping || chunk.length === 0) return;
    this.#heldBytes += chunk.length;
    this.#held.push(chunk);
    if (this.#heldBytes <= this.#maxBytes()) return;
    this.#held = [];
    this.#heldBytes = 0;
    this.#isSkipping = true;
    this.#overflow();
  }
}

function endsOf(line: Buffer): Buffer<ArrayBuffer> {
  if (line.length <= 2 * END_BYTES) return Buffer.from(line);
  return Buffer.concat([line.subarray(0, END_BYTES), line.subarray(-END_BYTES)]);
}
