import type { LogFile } from './logPlace.ts';
import { HEAD_BYTES, MARK, recordBytes } from './logRecord.ts';

const WINDOW_BYTES = 1024 * 1024;

/** Reads a file from front to back in large pieces. */
export class Reader {
  readonly size: number;
  readonly #file: LogFile;
  #start = 0;
  #window: Buffer = Buffer.alloc(0);

  constructor(file: LogFile, size: number) {
    this.#file = file;
    this.size = size;
  }

  /** @returns fewer bytes at the end of the file */
  async at(offset: number, length: number): Promise<Buffer> {
    const end = Math.min(offset + length, this.size);
    if (offset < this.#start || end > this.#start + this.#window.length) {
      this.#window = await this.#file.read(
        offset,
        Math.min(this.size - offset, Math.max(length, WINDOW_BYTES)),
      );
      this.#start = offset;
    }
    return this.#window.subarray(offset - this.#start, end - this.#start);
  }

  /** The complete record that begins here; undefined if there is none, or if it is incomplete. */
  async record(offset: number): Promise<Buffer | undefined> {
    const bytes = recordBytes(await this.at(offset, HEAD_BYTES));
    if (bytes === undefined || offset + bytes > this.size) return undefined;
    return this.at(offset, bytes);
  }

  /** The offset of the next record mark, at or after `offset`. */
  async mark(offset: number): Promise<number | undefined> {
    for (let at = offset; at < this.size; at += WINDOW_BYTES) {
      // A mark may span two pieces.
      const found = (await this.at(at, WINDOW_BYTES + MARK.length - 1)).indexOf(MARK);
      if (found >= 0) return at + found;
    }
    return undefined;
  }

  async isZeroFrom(offset: number): Promise<boolean> {
    for (let at = offset; at < this.size; at += WINDOW_BYTES) {
      if ((await this.at(at, WINDOW_BYTES)).some((byte) => byte !== 0)) return false;
    }
    return true;
  }
}
