import { appendFileSync, mkdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from 'pegboard';
import type { Log } from 'pegboard';

/** One server's recording. Lines are appended synchronously until the file is full. */
export class Cassette {
  readonly #file: string;
  readonly #maxBytes: number;
  readonly #log: Log;
  /** The last head that this process has written; undefined before the first. */
  #head: string | undefined;
  #isWhole = false;
  #isFull = false;
  #lastFault = '';

  constructor(file: string, maxBytes: number, log: Log) {
    this.#file = file;
    this.#maxBytes = maxBytes;
    this.#log = log;
  }

  /** Writes the head too if it has changed. Begins a new file if the file was removed. */
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

  /** Reports a call that is left out; consecutive calls with the same reason are reported once. */
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
        'a cassette is full, and calls of its server are no longer recorded; raise maxCassetteBytes or remove the file',
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

/** Truncates an incomplete last line, which a killed process may leave. @returns the size */
function wholeLinesOf(file: string): number {
  const size = sizeOf(file);
  if (size === 0) return 0;
  const end = readFileSync(file).lastIndexOf(10) + 1;
  if (end < size) truncateSync(file, end);
  return end;
}
