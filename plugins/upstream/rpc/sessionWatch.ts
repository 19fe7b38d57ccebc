import type { GatewayError } from 'pegboard';
import { isSessionDoubt, isUninitialized } from '../wire/sessionLoss.ts';
import type { Pending } from './pending.ts';

export interface SessionWatchParts {
  /** Whether the server has assigned a session that it may forget. */
  readonly hasSession: () => boolean;
  /** @returns whether a ping is to show whether the session is still there */
  readonly doubted: () => boolean;
}

/** What the errors of requests say about the session that they were sent in. */
export class SessionWatch {
  readonly #parts: SessionWatchParts;
  /** Whether the server has answered well since it lost a session, its greeting aside; true if it never did. */
  #isProven = true;
  #hasLost = false;
  /** Calls whose error may mean that the session is lost: a ping decides. */
  #doubtful = new Map<Pending, GatewayError>();

  constructor(parts: SessionWatchParts) {
    this.#parts = parts;
  }

  get isProven(): boolean {
    return this.#isProven;
  }
  opened(): void {
    this.#isProven = !this.#hasLost;
    this.#hasLost = false;
  }
  /** The server has answered a request well. */
  answered(): void {
    this.#isProven = true;
  }
  lost(): void {
    this.#hasLost = true;
  }

  /** What the error of a call means; a doubtful one waits for take(). */
  judge(pending: Pending, error: GatewayError): 'lost' | 'doubtful' | 'unharmed' {
    if (pending.isOwn || pending.wasRenewed || !this.#parts.hasSession()) return 'unharmed';
    if (isUninitialized(error)) return 'lost';
    if (!isSessionDoubt(error) || !this.#parts.doubted()) return 'unharmed';
    pending.unsent();
    pending.wasRenewed = true;
    this.#doubtful.set(pending, error);
    return 'doubtful';
  }

  /** Whether the error of a ping means that the session is lost. */
  isForgotten(error: GatewayError): boolean {
    if (error.details.isSessionLost === true) return true;
    return this.#parts.hasSession() && (isUninitialized(error) || isSessionDoubt(error));
  }

  /** @returns the doubtful calls that still wait, with their errors: the ping has decided */
  take(): readonly (readonly [Pending, GatewayError])[] {
    const found = [...this.#doubtful].filter(([{ isSettled }]) => !isSettled);
    this.#doubtful = new Map();
    return found;
  }
}
