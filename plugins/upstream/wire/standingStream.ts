import { Exchange } from './exchange.ts';
import type { ExchangeOwner } from './exchange.ts';
import { isSessionLoss, statusError, unreachable } from './httpErrors.ts';
import type { WireListener } from './wire.ts';

export interface StandingParts {
  readonly listener: Pick<WireListener, 'message' | 'sessionLost' | 'closed'>;
  /** Sends the GET. */
  readonly get: (exchange: Exchange<undefined>, lastId: string | undefined) => void;
  readonly hasSession: () => boolean;
  /** Whether requests still run. */
  readonly isBusy: () => boolean;
  /** Wait before a broken stream is taken up again when the server names none. */
  readonly resumeMs: number;
  /** Of one message; the stream itself may be of any length. */
  readonly maxMessageBytes: number;
  readonly redact: (text: string) => string;
}

/** The GET stream on which a server says what answers nothing; a server without one answers 405. */
export class StandingStream implements ExchangeOwner<undefined> {
  readonly maxMessageBytes: number;
  readonly #parts: StandingParts;
  #exchange: Exchange<undefined> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: StandingParts) {
    this.#parts = parts;
    this.maxMessageBytes = parts.maxMessageBytes;
  }

  /** In the next turn: notifications/initialized, which is sent in this one, comes first. */
  begin(): void {
    this.#listenLater(0, undefined);
  }

  /** Nothing is told from now on. Safe twice. */
  end(): void {
    this.#exchange?.drop();
    this.#exchange = undefined;
    clearTimeout(this.#timer);
  }

  #listenLater(ms: number, lastId: string | undefined): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#exchange = new Exchange<undefined>(this, undefined);
      this.#parts.get(this.#exchange, lastId);
    }, ms);
  }

  // What the exchange tells.

  begun(): void {
    // Nothing waits for it.
  }
  head(): void {
    // The session is given by answers to POST.
  }

  event(_: undefined, event: string, data: string): void {
    if (event === 'message') this.#parts.listener.message(data);
  }

  answered(_: undefined, exchange: Exchange<undefined>, body: string): void {
    const { hasSession, listener, redact } = this.#parts;
    if (hasSession() && isSessionLoss(exchange.status, body))
      listener.sessionLost(statusError(exchange, body, redact));
  }

  streamEnded(_: undefined, { stream }: Exchange<undefined>): void {
    this.#listenLater(stream?.retryMs ?? this.#parts.resumeMs, stream?.lastId);
  }

  broken(about: undefined, exchange: Exchange<undefined>, error: Error): void {
    const { isBusy, listener } = this.#parts;
    // Nobody listens there any more; what still runs may end.
    if (exchange.stream === undefined && !isBusy()) listener.closed(unreachable(error));
    else this.streamEnded(about, exchange);
  }
}
