import { randomBytes } from 'node:crypto';
import type { EventWriter } from 'pegboard';
import type { Session } from '../front/contract.ts';

interface Kept {
  readonly number: number;
  readonly json: string;
}
export interface ResumableParts {
  readonly session: Session;
  /** The session's standing stream, or the answer to one POST. */
  readonly kind: 'standing' | 'answer';
  /** It holds more than before. */
  readonly grew: (stream: ResumableStream) => void;
  readonly ended: (stream: ResumableStream) => void;
  readonly maxBytes: number;
}

const STANDING = 's';
const ANSWER = 'a';

/** Whether an event id is, or was, one of a standing stream. */
export function isOfStanding(eventId: string): boolean {
  return eventId.startsWith(STANDING);
}

/** What is said on one stream, over however many connections that takes. */
export class ResumableStream {
  /** Hard to guess; with a number behind it, it is an event id. Its first letter says what kind of stream it is. */
  readonly id: string;
  readonly kind: ResumableParts['kind'];
  readonly sessionId: string;
  readonly #parts: ResumableParts;
  #kept: Kept[] = [];
  #lastNumber = 0;
  #firstNumber = 1;
  #bytes = 0;
  #live: EventWriter | undefined;
  /** Number of the last event that the present connection was given. */
  #given = 0;
  #isEnded = false;
  #leftAt = 0;

  constructor(parts: ResumableParts) {
    this.#parts = parts;
    this.kind = parts.kind;
    this.id = `${parts.kind === 'standing' ? STANDING : ANSWER}${randomBytes(12).toString('base64url')}`;
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
  /** Whether all that came behind that event is still there. */
  has(number: number): boolean {
    return number + 1 >= this.#firstNumber && number <= this.#lastNumber;
  }

  /** @param live the first connection @param retryMs how long its reader is asked to wait before it comes back */
  open(live: EventWriter, retryMs?: number): void {
    this.#live = live;
    // Readers of older revisions would take an event without data for a broken message.
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
    // It has not read in time what is kept no longer, and learns that when it asks again.
    if (!this.has(this.#given)) this.#live?.drop();
    this.#parts.grew(this);
  }

  /** @param after number of the last event that arrived */
  resume(after: number, live: EventWriter): void {
    this.#live?.end();
    this.#live = live;
    this.#given = after;
    this.#catchUp(live);
  }

  /** As fast as it is read: what is kept may be much. */
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

  /** That connection is gone; another may come. */
  left(live: EventWriter): void {
    if (this.#live !== live) return;
    this.#live = undefined;
    this.#leftAt = performance.now();
  }

  end(): void {
    this.#isEnded = true;
    if (this.#given === this.#lastNumber) this.#live?.end();
    this.#parts.ended(this);
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
