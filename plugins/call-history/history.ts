import type { KernelEvent, Log } from 'pegboard';
import { MeantCalls } from '../kit/calls/meantCalls.ts';
import type { CallReader, PendingCall } from './callReader.ts';
import type { Gap } from './keptCall.ts';
import type { Segments } from './segments.ts';

const FLUSH_MS = 200;
const PRUNE_MS = 600_000;
const MAX_WAITING = 10_000;
/** How many characters of arguments, results and errors may wait to be written. */
const MAX_WAITING_CHARS = 16_000_000;

/** Keeps each call that ends: a call only leaves an entry in a queue, which is written a few times a second. */
export class History {
  readonly #reader: CallReader;
  readonly #segments: Segments;
  readonly #log: Log;
  readonly #meant = new MeantCalls();
  #waiting: PendingCall[] = [];
  #waitingChars = 0;
  #gap: Gap | undefined;
  #isFailing = false;
  #isStopped = false;
  #work: Promise<void> = Promise.resolve();
  #soon: NodeJS.Timeout | undefined;
  #pruning: NodeJS.Timeout | undefined;

  constructor(reader: CallReader, segments: Segments, log: Log) {
    this.#reader = reader;
    this.#segments = segments;
    this.#log = log;
  }

  start(): void {
    this.#then(() => this.#segments.load());
    this.#pruning = setInterval(() => this.#then(() => this.#segments.prune()), PRUNE_MS);
    this.#pruning.unref();
  }

  /** Queues a call that has ended; it runs on the path of each. */
  take(event: KernelEvent): void {
    // A call that outlives the plugin would open a file again.
    if (this.#isStopped || !this.#meant.isEnd(event)) return;
    const call = this.#reader.begin(event);
    if (this.#waiting.length >= MAX_WAITING || this.#waitingChars > MAX_WAITING_CHARS) this.#lose([call]);
    else {
      this.#waiting.push(call);
      this.#waitingChars += charsOf(call);
    }
    this.#soon ??= setTimeout(() => this.#flush(), FLUSH_MS);
  }

  /** The calls that could not be written. */
  gaps(): readonly Gap[] {
    return [
      ...this.#segments.all().flatMap(({ gaps }) => gaps),
      ...(this.#gap === undefined ? [] : [this.#gap]),
    ];
  }

  /** Resolves when all that was taken is in the segments. */
  settled(): Promise<void> {
    this.#flush();
    return this.#work;
  }

  async stop(): Promise<void> {
    clearInterval(this.#pruning);
    await this.settled();
    this.#isStopped = true;
    // What has ended meanwhile.
    await this.settled();
    await this.#segments.close();
  }

  #flush(): void {
    clearTimeout(this.#soon);
    this.#soon = undefined;
    if (this.#waiting.length > 0 || this.#gap !== undefined) this.#then(() => this.#write());
  }

  async #write(): Promise<void> {
    const calls = this.#waiting;
    const gap = this.#gap;
    if (calls.length === 0 && gap === undefined) return;
    this.#waiting = [];
    this.#waitingChars = 0;
    this.#gap = undefined;
    try {
      const entries = await this.#reader.finish(calls);
      await this.#segments.append(gap === undefined ? entries : [gap, ...entries]);
      this.#isFailing = false;
    } catch (error) {
      if (gap !== undefined) this.#widen(gap);
      this.#lose(calls, error);
      return;
    }
    await this.#segments.roll();
  }

  #lose(calls: readonly PendingCall[], error?: unknown): void {
    for (const { at } of calls) this.#widen({ lost: 1, since: at, until: at });
    if (this.#isFailing) return;
    this.#isFailing = true;
    const fix = 'make room on the disk of the state directory; the list of calls says how many it lacks';
    this.#log.error('calls are missing in the call history', { fix, ...(error !== undefined && { error }) });
  }

  #widen(gap: Gap): void {
    this.#gap = joined(this.#gap, gap);
  }

  /** One after another; a failure is logged. */
  #then(work: () => Promise<void>): void {
    this.#work = this.#work
      .then(work)
      .catch((error: unknown) => this.#log.error('the call history failed', { error }));
  }
}

function charsOf({ texts }: PendingCall): number {
  return [texts?.args, texts?.error, texts?.json].reduce((sum, text) => sum + (text?.length ?? 0), 0);
}

function joined(one: Gap | undefined, other: Gap): Gap {
  if (one === undefined) return other;
  const { lost, since, until } = one;
  return {
    lost: lost + other.lost,
    since: Math.min(since, other.since),
    until: Math.max(until, other.until),
  };
}
