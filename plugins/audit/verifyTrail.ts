import { join } from 'node:path';
import { sha256 } from './digest.ts';
import { linesOf, trailFiles } from './files.ts';
import type { TrailFile } from './files.ts';
import { signatureFault } from './signingKeys.ts';
import type { Keys } from './signingKeys.ts';
import { ORIGIN, readLine } from './line.ts';
import type { Head, Line } from './line.ts';

export interface TrailFault {
  readonly file: string;
  /** Number of the line within the file, from 1. */
  readonly line: number;
  readonly what: 'changed' | 'missing' | 'out of order' | 'bad signature' | 'gap';
  readonly detail: string;
}
export interface Verification {
  readonly ok: boolean;
  readonly files: number;
  readonly lines: number;
  readonly first_time: string | null;
  readonly last_time: string | null;
  /** The first MAX_FAULTS faults. */
  readonly faults: readonly TrailFault[];
  readonly fault_count: number;
  readonly checkpoints: number;
  /** The last line that a valid signature covers; 0 without one. */
  readonly signed_through: number;
  /** Number of starts at which the vault had no note of the trail's end. */
  readonly unconfirmed_starts: number;
}
export interface Demands {
  readonly keys?: Keys | undefined;
  /** How many lines may follow the last signature; counts only with a key. */
  readonly checkpointLines?: number;
  /** A line that must exist, with this digest. */
  readonly held?: Head | undefined;
  /** Reads only from the file that holds `held`. */
  readonly onlyTail?: boolean;
}
/** The result of a verification, and the position at which writing continues. */
export interface TrailReading {
  readonly verification: Verification;
  readonly head: Head;
  readonly lastFile: TrailFile | undefined;
  readonly lastFileBytes: number;
  /** Size of an incomplete line at the end. */
  readonly tornBytes: number;
}

const MAX_FAULTS = 20;

/** Reads a trail from the first line to the last and reports every change.
 *  @throws errors of the file system */
export async function verifyTrail(directory: string, demands: Demands = {}): Promise<TrailReading> {
  const all = await trailFiles(directory);
  const { held, onlyTail = false } = demands;
  const start = onlyTail ? all.findLastIndex(({ firstSeq }) => firstSeq <= (held?.seq ?? Infinity)) : 0;
  const files = all.slice(Math.max(start, 0));
  const chain = new Chain(demands, start > 0 ? undefined : ORIGIN);
  for (const file of files) {
    chain.beginFile(file);
    for await (const { bytes, isWhole } of linesOf(join(directory, file.name))) chain.take(bytes, isWhole);
  }
  return chain.end(files);
}

/** Checks each line against the one before. */
class Chain {
  readonly #demands: Demands;
  readonly #faults: TrailFault[] = [];
  #faultCount = 0;
  #seq: number;
  /** Digest of the line before; undefined if it is unknown, so that `prev` cannot be checked. */
  #hash: string | undefined;
  #file: TrailFile = { name: '', firstSeq: 1 };
  /** Place of the line before. */
  #before = { file: '', line: 0 };
  #line = 0;
  #fileBytes = 0;
  #tornBytes = 0;
  #lines = 0;
  #firstTime: string | null = null;
  #lastTime: string | null = null;
  #checkpoints = 0;
  #signedThrough = 0;
  #unconfirmed = 0;
  #isHeldSeen = false;

  constructor(demands: Demands, origin: Head | undefined) {
    this.#demands = demands;
    this.#seq = origin?.seq ?? -1;
    this.#hash = origin?.hash;
  }

