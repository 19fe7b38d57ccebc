import { join } from 'node:path';
import { GatewayError } from 'pegboard';
import { inTurn } from 'pegboard/kit';
import type { Log } from 'pegboard';
import { compose } from './compose.ts';
import type { TrailEntry, TrailRules, TrailPosition } from './compose.ts';
import { AppendFile } from '../kit/files/appendFile.ts';
import type { Keys } from './signingKeys.ts';
import { ORIGIN, fileName } from './line.ts';
import type { Head, TrailEvent } from './line.ts';
import { verifyTrail } from './verifyTrail.ts';
import type { TrailReading } from './verifyTrail.ts';

export interface TrailParts {
  /** Absolute. */
  readonly directory: string;
  readonly keys: Keys;
  readonly limits: () => Omit<TrailRules, 'keys'> & { readonly maxPendingLines: number };
  readonly log: Log;
  /** Additional members of each `started` or `reopened` line. */
  readonly opening: () => Readonly<Record<string, unknown>>;
  /** Called after lines were written. */
  readonly grown: () => void;
}
/** A line that no call waits for is written with the next one, or after so many milliseconds. */
const LINGER_MS = 10;
/** A removed or changed file is detected by the first line that is written so long after the last look at it. */
const LOOK_MS = 100;

interface Waiting extends TrailEntry {
  readonly written: () => void;
  readonly failed: (error: unknown) => void;
}

/** Writes the lines of one trail in order; all waiting lines are written together. */
export class Trail {
  readonly #parts: TrailParts;
  #waiting: Waiting[] = [];
  #soon: NodeJS.Immediate | undefined;
  #later: NodeJS.Timeout | undefined;
  readonly #inTurn = inTurn();
  /** Undefined before the start and after a failure: the next line then continues at the end of the trail on disk. */
  #file: AppendFile | undefined;
  #head: Head | undefined;
  /** When to see next whether the file is intact: ms of a monotonic clock. */
  #lookAt = 0;
  #sinceCheckpoint = 0;
  #lostLines = 0;
  #isStopped = false;

  constructor(parts: TrailParts) {
    this.#parts = parts;
  }

  get directory(): string {
    return this.#parts.directory;
  }
  get keys(): Keys {
    return this.#parts.keys;
  }

