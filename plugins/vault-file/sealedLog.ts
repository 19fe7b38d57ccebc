import type { Log } from 'pegboard';
import type { KeyRing } from '../contracts/vault.ts';
import type { VaultFileConfig } from './config.ts';
import { LogDraft } from './logDraft.ts';
import type { LogFile, LogPlace } from './logPlace.ts';
import { Reader } from './reader.ts';
import { FILE_HEAD_BYTES, OVERHEAD_BYTES, encode, open, sealRecord } from './logRecord.ts';
import type { LogChange } from './logRecord.ts';
import type { Location, Scan } from './scan.ts';

export type LogLimits = Pick<VaultFileConfig, 'maxBatchBytes' | 'compactGarbageBytes'>;
export interface LogParts {
  readonly place: LogPlace;
  readonly ring: KeyRing;
  readonly log: Log;
  readonly limits: () => LogLimits;
}
interface Waiting {
  readonly change: LogChange;
  readonly plain: Buffer;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const SHOWN_DAMAGE = 10;

/** An append-only file of sealed records, with an index of the current ones. It does not handle expiry. */
export class SealedLog {
  #entries: Map<string, Location>;
  #file: LogFile;
  #end: number;
  #liveBytes = 0;
  #pendingBytes = 0;
  #compactAbove = 0;
  /** Whether a write failed: its bytes must be cut off before the next one. */
  #isUnclean = false;
  #isClosed = false;
  #isAbandoned = false;
  #isWriting = false;
  #writing: Promise<void> = Promise.resolve();
  #compacting: Promise<void> | undefined;
  readonly #queue: Waiting[] = [];
  /** Work that must run while nothing else is written. */
  readonly #turns: (() => Promise<void>)[] = [];
  readonly #parts: LogParts;

  constructor(parts: LogParts, file: LogFile, { entries, end }: Pick<Scan, 'entries' | 'end'>) {
    this.#parts = parts;
    this.#file = file;
    this.#entries = entries;
    this.#end = end;
    for (const { bytes } of entries.values()) this.#liveBytes += bytes;
  }

  /** Key → its record, in no order; contains exactly the acknowledged writes. */
  get entries(): ReadonlyMap<string, Location> {
    return this.#entries;
  }
  get liveBytes(): number {
    return this.#liveBytes;
  }
  /** Bytes accepted but not yet synced. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }
  /** Bytes that a rewritten file would not have. */
  get garbageBytes(): number {
    return this.#end - FILE_HEAD_BYTES - this.#liveBytes;
  }
  /** Resolves when the current compaction ends. */
  get settled(): Promise<void> {
    return this.#compacting ?? Promise.resolve();
  }

