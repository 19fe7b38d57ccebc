import { Deadlines } from './deadlines.ts';
import type { Exchange } from './exchange.ts';
import type { UnaskedFlow } from './unaskedFlow.ts';

export interface NoticeLimits {
  readonly noticeTimeoutMs: number;
  readonly maxNotices: number;
}

type Open = Pick<Exchange<unknown>, 'drop' | 'whenOver'>;

export interface UnawaitedParts {
  readonly limits: () => NoticeLimits;
  readonly maxConnections: number;
  readonly flow: UnaskedFlow;
  /** @returns undefined when there is no connection */
  readonly post: (text: string) => Open | undefined;
}

/** What a request of HTTP costs: a server that asks on and on is read the more slowly. */
const LINES_PER_NOTICE = 20;

/** Exchanges whose outcome nobody waits for. A server that never ends them keeps a share of the connections, and none for long. */
export class Unawaited {
  readonly #parts: UnawaitedParts;
  readonly #notices: Deadlines<Open>;
  readonly #answered: Deadlines<Open>;
  readonly #waiting: { readonly text: string; readonly until: number }[] = [];

  constructor(parts: UnawaitedParts) {
    this.#parts = parts;
    const ms = (): number => parts.limits().noticeTimeoutMs;
    const drop = (exchange: Open): void => exchange.drop();
    this.#notices = new Deadlines(ms, drop);
    this.#answered = new Deadlines(ms, drop);
  }

  /** Posts what needs no answer, as soon as there is room. */
  send(text: string): void {
    this.#parts.flow.took(LINES_PER_NOTICE, text.length);
    this.#waiting.push({ text, until: performance.now() + this.#parts.limits().noticeTimeoutMs });
    this.#sendNext();
  }

  /** Its call has its answer already. */
  answered(exchange: Open): void {
    if (2 * this.#answered.size >= this.#parts.maxConnections) this.#answered.hurry();
    exchange.whenOver = this.#answered.add(exchange);
  }

  /** Nothing is sent or given up any more. Safe twice. */
  end(): void {
    this.#waiting.length = 0;
    this.#notices.end();
    this.#answered.end();
  }

  #sendNext(): void {
    while (this.#waiting.length > 0 && this.#notices.size < this.#room) {
      const { text = '', until = 0 } = this.#waiting.shift() ?? {};
      const exchange = until < performance.now() ? undefined : this.#parts.post(text);
      if (exchange !== undefined) this.#watch(exchange);
    }
  }

  /** Calls need connections too, however few there are. */
  get #room(): number {
    const { limits, maxConnections } = this.#parts;
    return Math.max(1, Math.min(limits().maxNotices, maxConnections / 4));
  }

  #watch(exchange: Open): void {
    const takeOut = this.#notices.add(exchange);
    exchange.whenOver = () => {
      takeOut();
      this.#sendNext();
    };
  }
}
