import type { GatewayError, JsonObject } from 'pegboard';
import type { Era } from '../options.ts';
import { isOtherEra } from './otherEra.ts';

/** How long a server that was asked again, and agreed to the same era, is not asked once more. */
const SURE_MS = 10_000;

/** Whether one server may have ceased to speak the era that it agreed to. What refuses one call may refuse every such call, and
 *  asking again delays the calls of all: a doubt that was wrong is not raised again soon. */
export class EraDoubt {
  #doubted: Era | undefined;
  #sureUntil = 0;

  /** The server is about to be asked again. */
  raise(era: Era): void {
    this.#doubted = era;
  }
  agreed(era: Era): void {
    if (era === this.#doubted) this.#sureUntil = performance.now() + SURE_MS;
    this.#doubted = undefined;
  }

  /** @param error from the answer to a request of that era and method */
  isRaisedBy(era: Era, method: string, error: JsonObject): boolean {
    return isOtherEra(era, method, error) && !this.#isSure;
  }
  /** Whether a status that could be of an older server is the answer to this request alone. */
  isRefuted(era: Era, { code }: GatewayError): boolean {
    return era === 'modern' && code === 'UPSTREAM_ERROR' && this.#isSure;
  }

  get #isSure(): boolean {
    return performance.now() < this.#sureUntil;
  }
}
