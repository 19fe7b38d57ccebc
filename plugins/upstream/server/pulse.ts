import { asGatewayError } from '../rpc/requestErrors.ts';
import type { GatewayError } from 'pegboard';
import type { Requests } from '../rpc/requests.ts';
import { rpcText } from '../rpc/rpcText.ts';

export interface PulseParts {
  readonly requests: Requests;
  /** 0 disables pings. */
  readonly intervalMs: () => number;
  readonly timeoutMs: () => number;
  readonly lost: (error: GatewayError) => void;
}

/** Pings an idle remote server, because a lost one sends no signal. */
export class Pulse {
  readonly #parts: PulseParts;
  #timer: NodeJS.Timeout | undefined;
  #round = 0;
  /** The round of the ping that is under way. */
  #asking: number | undefined;

  constructor(parts: PulseParts) {
    this.#parts = parts;
  }

  begin(): void {
    this.end();
    this.#later(this.#round);
  }

  /** Asks now, unless a ping is under way. */
  ask(): void {
    if (this.#asking !== this.#round) void this.#ask(this.#round);
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
    clearTimeout(this.#timer);
    this.#asking = round;
    try {
      // The modern era has no ping.
      const method = requests.era === 'legacy' ? 'ping' : 'server/discover';
      await requests.ask(rpcText(method), timeoutMs());
      requests.proved();
    } catch (error) {
      const fault = asGatewayError(error);
      // An error is also an answer, and a busy server may answer slowly.
      const isAlive = fault.code === 'UPSTREAM_ERROR' || requests.running > 0;
      const isCurrent = round === this.#round;
      const isForgotten = requests.era === 'legacy' && requests.session.isForgotten(fault);
      if (isCurrent && isForgotten) requests.sessionLost(fault);
      else if (isCurrent && !isAlive) lost(fault);
      else requests.proved();
    } finally {
      if (this.#asking === round) this.#asking = undefined;
    }
    if (round === this.#round) this.#later(round);
  }
}
