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
  readonly #maxBytes: () => number;
  readonly #take: (line: string) => void;
  readonly #overflow: () => void;

  /** @param take receives each line @param overflow reports a line that is too long */
  constructor(maxBytes: () => number, take: (line: string) => void, overflow: () => void) {
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

  push(chunk: Buffer): void {
    const end = chunk.lastIndexOf(10);
    if (end < 0) {
      this.#hold(chunk);
      return;
    }
    const start = this.#isSkipping ? chunk.indexOf(10) + 1 : 0;
    if (this.#isSkipping) this.#endSkipping(chunk.subarray(0, start - 1));
    const text = start <= end ? this.#joined(chunk.subarray(start, end)) : undefined;
    this.#hold(chunk.subarray(end + 1));
    if (text !== undefined) this.#giveLines(text);
  }

  #giveLines(text: string): void {
    const max = this.#maxBytes();
    let start = 0;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', start)) {
      this.#give(text.slice(start, at), max);
      start = at + 1;
    }
    this.#give(start === 0 ? text : text.slice(start), max);
  }

  /** Hands over a last line without a newline. */
  end(): void {
    if (this.#heldBytes > 0) this.#take(this.#joined(Buffer.alloc(0)));
  }

  #give(line: string, max: number): void {
    // A UTF-16 unit takes at most three bytes in UTF-8.
    if (line.length * 3 <= max || Buffer.byteLength(line) <= max) this.#take(line);
    else this.#overflow();
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
