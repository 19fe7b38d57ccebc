import { Deadlines } from './deadlines.ts';
import type { Exchange } from './exchange.ts';

export interface NoticeLimits {
  readonly noticeTimeoutMs: number;
  readonly maxNotices: number;
}

type Open = Pick<Exchange<unknown>, 'drop' | 'whenOver'>;

interface Waiting {
  readonly text: string;
  readonly until: number;
  readonly over: () => void;
}

/** Exchanges whose outcome no caller awaits. A server that never ends them occupies a share of the connections at most, and
 *  each for a limited time. */
export class Unawaited {
  readonly #limits: () => NoticeLimits;
  readonly #maxConnections: number;
  readonly #post: (text: string) => Open | undefined;
  readonly #notices: Deadlines<Open>;
  readonly #answered: Deadlines<Open>;
  readonly #waiting: Waiting[] = [];

  /** @param post @returns undefined when there is no connection */
  constructor(limits: () => NoticeLimits, maxConnections: number, post: (text: string) => Open | undefined) {
    this.#limits = limits;
    this.#maxConnections = maxConnections;
    this.#post = post;
    const ms = (): number => limits().noticeTimeoutMs;
    const drop = (exchange: Open): void => exchange.drop();
    this.#notices = new Deadlines(ms, drop);
    this.#answered = new Deadlines(ms, drop);
  }

  /** Posts a message that needs no answer, as soon as a connection is available.
   *  @param over called when the server has accepted it, or it was given up */
  send(text: string, over: () => void = () => undefined): void {
    this.#waiting.push({ text, until: performance.now() + this.#limits().noticeTimeoutMs, over });
    this.#sendNext();
  }

  /** The call of this exchange already has its answer. */
  answered(exchange: Open): void {
    if (2 * this.#answered.size >= this.#maxConnections) this.#answered.hurry();
    exchange.whenOver = this.#answered.add(exchange);
  }

  /** Sends and drops nothing more. Safe to call twice. */
  end(): void {
    this.#waiting.length = 0;
    this.#notices.end();
    this.#answered.end();
  }

  #sendNext(): void {
    while (this.#waiting.length > 0 && this.#notices.size < this.#room) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      const exchange = next.until < performance.now() ? undefined : this.#post(next.text);
      if (exchange === undefined) next.over();
      else this.#watch(exchange, next.over);
    }
  }

  /** A quarter of the connections at most: calls need connections too. */
  get #room(): number {
    return Math.max(1, Math.min(this.#limits().maxNotices, this.#maxConnections / 4));
  }

  #watch(exchange: Open, over: () => void): void {
    const takeOut = this.#notices.add(exchange);
    exchange.whenOver = () => {
      takeOut();
      over();
      this.#sendNext();
    };
  }
}