  beginFile(file: TrailFile): void {
    if (this.#tornBytes > 0) this.#add('changed', 'it ends in half a line');
    this.#file = file;
    this.#line = this.#fileBytes = this.#tornBytes = 0;
    if (this.#seq === -1) this.#seq = file.firstSeq - 1;
    if (file.firstSeq === this.#seq + 1) return;
    this.#jump(file.firstSeq);
    this.#seq = file.firstSeq - 1;
    this.#hash = undefined;
  }

  take(bytes: Buffer, isWhole: boolean): void {
    this.#line += 1;
    this.#fileBytes += bytes.length + (isWhole ? 1 : 0);
    if (!isWhole) {
      this.#tornBytes = bytes.length;
      return;
    }
    this.#lines += 1;
    const line = readLine(bytes);
    const hash = sha256(bytes);
    if (line === undefined) {
      this.#add('changed', 'this is not a line of an audit trail');
      this.#follow(this.#seq + 1, undefined);
      return;
    }
    if (line.event.type === 'gap') this.#gap(line);
    else if (line.seq !== this.#seq + 1) this.#jump(line.seq);
    else if (this.#hash !== undefined && line.prev !== this.#hash) this.#blame();
    // The line after an out-of-order line cannot be checked.
    if (line.seq > this.#seq) this.#follow(line.seq, hash);
    else this.#hash = undefined;
    this.#note(line, hash);
  }

  end(files: readonly TrailFile[]): TrailReading {
    const { held, keys, checkpointLines = Infinity } = this.#demands;
    const seq = Math.max(this.#seq, 0);
    if (held !== undefined && seq < held.seq)
      this.#add('missing', `${linesText(seq + 1, held.seq)} at the end`);
    else if (held !== undefined && !this.#isHeldSeen && held.seq > 0)
      this.#add('changed', `line ${held.seq} of the trail differs from the one that was written`);
    if (keys !== undefined && keys.trustedById.size > 0 && seq - this.#signedThrough > checkpointLines + 1)
      this.#add('bad signature', `no signature covers what follows line ${this.#signedThrough} of the trail`);
    return {
      verification: {
        ok: this.#faultCount === 0,
        files: files.length,
        lines: this.#lines,
        first_time: this.#firstTime,
        last_time: this.#lastTime,
        faults: this.#faults,
        fault_count: this.#faultCount,
        checkpoints: this.#checkpoints,
        signed_through: this.#signedThrough,
        unconfirmed_starts: this.#unconfirmed,
      },
      head: { seq, hash: this.#hash ?? ORIGIN.hash },
      lastFile: files.at(-1),
      lastFileBytes: this.#fileBytes,
      tornBytes: this.#tornBytes,
    };
  }

  /** Ignores a recorded gap when the trail is reopened, so that it is not recorded again. */
  #gap({ event }: Line): void {
    if (this.#demands.onlyTail !== true) this.#add('gap', String(event['reason']));
  }

  #follow(seq: number, hash: string | undefined): void {
    this.#seq = seq;
    this.#hash = hash;
    this.#before = { file: this.#file.name, line: this.#line };
  }

  #note(line: Line, hash: string): void {
    const { event, seq, time } = line;
    this.#firstTime ??= time;
    this.#lastTime = time;
    const { held } = this.#demands;
    if (held !== undefined && seq === held.seq) this.#isHeldSeen = hash === held.hash;
    if (event.type === 'started' && event['end'] === 'unknown') this.#unconfirmed += 1;
    if (event.type === 'checkpoint') this.#checkpoint(line);
  }

  #checkpoint(line: Line): void {
    this.#checkpoints += 1;
    const { keys } = this.#demands;
    if (keys === undefined || keys.trustedById.size === 0 || line.event['signature'] === undefined) return;
    const fault = signatureFault(line, keys);
    if (fault === undefined) this.#signedThrough = line.seq;
    else this.#add('bad signature', fault);
  }

  #jump(seq: number): void {
    if (seq > this.#seq + 1) this.#add('missing', `${linesText(this.#seq + 1, seq - 1)} before it`);
    else this.#add('out of order', `line ${seq} of the trail is where ${this.#seq + 1} belongs`);
  }

  /** `prev` does not match: reports a change of the line before. */
  #blame(): void {
    const { file, line } = this.#before;
    const what = 'this line, or the member prev of the next one, was changed';
    this.#add('changed', what, { file, line });
  }

  #add(what: TrailFault['what'], detail: string, at = { file: this.#file.name, line: this.#line }): void {
    this.#faultCount += 1;
    if (this.#faults.length < MAX_FAULTS) this.#faults.push({ ...at, what, detail });
  }
}

function linesText(first: number, last: number): string {
  return first === last
    ? `line ${first} of the trail is missing`
    : `lines ${first} to ${last} of the trail are missing`;
}
