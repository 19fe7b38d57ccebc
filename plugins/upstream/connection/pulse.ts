import { GatewayError } from 'pegboard';
import { asGatewayError } from '../client/rpc/requestErrors.ts';
import type { Requests } from '../client/rpc/requests.ts';
import { rpcText } from '../client/rpc/rpcText.ts';

/** How long the ping after a time-out is waited for: a request has waited in vain already. */
const HUNG_MS = 5_000;

/** Pings a server that may be lost: an idle remote one regularly, because that sends no signal, and any after a time-out. */
export class Pulse {
  readonly #requests: Requests;
  readonly #intervalMs: () => number;
  readonly #timeoutMs: () => number;
  readonly #lost: (error: GatewayError) => void;
  #timer: NodeJS.Timeout | undefined;
  #round = 0;
  /** The round of the ping that is under way. */
  #asking: number | undefined;
  #isRegular = false;

  /** @param intervalMs 0 disables pings */
  constructor(
    requests: Requests,
    intervalMs: () => number,
    timeoutMs: () => number,
    lost: (error: GatewayError) => void,
  ) {
    this.#requests = requests;
    this.#intervalMs = intervalMs;
    this.#timeoutMs = timeoutMs;
    this.#lost = lost;
  }

  /** Pings regularly from now on. */
  begin(): void {
    this.end();
    this.#isRegular = true;
    this.#later(this.#round);
  }

  /** Asks now, unless a ping is under way. */
  ask(): void {
    if (this.#asking !== this.#round) void this.#ask(this.#round, this.#timeoutMs(), false);
  }

  /** As ask(), with less patience. @param isSilenceFatal whether running calls do not excuse a server that sends nothing */
  askAfterTimeOut(isSilenceFatal: boolean): void {
    const ms = Math.min(this.#timeoutMs(), HUNG_MS);
    if (this.#asking !== this.#round) void this.#ask(this.#round, ms, isSilenceFatal);
  }

  end(): void {
    this.#round += 1;
    this.#isRegular = false;
    clearTimeout(this.#timer);
  }

  #later(round: number): void {
    if (!this.#isRegular || this.#intervalMs() === 0) return;
    this.#timer = setTimeout(() => {
      if (this.#requests.running > 0) this.#later(round);
      else this.ask();
    }, this.#intervalMs());
  }

  async #ask(round: number, timeoutMs: number, isSilenceFatal: boolean): Promise<void> {
    const requests = this.#requests;
    const { heard } = requests.liveness;
    clearTimeout(this.#timer);
    this.#asking = round;
    try {
      // The modern era has no ping.
      const method = requests.era === 'legacy' ? 'ping' : 'server/discover';
      await requests.ask(rpcText(method), timeoutMs);
      requests.proved();
    } catch (error) {
      const isSilent = isSilenceFatal && requests.liveness.heard === heard;
      if (round === this.#round) this.#judge(asGatewayError(error), isSilent);
    } finally {
      if (this.#asking === round) this.#asking = undefined;
    }
    if (round === this.#round) this.#later(round);
  }

  /** @param isSilent whether nothing has arrived, which running calls do not excuse */
  #judge(fault: GatewayError, isSilent: boolean): void {
    const requests = this.#requests;
    if (requests.era === 'legacy' && requests.liveness.isForgotten(fault)) {
      requests.sessionLost(fault);
      return;
    }
    // An error, or an answer of another form, is also an answer, and a busy server may answer slowly.
    const isAnswer = fault.code === 'UPSTREAM_ERROR' || fault.code === 'UPSTREAM_PROTOCOL';
    if (isAnswer || (requests.running > 0 && !isSilent)) requests.proved();
    else this.#lost(isSilent ? hung(fault) : fault);
  }
}

function hung(fault: GatewayError): GatewayError {
  const text = `it hangs: after a request without an answer in time, ${fault.message}`;
  return new GatewayError(fault.code, text, { cause: fault, details: fault.details });
}
