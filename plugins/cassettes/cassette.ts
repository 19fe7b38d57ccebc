import { appendFileSync, mkdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from 'pegboard';
import type { Log } from 'pegboard';

/** One server's recording: lines are added at its end, each written before the next step is taken, until it is full. */
export class Cassette {
  readonly #file: string;
  readonly #maxBytes: number;
  readonly #log: Log;
  /** The one that holds for what is added next; undefined until this process has written one. */
  #head: string | undefined;
  #isWhole = false;
  #isFull = false;
  #lastFault = '';

  constructor(file: string, maxBytes: number, log: Log) {
    this.#file = file;
    this.#maxBytes = maxBytes;
    this.#log = log;
  }

  /** Writes the head too when it is another than before. A file that somebody has removed begins anew. */
  add(head: string, line: string): void {
    try {
      this.#write(head, line);
      this.#lastFault = '';
    } catch (error) {
      // Part of it may have been written.
      this.#isWhole = false;
      this.#warn(messageOf(error));
    }
  }

  /** A call that is left out. The same reason in a row is told once. */
  skip(why: string): void {
    this.#warn(why);
  }

  #write(head: string, line: string): void {
    const size = this.#isWhole ? sizeOf(this.#file) : wholeLinesOf(this.#file);
    this.#isWhole = true;
    if (size === 0) this.#isFull = false;
    if (this.#isFull) return;
    const text = size > 0 && head === this.#head ? `${line}\n` : `${head}\n${line}\n`;
    if (size + Buffer.byteLength(text) > this.#maxBytes) {
      this.#isFull = true;
      this.#log.warn(
        'a cassette is full, the server is recorded no more; raise maxCassetteBytes or remove the file',
        {
          file: this.#file,
          maxCassetteBytes: this.#maxBytes,
        },
      );
      return;
    }
    if (size === 0) mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
    appendFileSync(this.#file, text, { mode: 0o600 });
    this.#head = head;
  }

  #warn(error: string): void {
    if (error !== this.#lastFault)
      this.#log.warn('a call could not be recorded', { file: this.#file, error });
    this.#lastFault = error;
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Takes half a line away that a killed process left behind. @returns the size */
function wholeLinesOf(file: string): number {
  const size = sizeOf(file);
  if (size === 0) return 0;
  const end = readFileSync(file).lastIndexOf(10) + 1;
  if (end < size) truncateSync(file, end);
  return end;
}
