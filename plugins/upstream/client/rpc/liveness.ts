import type { GatewayError } from 'pegboard';
import { isSessionDoubt, isUninitialized } from '../wire/sessionLoss.ts';
import type { Pending } from './pending.ts';

/** What makes it doubtful that a connected server still works. */
export interface Alarms {
  /** Whether the session is still there is doubtful. @returns whether a ping is to show it */
  doubted(): boolean;
  /** A call that was sent had no answer in time. @param inARow number of such calls since the last answer to one
   *  @returns whether further calls are to wait for a ping */
  timedOut(error: GatewayError, inARow: number): boolean;
  /** A call was answered after some that were not. */
  answeredAgain(): void;
}

/** A session that lasted this long (ms) was not lost soon; so many that were in a row count as failed attempts to connect. */
const STEADY_MS = 10_000;
const MAX_BRIEF = 3;

/** What answers, errors and time-outs of requests say about the server and the session that they were sent in. */
export class Liveness {
  /** Number of messages that have arrived. */
  heard = 0;
  readonly #hasSession: () => boolean;
  readonly #upkeep: () => Alarms;
  /** Whether the server has answered well since it lost a session, its greeting aside; true if it never did. */
  #isProven = true;
  #hasLost = false;
  #openedAt = Number.NEGATIVE_INFINITY;
  /** Number of sessions in a row that were lost soon. */
  #brief = 0;
  /** Number of calls in a row without an answer in time. */
  #silentCalls = 0;
  /** Whether calls wait for a ping, so that none is sent to a server that hangs. */
  isHolding = false;
  /** Calls whose error may mean that the session is lost: a ping decides. */
  #doubtful = new Map<Pending, GatewayError>();

  /** @param hasSession whether the server has assigned a session that it may forget */
  constructor(hasSession: () => boolean, upkeep: () => Alarms) {
    this.#hasSession = hasSession;
    this.#upkeep = upkeep;
  }

  get isProven(): boolean {
    return this.#isProven;
  }
  opened(): void {
    this.#silentCalls = 0;
    this.isHolding = false;
    this.#openedAt = performance.now();
    this.#isProven = !this.#hasLost;
    this.#hasLost = false;
  }
  /** The server has answered a request well. */
  answered(isCall: boolean): void {
    this.#isProven = true;
    if (!isCall || this.#silentCalls === 0) return;
    this.#silentCalls = 0;
    this.#upkeep().answeredAgain();
  }
  /** A call that was sent had no answer in time. */
  timedOut(error: GatewayError): void {
    this.#silentCalls += 1;
    if (this.#upkeep().timedOut(error, this.#silentCalls)) this.isHolding = true;
  }
  /** A session is lost soon after it was begun, several times in a row: something but the session is wrong. */
  lost(): void {
    this.#hasLost = true;
    this.#brief = performance.now() - this.#openedAt < STEADY_MS ? this.#brief + 1 : 0;
    if (this.#brief >= MAX_BRIEF) this.#isProven = false;
  }

  /** What the error of a call means; a doubtful one waits for take(). */
  judge(pending: Pending, error: GatewayError): 'lost' | 'doubtful' | 'unharmed' {
    if (!this.#hasSession()) return 'unharmed';
    if (isUninitialized(error)) return 'lost';
    // A request of the modern era is in no session.
    if (pending.era === 'modern') return 'unharmed';
    if (!isSessionDoubt(error) || !this.#upkeep().doubted()) return 'unharmed';
    pending.unsent();
    pending.wasRenewed = true;
    this.#doubtful.set(pending, error);
    return 'doubtful';
  }

  /** Whether the error of a ping means that the session is lost. */
  isForgotten(error: GatewayError): boolean {
    if (error.details.isSessionLost === true) return true;
    return this.#hasSession() && (isUninitialized(error) || isSessionDoubt(error));
  }

  /** @returns the doubtful calls that still wait, with their errors: the ping has decided */
  take(): readonly (readonly [Pending, GatewayError])[] {
    this.isHolding = false;
    const found = [...this.#doubtful].filter(([{ isSettled }]) => !isSettled);
    this.#doubtful = new Map();
    return found;
  }
}
