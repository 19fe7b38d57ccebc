import type { StreamEvent } from './eventReader.ts';
import { Exchange } from './exchange.ts';
import type { ExchangeOwner } from './exchange.ts';
import { isSessionLoss, statusError, unreachable } from './httpErrors.ts';
import { resumeWait } from './resumeWait.ts';
import type { ResumeWaits } from './resumeWait.ts';
import type { SocketFlow } from './socketFlow.ts';
import type { WireListener } from './wire.ts';

export interface StandingParts {
  readonly listener: Pick<WireListener, 'message' | 'sessionLost' | 'closed'>;
  /** Sends the GET. */
  readonly get: (exchange: Exchange<undefined>, lastId: string | undefined) => void;
  readonly hasSession: () => boolean;
  /** Whether requests still run. */
  readonly isBusy: () => boolean;
  readonly waits: ResumeWaits;
  /** Of one message; the stream itself may be of any length. */
  readonly maxMessageBytes: number;
  readonly maxEventIdBytes: number;
  readonly flow: SocketFlow;
  readonly redact: (text: string) => string;
}

/** The GET stream on which a server says what answers nothing; a server without one answers 405. */
export class StandingStream implements ExchangeOwner<undefined> {
  readonly maxMessageBytes: number;
  readonly maxEventIdBytes: number;
  readonly flow: SocketFlow;
  readonly #parts: StandingParts;
  #exchange: Exchange<undefined> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lastId: string | undefined;
  #begunAt = 0;
  /** Streams in a row that ended soon and without a message. */
  #empty = 0;

  constructor(parts: StandingParts) {
    this.#parts = parts;
    this.maxMessageBytes = parts.maxMessageBytes;
    this.maxEventIdBytes = parts.maxEventIdBytes;
    this.flow = parts.flow;
  }

  /** In the next turn: notifications/initialized, which is sent in this one, comes first. */
  begin(): void {
    this.#lastId = undefined;
    this.#empty = 0;
    this.#listenLater(0);
  }

  /** Nothing is told from now on. Safe twice. */
  end(): void {
    this.#exchange?.drop();
    this.#exchange = undefined;
    clearTimeout(this.#timer);
  }

  #listenLater(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#begunAt = performance.now();
      this.#exchange = new Exchange<undefined>(this, undefined);
      this.#parts.get(this.#exchange, this.#lastId);
    }, ms);
  }

  // What the exchange tells.

  begun(): void {
    // Nothing waits for it.
  }
  head(): void {
    // The session is given by answers to POST.
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

  /** The server does not know that event any more: from now on is better than never again. */
  #startOver(): void {
    this.#lastId = undefined;
    this.#listenLater(resumeWait(undefined, this.#parts.waits));
  }

  streamEnded(_: undefined, { stream }: Exchange<undefined>): void {
    const { waits } = this.#parts;
    this.#lastId = stream?.lastId ?? this.#lastId;
    // One that has lasted was cut by somebody on the way.
    if (performance.now() - this.#begunAt >= waits.maxResumeMs) this.#empty = 0;
    this.#listenLater(resumeWait(stream?.retryMs, waits, this.#empty));
    this.#empty += 1;
  }

  broken(about: undefined, exchange: Exchange<undefined>, error: Error): void {
    const { isBusy, listener } = this.#parts;
    // Nobody listens there any more; what still runs may end.
    if (exchange.stream === undefined && !isBusy()) listener.closed(unreachable(error));
    else this.streamEnded(about, exchange);
  }
}
