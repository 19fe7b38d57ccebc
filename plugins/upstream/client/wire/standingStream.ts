import type { MemoryShare } from '../../../contracts/memory.ts';
import { failSkipped } from './answerLeftOut.ts';
import type { StreamEvent } from './eventReader.ts';
import { Exchange } from './exchange.ts';
import type { ExchangeOwner } from './exchange.ts';
import { secondsIn } from './httpErrors.ts';
import { resumeWait } from './resumeWait.ts';
import type { ResumeWaits } from './resumeWait.ts';
import type { SocketFlow } from './socketFlow.ts';
import type { MemoryOf, WireListener } from './wire.ts';

export interface StandingParts {
  readonly listener: Pick<WireListener, 'message' | 'failed' | 'doubted' | 'reopened'>;
  /** Sends the GET. */
  readonly get: (exchange: Exchange<undefined>, lastId: string | undefined) => void;
  readonly waits: ResumeWaits;
  /** Maximum size of one message; the stream itself has no maximum. */
  readonly maxMessageBytes: number;
  readonly maxEventIdBytes: number;
  readonly flow: SocketFlow;
  readonly memory: MemoryOf;
}

/** How long the stream waits for the server to accept notifications/initialized. */
const ACCEPT_MS = 250;

/** Refusals that may not be the last word: of a credential, for a while, or because the former stream is not known to have ended (409).
 *  Any other says that the session has no stream. */
const AGAIN: ReadonlySet<number> = new Set([401, 408, 409, 425, 429]);
const NOT_IMPLEMENTED = 501;
const MAX_ASKED_MS = 300_000;

/** The GET stream for messages of the server outside of requests. It is optional: no answer to it ends or renews a session that
 *  POST still accepts; after one that makes the session doubtful, a ping decides. */
export class StandingStream implements ExchangeOwner<undefined> {
  readonly maxMessageBytes: number;
  readonly maxEventIdBytes: number;
  readonly flow: SocketFlow;
  readonly #parts: StandingParts;
  #exchange: Exchange<undefined> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lastId: string | undefined;
  #begunAt = 0;
  /** It has not been asked for since `begin()`. */
  #isFirst = false;
  /** Number of consecutive streams that were refused, or ended soon and without a message. */
  #empty = 0;
  #isOpen = false;
  /** Whether there was one in this session. */
  #wasOpen = false;

  constructor(parts: StandingParts) {
    this.#parts = parts;
    this.maxMessageBytes = parts.maxMessageBytes;
    this.maxEventIdBytes = parts.maxEventIdBytes;
    this.flow = parts.flow;
  }

  /** Whether messages outside of requests arrive now. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Opens the stream soon: at `accepted()`, or without it after `ACCEPT_MS`. */
  begin(): void {
    this.#lastId = undefined;
    this.#empty = 0;
    this.#isOpen = false;
    this.#wasOpen = false;
    this.#isFirst = true;
    this.#listenLater(ACCEPT_MS);
  }

  /** The server has accepted notifications/initialized: the stream takes the connection of that, which another one would be
   *  made for. */
  accepted(): void {
    if (this.#isFirst) this.#listenLater(0);
  }

  /** Ends the stream; the listener is not called any more. Safe to call twice. */
  end(): void {
    this.#exchange?.drop();
    this.#exchange = undefined;
    this.#isFirst = false;
    this.#isOpen = false;
    clearTimeout(this.#timer);
  }

  #listenLater(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#isFirst = false;
      this.#begunAt = performance.now();
      this.#exchange = new Exchange<undefined>(this, undefined);
      this.#parts.get(this.#exchange, this.#lastId);
    }, ms);
  }

  // Callbacks of the exchange.

  begun(): void {
    // Nothing to do.
  }
  head(_: undefined, { stream }: Exchange<undefined>): void {
    if (stream === undefined) return;
    // Without an id to resume after, what was announced meanwhile is lost.
    if (this.#wasOpen && this.#lastId === undefined) this.#parts.listener.reopened();
    this.#isOpen = true;
    this.#wasOpen = true;
  }

  memory(): MemoryShare | undefined {
    return this.#parts.memory(undefined);
  }
  givenUp(ends: string, why: Error): void {
    failSkipped(this.#parts.listener, ends, why);
  }

  event(_: undefined, { event, data }: StreamEvent): number {
    if (event !== 'message') return 1;
    this.#empty = 0;
    return this.#parts.listener.message(data);
  }

  answered(_: undefined, { status, retryAfter }: Exchange<undefined>): void {
    const { listener, waits } = this.#parts;
    if (this.#wasOpen) listener.doubted();
    if (AGAIN.has(status) || (status >= 500 && status !== NOT_IMPLEMENTED)) {
      this.#again(secondsIn(retryAfter));
    } else if (this.#lastId !== undefined) {
      // The server has dropped that event: continue with new events instead of giving up.
      this.#lastId = undefined;
      this.#listenLater(resumeWait(undefined, waits));
    }
  }

  streamEnded(_: undefined, { stream }: Exchange<undefined>): void {
    this.#isOpen = false;
    this.#lastId = stream?.lastId ?? this.#lastId;
    // A stream that lasted was probably cut by a proxy.
    if (performance.now() - this.#begunAt >= this.#parts.waits.maxResumeMs) this.#empty = 0;
    this.#again(undefined, stream?.retryMs);
  }

  broken(about: undefined, exchange: Exchange<undefined>): void {
    this.#parts.listener.doubted();
    this.streamEnded(about, exchange);
  }

  #again(askedSeconds = 0, retryMs?: number): void {
    const waitMs = resumeWait(retryMs, this.#parts.waits, this.#empty);
    this.#empty += 1;
    this.#listenLater(Math.max(waitMs, Math.min(askedSeconds * 1_000, MAX_ASKED_MS)));
  }
}
