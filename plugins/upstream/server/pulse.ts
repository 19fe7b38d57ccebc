import { asGatewayError } from '../rpc/requestErrors.ts';
import type { GatewayError } from 'pegboard';
import type { Requests } from '../rpc/requests.ts';
import { rpcText } from '../rpc/rpcText.ts';

export interface PulseParts {
  readonly requests: Requests;
  /** 0 switches it off. */
  readonly intervalMs: () => number;
  readonly timeoutMs: () => number;
  readonly lost: (error: GatewayError) => void;
}

/** A remote server that went away says nothing: it is asked when it has nothing else to do. */
export class Pulse {
  readonly #parts: PulseParts;
  #timer: NodeJS.Timeout | undefined;
  #round = 0;

  constructor(parts: PulseParts) {
    this.#parts = parts;
  }

  begin(): void {
    this.end();
    this.#later(this.#round);
  }

  end(): void {
    this.#round += 1;
    clearTimeout(this.#timer);
  }

  #later(round: number): void {
    const { intervalMs, requests } = this.#parts;
    if (intervalMs() === 0) return;
    this.#timer = setTimeout(() => {
      if (requests.running > 0) this.#later(round);
      else void this.#ask(round);
    }, intervalMs());
  }

  async #ask(round: number): Promise<void> {
    const { requests, timeoutMs, lost } = this.#parts;
    try {
      await requests.ask(rpcText('ping'), timeoutMs());
    } catch (error) {
      const fault = asGatewayError(error);
      // An error answer is an answer; and a busy server may be slow to answer.
      const isAlive = fault.code === 'UPSTREAM_ERROR' || requests.running > 0;
      if (!isAlive && round === this.#round) lost(fault);
    }
    if (round === this.#round) this.#later(round);
  }
}
