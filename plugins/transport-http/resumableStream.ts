import { randomBytes } from 'node:crypto';
import type { EventWriter } from '../kit/http/eventWriter.ts';
import { MAX_MESSAGE_BYTES } from '../kit/processes/peerQuestions.ts';
import type { Session } from '../contracts/sessions.ts';

interface Kept {
  readonly number: number;
  readonly json: string;
}
export interface ResumableParts {
  readonly session: Session;
  /** The session's standing stream, or the answer to one POST. */
  readonly kind: 'standing' | 'answer';
  /** Called after each event that the stream stored. */
  readonly grew: (stream: ResumableStream) => void;
  readonly ended: (stream: ResumableStream) => void;
  readonly maxBytes: number;
  /** The process that holds it, if it is not alone: other processes find it by the event ids. */
  readonly process: string | undefined;
}
/** What another process passes on to the client. */
export interface Passed {
  readonly events: readonly Kept[];
  /** There are no more. */
  readonly isOver: boolean;
  /** The next one has more than MAX_MESSAGE_BYTES. */
  readonly isTooLarge: boolean;
}
/** A connection of the client at another process. */
export interface Reader {
  readonly id: string;
  /** Whether it has just begun. */
  readonly isFirst: boolean;
}

const STANDING = 's';
const ANSWER = 'a';
/** Bytes of events that another process gets at a time, unless a single one is larger. */
const PASSED_BYTES = 262_144;

/** Whether an event id has the form of a standing stream's. */
export function isOfStanding(eventId: string): boolean {
  return eventId.startsWith(STANDING);
}

/** The messages of one stream, over any number of connections. */
export class ResumableStream {
  /** Hard to guess; followed by a number it is an event id. Its first letter is the kind of stream. */
  readonly id: string;
  readonly kind: ResumableParts['kind'];
  readonly sessionId: string;
  readonly #parts: ResumableParts;
  #kept: Kept[] = [];
  #lastNumber = 0;
  #firstNumber = 1;
  #bytes = 0;
  #live: EventWriter | undefined;
  /** Number of the last event sent to the current connection. */
  #given = 0;
  #isEnded = false;
  #leftAt = 0;
  /** The connection at another process that reads it. */
  #reader: string | undefined;
  #wake = (): void => undefined;

  constructor(parts: ResumableParts) {
    this.#parts = parts;
    this.kind = parts.kind;
    const at = parts.process === undefined ? '' : `.${parts.process}`;
    this.id = `${parts.kind === 'standing' ? STANDING : ANSWER}${randomBytes(12).toString('base64url')}${at}`;
    this.sessionId = parts.session.id;
  }

  get bytes(): number {
    return this.#bytes;
  }
  get isConnected(): boolean {
    return this.#live !== undefined;
  }
  get leftMsAgo(): number {
    return performance.now() - this.#leftAt;
  }
  /** Whether all events after that one are still stored. */
  has(number: number): boolean {
    return number + 1 >= this.#firstNumber && number <= this.#lastNumber;
  }

  /** @param live the first connection @param retryMs how long its client should wait before it reconnects */
  open(live: EventWriter, retryMs?: number): void {
    this.#live = live;
    // Clients of older revisions would treat an event without data as a broken message.
    if (this.#parts.session.revision >= '2025-11-25') live.prime(this.#idOf(0), retryMs);
    else live.keepAlive();
  }

  send(json: string): void {
    const number = (this.#lastNumber += 1);
    const isCaughtUp = this.#given === number - 1;
    this.#kept.push({ number, json });
    if (isCaughtUp) this.#give(number, json);
    this.#bytes += json.length;
    while (this.#bytes > this.#parts.maxBytes) this.#forgetFirst();
    // The reader has missed events that are no longer stored; it learns that when it resumes.
    if (!this.has(this.#given)) this.#live?.drop();
    this.#parts.grew(this);
    this.#wake();
  }

  /** @param after number of the last event that the client received */
  resume(after: number, live: EventWriter): void {
    this.#replace(live);
    this.#given = after;
    this.#catchUp(live);
  }

  /** For a connection at another process, which calls it again and again: waits for events, at most waitMs.
   *  @param reader that connection; its first call replaces any other
   *  @returns undefined if it was replaced, or events after that one are no longer stored */
  async pass(after: number, { id, isFirst }: Reader, waitMs: number): Promise<Passed | undefined> {
    if (isFirst) this.#replace(undefined, id);
    else if (id !== this.#reader) return undefined;
    this.#leftAt = performance.now();
    if (after === this.#lastNumber && !this.#isEnded) await this.#grown(waitMs);
    if (id !== this.#reader || !this.has(after)) return undefined;
    const events: Kept[] = [];
    const first = this.#kept[after + 1 - this.#firstNumber];
    if (first !== undefined && Buffer.byteLength(first.json) > MAX_MESSAGE_BYTES)
      return { events, isOver: false, isTooLarge: true };
    let bytes = 0;
    for (let at = after + 1 - this.#firstNumber; at < this.#kept.length && bytes < PASSED_BYTES; at += 1) {
      const next = this.#kept[at];
      const size = Buffer.byteLength(next?.json ?? '');
      if (next === undefined || (bytes > 0 && bytes + size > PASSED_BYTES)) break;
      events.push(next);
      bytes += size;
    }
    const isOver = this.#isEnded && after + events.length === this.#lastNumber;
    return { events, isOver, isTooLarge: false };
  }

  #replace(live: EventWriter | undefined, reader?: string): void {
    this.#live?.end();
    this.#live = live;
    this.#reader = reader;
    this.#wake();
  }

  #grown(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, waitMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Sends stored events only as fast as the client reads, because there may be many. */
  #catchUp(live: EventWriter): void {
    if (this.#live !== live) return;
    for (;;) {
      const next = this.#kept[this.#given + 1 - this.#firstNumber];
      if (next === undefined) break;
      if (live.isBehind(() => this.#catchUp(live))) return;
      this.#give(next.number, next.json);
    }
    if (this.#isEnded) live.end();
  }

  #give(number: number, json: string): void {
    this.#given = number;
    this.#live?.send(json, 'message', this.#idOf(number));
  }

  keepAlive(): void {
    this.#live?.keepAlive();
  }

  /** The connection has closed; another may follow. */
  left(live: EventWriter): void {
    if (this.#live !== live) return;
    this.#live = undefined;
    this.#leftAt = performance.now();
  }

  end(): void {
    this.#isEnded = true;
    if (this.#given === this.#lastNumber) this.#live?.end();
    this.#parts.ended(this);
    this.#wake();
  }

  #forgetFirst(): void {
    const first = this.#kept.shift();
    if (first === undefined) return;
    this.#bytes -= first.json.length;
    this.#firstNumber = first.number + 1;
  }

  #idOf(number: number): string {
    return `${this.id}_${number}`;
  }
}
