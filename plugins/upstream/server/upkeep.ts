import type { GatewayError } from 'pegboard';
import type { UpstreamConfig } from '../config.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { ServerDefinition } from '../definition.ts';
import { Pulse } from './pulse.ts';

export interface UpkeepParts {
  readonly conversation: Conversation;
  readonly config: () => UpstreamConfig;
  readonly definition: () => ServerDefinition;
  /** A remote server did not answer a ping. */
  readonly lost: (error: GatewayError) => void;
  /** The server had no call for the idle time of its definition; called at most twice that time after the last one. */
  readonly idle: () => void;
}

/** Pings and idle time while a server is connected. */
export class Upkeep {
  readonly #parts: UpkeepParts;
  readonly #pulse: Pulse;
  #timer: NodeJS.Timeout | undefined;
  #calls = 0;

  constructor(parts: UpkeepParts) {
    const { conversation, config, definition, lost } = parts;
    this.#parts = parts;
    this.#pulse = new Pulse({
      requests: conversation.requests,
      intervalMs: () => config().pingIntervalMs,
      timeoutMs: () => definition().timeoutMs,
      lost,
    });
  }

  begin(): void {
    this.end();
    if (this.#parts.definition().type !== 'stdio') this.#pulse.begin();
    this.watchIdleness();
  }

  /** Whether the server is still there is doubtful: a ping decides. */
  doubted(): true {
    this.#pulse.ask();
    return true;
  }

  end(): void {
    this.#pulse.end();
    clearTimeout(this.#timer);
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
