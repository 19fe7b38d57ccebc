import { randomBytes } from 'node:crypto';
import { messageOf } from 'pegboard';
import type { Log } from 'pegboard';
import type { Vault } from '../contracts/vault.ts';
import type { EventsConfig } from './config.ts';
import type { EventEntry } from './entryReader.ts';

const PREFIX = 'event:';
const SECONDS_A_DAY = 86_400;

interface Chunk {
  /** `event:<id of its first entry>-<8 hex digits>`, so that keys sort by time, and processes use different keys. */
  readonly key: string;
  readonly entries: EventEntry[];
}

/** Events in the vault, many to a record; the newest record is written again as it grows. */
export class Archive {
  readonly #config: () => EventsConfig;
  readonly #vault: () => Vault | undefined;
  readonly #isShared: () => boolean;
  readonly #log: Log;
  #open: Chunk | undefined;
  readonly #unwritten = new Set<Chunk>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #hasWarned = false;

  /** @param vault undefined while no plugin provides a vault: events are then kept in the ring only
   *  @param isShared whether other processes write to the same vault */
  constructor(config: () => EventsConfig, vault: () => Vault | undefined, isShared: () => boolean, log: Log) {
    this.#config = config;
    this.#vault = vault;
    this.#isShared = isShared;
    this.#log = log;
  }

  add(entry: EventEntry): void {
    const { chunkEntries, writeAfterMs } = this.#config();
    if (this.#open === undefined || this.#open.entries.length >= chunkEntries) {
      this.#open = { key: `${PREFIX}${entry.id}-${randomBytes(4).toString('hex')}`, entries: [] };
    }
    this.#open.entries.push(entry);
    this.#unwritten.add(this.#open);
    this.#timer ??= setTimeout(() => void this.settle(), writeAfterMs);
  }

  /** Restarts the timer with the current `writeAfterMs`. */
  retime(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.settle(), this.#config().writeAfterMs);
  }

  /** Writes the waiting events. Resolves when they are written or the write has failed. */
  settle(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  get isShared(): boolean {
    return this.#isShared() && this.#vault() !== undefined;
  }

  /** The entries of all processes, newest first. @throws GatewayError STORE_UNREACHABLE */
  async ofAllProcesses(): Promise<readonly EventEntry[]> {
    await this.settle();
    const entries: EventEntry[] = [];
    for await (const entry of this.olderThan(undefined)) entries.push(entry);
    // Each process has records of its own, which overlap in time.
    return entries.sort((a, b) => (a.id < b.id ? 1 : -1));
  }

  /** Entries older than `id`, newest first. @throws GatewayError STORE_UNREACHABLE */
  async *olderThan(id: string | undefined): AsyncGenerator<EventEntry> {
    const vault = this.#vault();
    if (vault === undefined) return;
    await this.#writing;
    const isOlder = (text: string): boolean => id === undefined || text < id;
    const keys = (await vault.list(PREFIX)).filter((key) => isOlder(key.slice(PREFIX.length)));
    for (const key of keys.reverse()) {
      const entries = ((await vault.get(key)) ?? []) as readonly EventEntry[];
      yield* [...entries].reverse().filter((entry) => isOlder(entry.id));
    }
  }

  async #write(): Promise<void> {
    const vault = this.#vault();
    const { keptDays, keptEntries, chunkEntries, ringEntries } = this.#config();
    try {
      for (const chunk of this.#unwritten) {
        if (vault === undefined) break;
        // Entries that are added during the write mark the chunk again.
        this.#unwritten.delete(chunk);
        await this.#writeOne(vault, chunk, keptDays * SECONDS_A_DAY);
        const keys = await vault.list(PREFIX);
        const excess = keys.slice(0, Math.max(keys.length - Math.ceil(keptEntries / chunkEntries), 0));
        for (const key of excess) await vault.delete(key);
      }
      this.#hasWarned = false;
    } catch (error) {
      if (!this.#hasWarned) this.#log.warn('events could not be stored', { error: messageOf(error) });
      this.#hasWarned = true;
    }
    // While the vault cannot be written, at most as many events wait as the ring holds.
    for (const chunk of this.#unwritten) {
      if (this.#unwritten.size <= Math.ceil(ringEntries / chunkEntries)) break;
      this.#unwritten.delete(chunk);
    }
  }

  async #writeOne(vault: Vault, chunk: Chunk, ttlSeconds: number): Promise<void> {
    try {
      await vault.set(chunk.key, chunk.entries, ttlSeconds);
    } catch (error) {
      this.#unwritten.add(chunk);
      throw error;
    }
  }
}
