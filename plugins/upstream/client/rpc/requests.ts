import type { CallResult, GatewayError, JsonObject } from 'pegboard';
import { InFlight } from '../../../kit/limits/inFlight.ts';
import type { Era } from '../options.ts';
import { Dialect } from './dialect.ts';
import { Drain } from './drain.ts';
import { Incoming } from './incoming.ts';
import type { Ticker, Sweepable } from './ticker.ts';
import { LateCalls } from './lateCalls.ts';
import { EraDoubt } from './eraDoubt.ts';
import { Pending, cancellation, returnedKey } from './pending.ts';
import type { PendingParts, RequestOptions, Round, StandingRequest } from './pending.ts';
import type { RequestHooks } from './requestHooks.ts';
import { cancelled, cutOff, failure, notConnected, outdated } from './requestErrors.ts';
import { isComplete } from './isComplete.ts';
import { Liveness } from './liveness.ts';
import { lostSession } from '../wire/sessionLoss.ts';
import type { RpcText } from './rpcText.ts';
import type { Outgoing, Wire, WireListener } from '../wire/wire.ts';

/** The requests to one server that wait for an answer, over any number of connections. */
export class Requests implements Pick<WireListener, 'message' | 'failed' | 'notTaken'>, Sweepable {
  readonly liveness: Liveness;
  readonly #server: string;
  readonly #ticker: Ticker;
  readonly #hooks: RequestHooks;
  readonly #pending = new InFlight<Pending>();
  readonly #late: LateCalls;
  readonly #incoming: Incoming;
  readonly #dialect: Dialect;
  readonly #doubt = new EraDoubt();
  /** The id of the last request. */
  lastId = 0;
  /** Number of requests that stay open, which do not count as running. */
  #standing = 0;
  #waiting = new Set<Pending>();
  #wire: Wire | undefined;
  #isOpen = false;
  /** Calls that wait for a connection do not count as running. */
  readonly drain = new Drain(
    () => [...this.#waiting].filter(({ isSettled }) => !isSettled).length === this.running,
  );

  constructor(server: string, ticker: Ticker, hooks: RequestHooks) {
    this.#server = server;
    this.#ticker = ticker;
    this.#hooks = hooks;
    this.#late = new LateCalls(() => hooks.lateLimits());
    this.#dialect = new Dialect(hooks);
    this.liveness = new Liveness(
      () => this.era === 'legacy' && this.#wire?.sessionId !== undefined,
      () => hooks.upkeep(),
    );
    this.#incoming = new Incoming({
      ...hooks,
      server,
      dialect: this.#dialect,
      take: (id) => this.#take(id),
      get: (id) => this.#pending.get(id),
      all: () => this.#pending.values(),
      late: this.#late,
      isWithheld: (...answer) => this.#isWithheld(...answer),
    });
  }

  get era(): Era {
    return this.#dialect.era;
  }
  /** Writes all further requests in the form of this era. */
  speak(era: Era): void {
    this.#dialect.era = era;
  }
  get running(): number {
    return this.#pending.size - this.#standing;
  }
  /** Whether messages outside of requests arrive now. */
  get hears(): boolean {
    return this.#wire?.hears ?? true;
  }
  /** Whether calls wait for a connection. */
  get hasWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** Uses the wire for the gateway's own requests; calls wait for open(). */
  use(wire: Wire): void {
    this.#wire = wire;
  }
  /** Sends the waiting calls, and from now on each new call at once. */
  open(): void {
    this.#isOpen = true;
    this.liveness.opened();
    this.#doubt.agreed(this.era);
    for (const pending of this.#takeWaiting()) this.#send(pending);
  }
  shut(): void {
    this.#isOpen = false;
  }
  /** A request on behalf of a caller. @param what names it in errors
   *  @param further set for a call whose server needed more from the client */
  call(what: string, text: RpcText, options: RequestOptions, further?: Round): Promise<CallResult> {
    return new Promise((resolve, reject) => {
      const refusal = this.#isOpen ? undefined : this.#hooks.refusal();
      if (refusal !== undefined) {
        reject(refusal);
        return;
      }
      const { tool, cancel, meta, call } = options;
      const settle = (json: string): void => {
        this.liveness.answered(true);
        if (call !== undefined) this.#hooks.received?.(call, json.length);
        if (isComplete(json)) resolve(pending.resultOf(json));
        else resolve(this.#hooks.incomplete(json, further ?? { what, first: text, options, number: 1 }));
      };
      const limits = this.#hooks.limits(tool);
      const pending = this.#add({ what, rpc: text, meta, isOwn: false, ...limits, settle, reject });
      pending.belongTo(options);
      pending.stopListening = cancel?.onCancel((reason) =>
        this.#giveUp(pending, reason, cancelled(this.#server, pending, reason)),
      );
      this.#send(pending);
    });
  }

  #send(pending: Pending): void {
    if (pending.isSettled) return;
    if (this.#isOpen && !this.liveness.isHolding) this.#wire?.request(pending);
    else this.#waiting.add(pending);
  }

  /** A request of the gateway itself, on the current wire. @returns the result as text */
  ask(text: RpcText, timeoutMs: number): Promise<string> {
    const wire = this.#wire;
    if (wire === undefined) return Promise.reject(notConnected(this.#server, text.method));
    return new Promise((resolve, reject) => {
      const limits = { silenceMs: timeoutMs, totalMs: timeoutMs };
      const settle = (json: string): void => {
        this.liveness.answered(false);
        resolve(json);
      };
      wire.request(this.#add({ what: text.method, rpc: text, isOwn: true, ...limits, settle, reject }));
    });
  }

  /** A request of the gateway itself that stays open; it ends with its wire. @param settle receives the result */
  stand(text: RpcText, ended: Pick<PendingParts, 'settle' | 'reject'>): StandingRequest | undefined {
    const wire = this.#wire;
    if (wire === undefined) return undefined;
    const limits = { silenceMs: Infinity, totalMs: Infinity };
    this.#standing += 1;
    const pending = this.#add({ what: text.method, rpc: text, isOwn: true, ...limits, ...ended });
    pending.isStanding = true;
    wire.request(pending);
    const end = (): void => {
      if (this.#take(pending.id) !== undefined) this.#withdraw(pending, 'it is no longer needed');
    };
    return { id: pending.id, end };
  }

  #add(parts: PendingParts): Pending {
    const pending = new Pending(++this.lastId, this.#dialect, parts);
    this.#pending.put(pending.id, pending);
    if (this.running === 1) this.#ticker.watch(this);
    return pending;
  }

  /** @returns how many unsolicited messages the text has: 0 for an answer, a fraction for text that is not a message */
  message(text: string, about?: Outgoing): number {
    this.liveness.heard += 1;
    return this.#incoming.message(text, about);
  }

  /** Sends a message that needs no answer. */
  reply(text: string): void {
    this.#wire?.notify(text);
  }

  failed(outgoing: Pick<Outgoing, 'id'>, error: GatewayError): void {
    const pending = this.#pending.get(outgoing.id);
    if (pending === undefined) return;
    if (error.code === 'UPSTREAM_CLOSED' && pending.repeat()) this.#send(pending);
    else if (!this.#isWithheld(pending, error))
      this.#take(pending.id)?.reject(failure(this.#server, pending, error));
  }

  /** Whether the error of a call may be one of its session or era: then it is sent again, or a ping decides.
   *  @param answer as the server sent it, if it did */
  #isWithheld(pending: Pending, error: GatewayError, answer?: JsonObject): boolean {
    const { isOwn, wasRenewed, era, method } = pending;
    if (isOwn || wasRenewed) return false;
    const isOutdated = answer !== undefined && this.#doubt.isRaisedBy(era, method, answer);
    const verdict = this.#isOpen && !isOutdated ? this.liveness.judge(pending, error) : 'unharmed';
    if (!isOutdated && verdict === 'unharmed') return false;
    pending.carrier?.release(true);
    if (isOutdated) this.notTaken(pending, outdated(this.#server, pending), era !== this.era);
    else if (verdict === 'lost') this.notTaken(pending, lostSession(error), false);
    return true;
  }

  /** The server has answered a ping in the session: doubtful errors are those of their calls, and what has waited for it is sent. */
  proved(): void {
    for (const [pending, error] of this.liveness.take())
      this.#take(pending.id)?.reject(failure(this.#server, pending, error));
    for (const pending of this.#takeWaiting()) this.#send(pending);
  }

  /** @param isOutdated whether the session it was sent in has been replaced since */
  notTaken(outgoing: Outgoing, error: GatewayError, isOutdated: boolean): void {
    const pending = this.#pending.get(outgoing.id);
    if (pending === undefined) return;
    pending.unsent();
    if (pending.isOwn || pending.wasRenewed || (!isOutdated && this.#doubt.isRefuted(this.era, error))) {
      this.#take(pending.id)?.reject(failure(this.#server, pending, error));
      return;
    }
    pending.wasRenewed = true;
    // Others have found out before.
    if (pending.isFormRefused(error) || isOutdated || !this.#isOpen) {
      this.#send(pending);
      return;
    }
    this.#waiting.add(pending);
    this.#doubt.raise(this.era);
    this.sessionLost(error);
  }

  /** Found out by a call or a ping: what else the gateway asks may be refused while the session lives. */
  sessionLost(error: GatewayError): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.liveness.lost();
    for (const [pending] of this.liveness.take()) this.#waiting.add(pending);
    this.#hooks.lost(error, this.liveness.isProven);
  }

  /** The connection has ended: sent requests fail, unsent ones wait for the next connection. Safe to call twice. */
  abandon(error: GatewayError): void {
    this.#isOpen = false;
    this.#wire = undefined;
    this.#late.clear();
    this.proved();
    for (const pending of this.#pending.values()) {
      if (pending.isOwn) this.#take(pending.id)?.reject(error);
      else if (pending.sent && !pending.repeat())
        this.#take(pending.id)?.reject(cutOff(this.#server, pending, error));
      else this.#waiting.add(pending);
    }
  }

  /** Rejects the calls that wait for a connection. */
  failWaiting(error: GatewayError): void {
    for (const pending of this.#takeWaiting()) this.#take(pending.id)?.reject(error);
  }

  #takeWaiting(): ReadonlySet<Pending> {
    const waiting = this.#waiting;
    this.#waiting = new Set();
    return waiting;
  }

  sweep(now: number): boolean {
    for (const pending of this.#pending.values()) {
      const ms = pending.overdueMs(now);
      if (ms !== undefined) this.#giveUp(pending, 'timed out', this.#incoming.noAnswer(pending, ms));
    }
    return this.running > 0;
  }

  #giveUp(pending: Pending, reason: string, error: GatewayError): void {
    if (this.#take(pending.id) === undefined) return;
    const wasSent = pending.sent && !pending.isOwn;
    if (wasSent) this.#late.add(pending.id, pending.client);
    this.#withdraw(pending, reason);
    pending.reject(error);
    if (wasSent && error.code === 'UPSTREAM_TIMEOUT') this.liveness.timedOut(error);
  }

  /** Tells the server that its answer is no longer expected. */
  #withdraw(pending: Pending, reason: string): void {
    if (pending.sent && pending.era === this.era && (!pending.isOwn || pending.isStanding))
      this.#wire?.notify(cancellation(pending.id, reason));
    pending.carrier?.release(false);
  }

  #take(id: unknown): Pending | undefined {
    const pending = this.#pending.get(returnedKey(id));
    if (pending === undefined) return undefined;
    this.#pending.delete(pending.id);
    if (pending.isStanding) this.#standing -= 1;
    pending.isSettled = true;
    pending.stopListening?.();
    pending.questions?.forEach((question) => question.callEnded(pending));
    this.drain.look();
    return pending;
  }
}