  /** Resolves once the change is on disk and in the index. */
  append(change: LogChange): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error('the log is closed'));
    const plain = encode(change);
    this.#pendingBytes += plain.length;
    return new Promise((resolve, reject) => {
      this.#queue.push({ change, plain, resolve, reject });
      this.#pump();
    });
  }

  /** Starts to read in this tick, so that `location` is still valid.
   *  @returns undefined if the record no longer opens */
  async read({ offset, bytes }: Location): Promise<Buffer | undefined> {
    const opened = open(this.#parts.ring, offset, await this.#file.read(offset, bytes));
    return opened?.change.op === 'set' ? opened.change.value : undefined;
  }

  /** Removes a key from the index; its record stays on disk until the next compaction. */
  forget(key: string): void {
    this.#index({ op: 'delete', key }, undefined);
  }

  /** Rewrites the file if it is damaged, or if an old key has sealed some of it. */
  async repair({ damage, hasOldKey }: Scan): Promise<void> {
    const { place, log } = this.#parts;
    if (damage.length > 0) {
      log.error('the vault file is damaged; readable records are kept, the damaged file is put aside', {
        file: place.name,
        aside: await place.setAside(),
        kept: this.#entries.size,
        damage: damage.slice(0, SHOWN_DAMAGE),
        damages: damage.length,
      });
      return this.#compact();
    }
    if (hasOldKey) this.#beginCompaction();
    else this.#considerCompaction();
  }

  /** Prevents further writes: another process owns the file now. */
  abandon(): void {
    this.#isAbandoned = true;
  }

  /** Resolves once all accepted changes are written. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#compacting;
    await this.#writing;
    await this.#file.close();
  }

  #pump(): void {
    if (this.#isWriting) return;
    this.#isWriting = true;
    this.#writing = this.#write();
  }

  /** The only writer. Never rejects. */
  async #write(): Promise<void> {
    // Changes appended in the same tick join the first batch.
    await Promise.resolve();
    for (;;) {
      const turn = this.#turns.shift();
      if (turn !== undefined) await turn();
      else if (this.#queue.length > 0) await this.#writeBatch(this.#nextBatch());
      else break;
    }
    // In the same step as the check of the queue, so that a later append starts a new writer.
    this.#isWriting = false;
    this.#considerCompaction();
  }

  #nextBatch(): readonly Waiting[] {
    const { maxBatchBytes } = this.#parts.limits();
    let bytes = 0;
    let count = 0;
    for (const { plain } of this.#queue) {
      bytes += plain.length + OVERHEAD_BYTES;
      if (count > 0 && bytes > maxBatchBytes) break;
      count += 1;
    }
    return this.#queue.splice(0, count);
  }

  async #writeBatch(batch: readonly Waiting[]): Promise<void> {
    const pieces: Buffer[] = [];
    const offsets: number[] = [];
    let end = this.#end;
    for (const { plain } of batch) {
      const piece = sealRecord(this.#parts.ring, end, plain);
      pieces.push(piece);
      offsets.push(end);
      end += piece.length;
    }
    try {
      this.#mustOwn();
      await this.#mend();
      this.#isUnclean = true;
      await this.#file.write(this.#end, Buffer.concat(pieces));
      await this.#file.sync();
      this.#isUnclean = false;
      this.#end = end;
      batch.forEach(({ change, resolve }, at) => {
        this.#index(change, { offset: offsets[at] ?? 0, bytes: pieces[at]?.length ?? 0 });
        resolve();
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      for (const { plain } of batch) this.#pendingBytes -= plain.length;
    }
  }

  #mustOwn(): void {
    if (this.#isAbandoned) throw new Error('another process has taken the vault over');
  }

  async #mend(): Promise<void> {
    if (!this.#isUnclean) return;
    await this.#file.truncate(this.#end);
    await this.#file.sync();
    await this.#parts.place.settle();
    this.#isUnclean = false;
  }

  #index(change: LogChange, place: { readonly offset: number; readonly bytes: number } | undefined): void {
    const former = this.#entries.get(change.key);
    this.#liveBytes -= former?.bytes ?? 0;
    if (change.op === 'delete' || place === undefined) {
      this.#entries.delete(change.key);
      return;
    }
    this.#liveBytes += place.bytes;
    this.#entries.set(change.key, { ...place, expiresAt: change.expiresAt });
  }

  #considerCompaction(): void {
    const { compactGarbageBytes } = this.#parts.limits();
    // As much garbage as live bytes: each byte is copied about once.
    if (this.garbageBytes <= Math.max(compactGarbageBytes, this.#liveBytes, this.#compactAbove)) return;
    if (!this.#isClosed && this.#compacting === undefined) this.#beginCompaction();
  }

  #beginCompaction(): void {
    this.#compactAbove = 0;
    this.#compacting = this.#compact()
      .catch((error: unknown) => {
        this.#compactAbove = this.garbageBytes + this.#parts.limits().compactGarbageBytes;
        this.#parts.log.warn('the vault could not be compacted; it continues in its old file', { error });
      })
      .finally(() => (this.#compacting = undefined));
  }

  /** Copies while writes continue in the old file; only the last step blocks them. */
  async #compact(): Promise<void> {
    const draft = new LogDraft(await this.#parts.place.draft(), this.#parts.ring);
    const goOn = (): boolean => !this.#isClosed;
    try {
      await draft.copy(new Reader(this.#file, this.#end), this.#entries, goOn);
      await draft.file.sync();
      if (goOn()) {
        await this.#exclusive(() => this.#switchTo(draft));
        return;
      }
    } catch (error) {
      await draft.file.close();
      throw error;
    }
    await draft.file.close();
  }

  async #switchTo(draft: LogDraft): Promise<void> {
    this.#mustOwn();
    const { place, log } = this.#parts;
    const former = this.#file;
    const source = new Reader(former, this.#end);
    const lost = await draft.copy(source, this.#entries, () => true);
    const locations = await draft.finish(this.#entries);
    if (lost > 0) {
      const aside = await place.setAside();
      log.error('records of the vault no longer open; the file that held them is put aside', {
        file: place.name,
        aside,
        records: lost,
      });
    }
    await place.publish();
    // From here on the old file has no name: the new one is current, whatever fails.
    this.#file = draft.file;
    this.#entries = locations;
    this.#end = draft.end;
    this.#liveBytes = 0;
    for (const { bytes } of locations.values()) this.#liveBytes += bytes;
    this.#isUnclean = true;
    await former.close().catch(() => undefined);
    // If this fails, it is tried again before the next write.
    await this.#mend().catch(() => undefined);
  }

  #exclusive(run: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#turns.push(() => run().then(resolve, reject));
      this.#pump();
    });
  }
}
