import { join } from 'node:path';
import { GatewayError } from 'pegboard';
import type { Log } from 'pegboard';
import { compose } from './compose.ts';
import type { Entry, Rules, TrailPosition } from './compose.ts';
import { AppendFile } from './appendFile.ts';
import type { Keys } from './signingKeys.ts';
import { ORIGIN, fileName } from './line.ts';
import type { Head, TrailEvent } from './line.ts';
import { verifyTrail } from './verifyTrail.ts';
import type { Reading } from './verifyTrail.ts';

export interface TrailParts {
  /** Absolute. */
  readonly directory: string;
  readonly keys: Keys;
  readonly limits: () => Omit<Rules, 'keys'> & { readonly maxPendingLines: number };
  readonly log: Log;
  /** What is said besides with every start. */
  readonly opening: () => Readonly<Record<string, unknown>>;
  /** Hears that lines were written. */
  readonly grown: () => void;
}
interface Waiting extends Entry {
  readonly written: () => void;
  readonly failed: (error: unknown) => void;
}

/** Writes the lines of one trail in the order they were asked for; whatever waits goes out as one write. */
export class Trail {
  readonly #parts: TrailParts;
  #waiting: Waiting[] = [];
  #turn: Promise<unknown> = Promise.resolve();
  /** Undefined before the start and after a failure: the next line reads what is on disk and goes on from there. */
  #file: AppendFile | undefined;
  #head: Head | undefined;
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

  /** @param held where the trail ended as far as anybody remembers @throws what that and the disk throw */
  start(held: () => Promise<Head | undefined>): Promise<void> {
    return this.#inTurn(async () => {
      this.#head = await held();
      await this.#open('started');
    });
  }

  /** Resolves once the line is in the file. @throws GatewayError STORE_UNREACHABLE */
  async append(event: TrailEvent): Promise<void> {
    const isFull = this.#waiting.length >= this.#parts.limits().maxPendingLines;
    if (isFull || this.#isStopped) {
      this.#lostLines += 1;
      const why = isFull ? 'too many of its lines wait for the disk' : 'it has ended';
      throw new GatewayError('STORE_UNREACHABLE', `the audit trail takes no line, ${why}; try again`);
    }
    const time = new Date().toISOString();
    const done = new Promise<void>((written, failed) => this.#waiting.push({ event, time, written, failed }));
    if (this.#waiting.length === 1) void this.#inTurn(() => this.#writeWaiting());
    await done;
  }

  /** Syncs what is written. @returns where the trail ends on disk; undefined while that is not known */
  settle(): Promise<Head | undefined> {
    return this.#inTurn(async () => {
      await this.#file?.sync();
      return this.#file === undefined ? undefined : this.#head;
    });
  }

  /** Ends it with a checkpoint; safe without a start. @returns as settle() */
  stop(): Promise<Head | undefined> {
    this.#isStopped = true;
    return this.#inTurn(async () => {
      if (this.#file === undefined) return undefined;
      try {
        await this.#write(entriesOf([{ type: 'stopped' }, { type: 'checkpoint' }]));
        return this.#head;
      } finally {
        await this.#close();
      }
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  async #writeWaiting(): Promise<void> {
    const batch = this.#waiting;
    this.#waiting = [];
    const lost = this.#lostLines;
    try {
      if (this.#file !== undefined && !(await this.#file.isIntact())) await this.#close();
      if (this.#file === undefined) await this.#open('reopened');
      const notes = lost === 0 ? [] : entriesOf([{ type: 'lost', lines: lost }]);
      await this.#write([...notes, ...batch]);
      this.#lostLines -= lost;
    } catch (error) {
      this.#lostLines += batch.length;
      await this.#close().catch(() => undefined);
      const text =
        'the audit trail cannot be written; look at the disk that plugins.audit.config.directory is on';
      for (const { failed } of batch) failed(new GatewayError('STORE_UNREACHABLE', text, { cause: error }));
      return;
    }
    for (const { written } of batch) written();
  }

  /** Finds the end of the trail on disk and writes down what is not as it should be. */
  async #open(type: 'started' | 'reopened'): Promise<void> {
    const { directory, opening, log } = this.#parts;
    const held = this.#head;
    const reading = await verifyTrail(directory, { held, onlyTail: true });
    const notes = await this.#resume(reading, held);
    const end = held === undefined && reading.lastFile !== undefined ? 'unknown' : 'known';
    if (end === 'unknown') log.warn('nothing remembers where the audit trail ended', { directory });
    await this.#write(entriesOf([...notes, { type, ...opening(), end }, { type: 'checkpoint' }]));
  }

  /** @returns what was found, as events */
  async #resume(
    { verification, head, ...on }: Reading,
    held: Head | undefined,
  ): Promise<readonly TrailEvent[]> {
    const [fault] = verification.faults;
    if (fault !== undefined) {
      const reason = `${fault.file}:${fault.line}: ${fault.detail}`;
      this.#parts.log.error('the audit trail is not as it was written', { reason });
      const seq = Math.max(held?.seq ?? 0, head.seq);
      this.#head = { seq, hash: held?.seq === seq ? held.hash : head.hash };
      // A file of its own: what was changed stays as it was found.
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

  async #write(entries: readonly Entry[]): Promise<void> {
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

function entriesOf(events: readonly TrailEvent[]): readonly Entry[] {
  const time = new Date().toISOString();
  return events.map((event) => ({ event, time }));
}
