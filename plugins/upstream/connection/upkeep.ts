import { GatewayError } from 'pegboard';
import type { UpstreamConfig } from '../config.ts';
import type { Conversation } from '../client/conversation/conversation.ts';
import type { ServerDefinition } from '../definition.ts';
import type { Alarms } from '../client/rpc/liveness.ts';
import type { Announcer } from './announcer.ts';
import { Pulse } from './pulse.ts';

export interface UpkeepParts {
  readonly conversation: Conversation;
  readonly config: () => UpstreamConfig;
  readonly definition: () => ServerDefinition;
  readonly announcer: Pick<Announcer, 'silent' | 'unhealthy'>;
  /** The server did not answer a ping. */
  readonly lost: (error: GatewayError) => void;
  /** The server had no call for the idle time of its definition; called at most twice that time after the last one. */
  readonly idle: () => void;
}

/** Number of calls in a row without an answer in time that make a server unhealthy. */
const UNHEALTHY_AFTER = 3;

/** Pings and idle time while a server is connected. */
export class Upkeep implements Alarms {
  readonly #parts: UpkeepParts;
  readonly #pulse: Pulse;
  #timer: NodeJS.Timeout | undefined;
  #calls = 0;
  /** Whether the server is connected. */
  #isOn = false;
  /** Whether it answers no calls. */
  #isSilent = false;

  constructor(parts: UpkeepParts) {
    const { conversation, config, definition, announcer, lost } = parts;
    this.#parts = parts;
    this.#pulse = new Pulse(
      conversation.requests,
      () => config().pingIntervalMs,
      () => definition().timeoutMs,
      (error) => {
        announcer.unhealthy(error);
        lost(error);
      },
    );
  }

  /** @param listError why a list could not be read */
  begin(listError: GatewayError | undefined): void {
    this.end();
    this.#isOn = true;
    this.#isSilent = false;
    if (!this.#isStdio) this.#pulse.begin();
    this.watchIdleness();
    this.listed(listError);
  }
  /** A ping decides whether a server that did not answer a list in time hangs. */
  listed(error: GatewayError | undefined): void {
    if (error?.code === 'UPSTREAM_TIMEOUT') this.#pulse.askAfterTimeOut(this.#isStdio);
  }

  doubted(): boolean {
    if (this.#isOn) this.#pulse.ask();
    return this.#isOn;
  }

  /** A ping decides whether the server hangs; one that answers pings, but no calls, is unhealthy. */
  timedOut(error: GatewayError, inARow: number): boolean {
    if (!this.#isOn) return false;
    if (inARow === UNHEALTHY_AFTER) this.#setSilent(error, inARow);
    this.#pulse.askAfterTimeOut(this.#isStdio);
    // Only a process is replaced for its silence.
    return this.#isStdio;
  }
  answeredAgain(): void {
    if (this.#isSilent) this.#setSilent(undefined, 0);
  }
  #setSilent(last: GatewayError | undefined, inARow: number): void {
    const text = `${inARow} calls in a row had no answer in time; the last: ${last?.message ?? ''}`;
    const error = last && new GatewayError(last.code, text, { cause: last });
    this.#isSilent = error !== undefined;
    this.#parts.announcer.silent(error);
  }

  end(): void {
    this.#isOn = false;
    this.#pulse.end();
    clearTimeout(this.#timer);
  }

  get #isStdio(): boolean {
    return this.#parts.definition().type === 'stdio';
  }

  called(): void {
    this.#calls += 1;
  }

  /** Restarts the idle time. */
  watchIdleness(): void {
    clearTimeout(this.#timer);
    const { definition, conversation, idle } = this.#parts;
    const { idleTimeoutMs } = definition();
    if (idleTimeoutMs === undefined) return;
    const calls = this.#calls;
    this.#timer = setTimeout(() => {
      if (this.#calls !== calls || conversation.isBusy) this.watchIdleness();
      else idle();
    }, idleTimeoutMs);
  }
}