  /** @param held returns the end of the trail that the vault has noted @throws errors of `held` and of the disk */
  start(held: () => Promise<Head | undefined>): Promise<void> {
    return this.#inTurn(async () => {
      this.#head = await held();
      await this.#open('started');
    });
  }

  /** Resolves once the line is in the file. @param isUrgent whether a call waits for it @throws GatewayError STORE_UNREACHABLE */
  async append(event: TrailEvent, isUrgent: boolean): Promise<void> {
    const isFull = this.#waiting.length >= this.#parts.limits().maxPendingLines;
    if (isFull || this.#isStopped) {
      this.#lostLines += 1;
      const why = isFull ? 'too many of its lines wait for the disk' : 'it has ended';
      throw new GatewayError('STORE_UNREACHABLE', `the audit trail accepts no more lines, ${why}; try again`);
    }
    const time = new Date().toISOString();
    const done = new Promise<void>((written, failed) => this.#waiting.push({ event, time, written, failed }));
    const write = (): void => void this.#inTurn(() => this.#writeWaiting());
    // All lines of one turn of the event loop are written together.
    if (isUrgent) this.#soon ??= setImmediate(write);
    else this.#later ??= setTimeout(write, LINGER_MS);
    await done;
  }

  /** Writes the waiting lines and syncs the file. @returns the end of the trail on disk; undefined while it is not known */
  settle(): Promise<Head | undefined> {
    return this.#inTurn(async () => {
      await this.#writeWaiting();
      await this.#file?.sync();
      return this.#file === undefined ? undefined : this.#head;
    });
  }

  /** Ends the trail with a checkpoint. Safe to call without start(). @returns as settle() */
  stop(): Promise<Head | undefined> {
    this.#isStopped = true;
    return this.#inTurn(async () => {
      await this.#writeWaiting();
      if (this.#file === undefined) return undefined;
      try {
        await this.#write(entriesOf([{ type: 'stopped' }, { type: 'checkpoint' }]));
        return this.#head;
      } finally {
        await this.#close();
      }
    });
  }

  async #writeWaiting(): Promise<void> {
    clearImmediate(this.#soon);
    clearTimeout(this.#later);
    this.#soon = this.#later = undefined;
    const batch = this.#waiting;
    if (batch.length === 0) return;
    this.#waiting = [];
    const lost = this.#lostLines;
    try {
      if (!(await this.#isIntact())) await this.#close();
      if (this.#file === undefined) await this.#open('reopened');
      const notes = lost === 0 ? [] : entriesOf([{ type: 'lost', lines: lost }]);
      await this.#write([...notes, ...batch]);
      this.#lostLines -= lost;
    } catch (error) {
      this.#lostLines += batch.length;
      await this.#close().catch(() => undefined);
      const text = 'the audit trail cannot be written; check the disk of plugins.audit.config.directory';
      for (const { failed } of batch) failed(new GatewayError('STORE_UNREACHABLE', text, { cause: error }));
      return;
    }
    for (const { written } of batch) written();
  }

  async #isIntact(): Promise<boolean> {
    const now = performance.now();
    if (this.#file === undefined || now < this.#lookAt) return true;
    this.#lookAt = now + LOOK_MS;
    return this.#file.isIntact();
  }

  /** Finds the end of the trail on disk and records its faults. */
  async #open(type: 'started' | 'reopened'): Promise<void> {
    const { directory, opening, log } = this.#parts;
    const held = this.#head;
    const reading = await verifyTrail(directory, { held, onlyTail: true });
    const notes = await this.#resume(reading, held);
    const end = held === undefined && reading.lastFile !== undefined ? 'unknown' : 'known';
    if (end === 'unknown') log.warn('the expected end of the audit trail is unknown', { directory });
    await this.#write(entriesOf([...notes, { type, ...opening(), end }, { type: 'checkpoint' }]));
  }

  /** @returns the faults, as events */
  async #resume(
    { verification, head, ...on }: TrailReading,
    held: Head | undefined,
  ): Promise<readonly TrailEvent[]> {
    const [fault] = verification.faults;
    if (fault !== undefined) {
      const reason = `${fault.file}:${fault.line}: ${fault.detail}`;
      this.#parts.log.error('the audit trail is not as it was written', { reason });
      const seq = Math.max(held?.seq ?? 0, head.seq);
      this.#head = { seq, hash: held?.seq === seq ? held.hash : head.hash };
      // Begins a new file: the changed one is kept as evidence.
      await this.#openFile(seq + 1, 0);
      return [{ type: 'gap', reason, expected: held ?? null, found: head }];
    }
    this.#head = head;
    await this.#openFile(on.lastFile?.firstSeq ?? 1, on.lastFileBytes - on.tornBytes);
    return on.tornBytes === 0 ? [] : [{ type: 'recovered', cutBytes: on.tornBytes }];
  }

  async #openFile(firstSeq: number, bytes: number): Promise<void> {
    this.#file = await AppendFile.open(join(this.#parts.directory, fileName(firstSeq)), bytes);
  }

  async #close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  async #write(entries: readonly TrailEntry[]): Promise<void> {
    const { keys, limits, grown } = this.#parts;
    const from: TrailPosition = {
      head: this.#head ?? ORIGIN,
      bytes: this.#file?.bytes ?? 0,
      sinceCheckpoint: this.#sinceCheckpoint,
    };
    for (const { firstSeq, text, hasCheckpoint, after } of compose(entries, from, { ...limits(), keys })) {
      if (firstSeq !== undefined) {
        await this.#file?.sync();
        await this.#close();
        await this.#openFile(firstSeq, 0);
      }
      await this.#file?.append(text);
      this.#head = after.head;
      this.#sinceCheckpoint = after.sinceCheckpoint;
      if (hasCheckpoint) await this.#file?.sync();
    }
    grown();
  }
}

function entriesOf(events: readonly TrailEvent[]): readonly TrailEntry[] {
  const time = new Date().toISOString();
  return events.map((event) => ({ event, time }));
}
