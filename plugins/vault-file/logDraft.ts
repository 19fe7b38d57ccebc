import type { KeyRing } from '../contracts/vault.ts';
import type { LogFile } from './logPlace.ts';
import type { Reader } from './reader.ts';
import { FILE_HEAD_BYTES, encode, fileHead, open, sealRecord } from './logRecord.ts';
import type { LogChange } from './logRecord.ts';
import type { Location } from './scan.ts';

const PIECE_BYTES = 1024 * 1024;

/** The new log file while it is written. */
export class LogDraft {
  readonly file: LogFile;
  readonly #ring: KeyRing;
  /** Key → the record it was copied from, and its location in this file. */
  readonly #copies = new Map<string, { readonly from: Location; readonly to: Location }>();
  #pieces: Buffer[];
  #written = 0;
  #end = FILE_HEAD_BYTES;

  constructor(file: LogFile, ring: KeyRing) {
    this.file = file;
    this.#ring = ring;
    this.#pieces = [fileHead(ring)];
  }

  get end(): number {
    return this.#end;
  }

  /** Copies entries that are not copied yet, in the order of the source. @returns the number of records that no longer open */
  async copy(source: Reader, entries: ReadonlyMap<string, Location>, goOn: () => boolean): Promise<number> {
    let lost = 0;
    const missing = [...entries].filter(([key, from]) => this.#copies.get(key)?.from !== from);
    missing.sort(([, a], [, b]) => a.offset - b.offset);
    for (const [key, from] of missing) {
      if (!goOn()) break;
      // Replaced or removed since the copy began.
      if (entries.get(key) !== from) continue;
      const record = open(this.#ring, from.offset, await source.at(from.offset, from.bytes));
      if (record === undefined) {
        lost += 1;
        this.#drop(key);
      } else this.#copies.set(key, { from, to: { ...from, ...this.#append(record.change) } });
      if (this.#end - this.#written > PIECE_BYTES) await this.#flush();
    }
    await this.#flush();
    return lost;
  }

  /** Deletes copies of keys that are no longer in `entries`, and syncs. @returns the new location of every entry */
  async finish(entries: ReadonlyMap<string, Location>): Promise<Map<string, Location>> {
    const locations = new Map<string, Location>();
    for (const [key, { to }] of this.#copies) {
      if (entries.has(key)) locations.set(key, to);
      else this.#append({ op: 'delete', key });
    }
    await this.#flush();
    await this.file.sync();
    return locations;
  }

  /** Deletes an older copy, which must not replace a lost record. */
  #drop(key: string): void {
    if (this.#copies.delete(key)) this.#append({ op: 'delete', key });
  }

  #append(change: LogChange): { readonly offset: number; readonly bytes: number } {
    const sealed = sealRecord(this.#ring, this.#end, encode(change));
    const place = { offset: this.#end, bytes: sealed.length };
    this.#pieces.push(sealed);
    this.#end += sealed.length;
    return place;
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.concat(this.#pieces);
    this.#pieces = [];
    await this.file.write(this.#written, bytes);
    this.#written += bytes.length;
  }
}
