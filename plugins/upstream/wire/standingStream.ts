import type { MemoryShare } from '../../memory/contract.ts';
import { failSkipped } from './answerLeftOut.ts';
import type { StreamEvent } from './eventReader.ts';
import { Exchange } from './exchange.ts';
import type { ExchangeOwner } from './exchange.ts';
import { isSessionLoss, statusError, unreachable } from './httpErrors.ts';
import { resumeWait } from './resumeWait.ts';
import type { ResumeWaits } from './resumeWait.ts';
import type { SocketFlow } from './socketFlow.ts';
import type { MemoryOf, WireListener } from './wire.ts';

export interface StandingParts {
  readonly listener: Pick<WireListener, 'message' | 'failed' | 'sessionLost' | 'closed'>;
  /** Sends the GET. */
  readonly get: (exchange: Exchange<undefined>, lastId: string | undefined) => void;
  readonly hasSession: () => boolean;
  /** Whether requests still run. */
  readonly isBusy: () => boolean;
  readonly waits: ResumeWaits;
  /** Maximum size of one message; the stream itself has no maximum. */
  readonly maxMessageBytes: number;
  readonly maxEventIdBytes: number;
  readonly flow: SocketFlow;
  readonly memory: MemoryOf;
  readonly redact: (text: string) => string;
}

/** How long the stream waits for the server to accept notifications/initialized. */
const ACCEPT_MS = 250;

/** The GET stream for messages of the server outside of requests; a server without one answers 405. */
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
  /** Number of consecutive streams that ended soon and without a message. */
  #empty = 0;

  constructor(parts: StandingParts) {
    this.#parts = parts;
    this.maxMessageBytes = parts.maxMessageBytes;
    this.maxEventIdBytes = parts.maxEventIdBytes;
    this.flow = parts.flow;
  }

  /** Opens the stream soon: at `accepted()`, or without it after `ACCEPT_MS`. */
  begin(): void {
    this.#lastId = undefined;
    this.#empty = 0;
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
  head(): void {
    // Only responses to POST assign the session.
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

  answered(_: undefined, exchange: Exchange<undefined>, body: string): void {
    const { hasSession, listener, redact } = this.#parts;
    if (hasSession() && isSessionLoss(exchange.status, body))
      listener.sessionLost(statusError(exchange, body, redact));
    else if (this.#lastId !== undefined) this.#startOver();
  }

  /** The server has dropped that event: continue with new events instead of giving up. */
  #startOver(): void {
    this.#lastId = undefined;
    this.#listenLater(resumeWait(undefined, this.#parts.waits));
  }

  streamEnded(_: undefined, { stream }: Exchange<undefined>): void {
    const { waits } = this.#parts;
    this.#lastId = stream?.lastId ?? this.#lastId;
    // A stream that lasted was probably cut by a proxy.
    if (performance.now() - this.#begunAt >= waits.maxResumeMs) this.#empty = 0;
    this.#listenLater(resumeWait(stream?.retryMs, waits, this.#empty));
    this.#empty += 1;
  }

  broken(about: undefined, exchange: Exchange<undefined>, error: Error): void {
    const { isBusy, listener } = this.#parts;
    // The server cannot be reached; running requests may still end.
    if (exchange.stream === undefined && !isBusy()) listener.closed(unreachable(error));
    else this.streamEnded(about, exchange);
  }
}
