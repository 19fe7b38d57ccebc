import { InFlight, isObject } from 'pegboard';
import type { CallResult, GatewayError, JsonObject } from 'pegboard';
import type { RequestLimits } from '../definition.ts';
import type { Ticker, Sweepable } from './ticker.ts';
import { LateCalls } from './lateCalls.ts';
import type { LateLimits } from './lateCalls.ts';
import { Pending, cancellation, keyOf } from './pending.ts';
import type { PendingParts, RequestOptions, Said } from './pending.ts';
import {
  badResult,
  cancelled,
  cutOff,
  errorAnswer,
  failure,
  noAnswer,
  notConnected,
} from './requestErrors.ts';
import { requestText } from './rpcText.ts';
import type { RpcText } from './rpcText.ts';
import type { StandardError } from '../wire/standardError.ts';
import { LIGHT_LINE } from '../wire/unaskedFlow.ts';
import { mayBeMessage, splitBatch, splitMessage } from './splitMessage.ts';
import type { Outgoing, Wire, WireListener } from '../wire/wire.ts';

export interface RequestHooks {
  limits(tool?: string): RequestLimits;
  lateLimits(): LateLimits;
  /** Why a call cannot wait for a connection now; undefined if it can. */
  refusal(): GatewayError | undefined;
  notified(said: Said): void;
  /** Receives a request of the server, which is answered with reply(). */
  asked(id: unknown, said: Said): void;
  readonly output: Pick<StandardError, 'noise' | 'redact' | 'hideInProse' | 'isRepeatedIn'>;
  /** initialize must be sent again over the same wire. */
  lost(error: GatewayError): void;
}

/** The requests to one server that wait for an answer, over any number of connections. */
export class Requests implements Omit<WireListener, 'closed' | 'flooding'>, Sweepable {
  readonly #server: string;
  readonly #ticker: Ticker;
  readonly #hooks: RequestHooks;
  readonly #pending = new InFlight<Pending>();
  readonly #late: LateCalls;
  #waiting = new Set<Pending>();
  #wire: Wire | undefined;
  #isOpen = false;
  #whenIdle: (() => void) | undefined;

  constructor(server: string, ticker: Ticker, hooks: RequestHooks) {
    this.#server = server;
    this.#ticker = ticker;
    this.#hooks = hooks;
    this.#late = new LateCalls(() => hooks.lateLimits());
  }

  get running(): number {
    return this.#pending.size;
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
    for (const pending of this.#takeWaiting()) if (!pending.isSettled) this.#wire?.request(pending);
  }
  shut(): void {
    this.#isOpen = false;
  }

  /** A request on behalf of a caller. @param what names it in errors */
  call(what: string, text: RpcText, options: RequestOptions): Promise<CallResult> {
    return new Promise((resolve, reject) => {
      if (!this.#isOpen) {
        const refusal = this.#hooks.refusal();
        if (refusal !== undefined) {
          reject(refusal);
          return;
        }
      }
      const { tool, cancel, progress, client, trace, isRepeatable = false } = options;
      const settle = (json: string): void => resolve(pending.resultOf(json));
      const parts = { what, isOwn: false, ...this.#hooks.limits(tool), settle, reject };
      const pending = this.#add(text, { progress, trace }, parts);
      pending.progress = progress;
      pending.client = client;
      pending.isRepeatable = isRepeatable;
      pending.stopListening = cancel?.onCancel((reason) => this.#cancelled(pending, reason));
      this.#send(pending);
    });
  }

  #send(pending: Pending): void {
    if (this.#isOpen) this.#wire?.request(pending);
    else this.#waiting.add(pending);
  }

  /** A request of the gateway itself, on the current wire. @returns the result as text */
  ask(text: RpcText, timeoutMs: number): Promise<string> {
    const wire = this.#wire;
    const what = text.method;
    if (wire === undefined) return Promise.reject(notConnected(this.#server, what));
    return new Promise((settle, reject) => {
      const limits = { silenceMs: timeoutMs, totalMs: timeoutMs };
      wire.request(this.#add(text, {}, { what, isOwn: true, ...limits, settle, reject }));
    });
  }

  #add(text: RpcText, { progress, trace }: RequestOptions, parts: PendingParts): Pending {
    const pending = this.#pending.add(
      (id) => new Pending(id, requestText(id, text, { progressToken: progress && id, trace }), parts),
    );
    if (this.#pending.size === 1) this.#ticker.watch(this);
    return pending;
  }

  /** @returns how many unsolicited messages the text has: 0 for an answer, a fraction for text that is not a message */
  message(text: string, about?: Outgoing): number {
    const split = splitMessage(text);
    if (split === undefined) return this.#noMessage(text, about);
    if (split.result === undefined) return this.#other(split.message, text, about);
    const pending = this.#take(split.id);
    if (pending === undefined) return 1;
    pending.carrier?.release(true);
    if (split.result.trimStart().startsWith('{')) pending.settle(split.result);
    else pending.reject(badResult(this.#server, pending));
    return 0;
  }

  #noMessage(text: string, about?: Outgoing): number {
    const batch = splitBatch(text);
    const taken = batch?.map((item) => (item.startsWith('{') ? this.message(item, about) : 1));
    if (taken !== undefined) return taken.reduce((sum, unasked) => sum + unasked, 0);
    // Some event streams begin with an empty message.
    if (text.trim() !== '') this.#hooks.output.noise(text);
    return mayBeMessage(text) ? 1 : LIGHT_LINE;
  }

  #other(message: JsonObject, text: string, about?: Outgoing): number {
    const { id, method, params: given, error } = message;
    if (typeof method !== 'string') {
      const pending = this.#take(id);
      pending?.carrier?.release(true);
      pending?.reject(errorAnswer({ server: this.#server, output: this.#hooks.output }, pending, error));
      return pending === undefined ? 1 : 0;
    }
    const params = isObject(given) ? given : {};
    if (method === 'notifications/progress' && id === undefined) {
      this.#pending.get(keyOf(params['progressToken']))?.progressed(params);
      return 1;
    }
    const late = about === undefined ? this.#late.clients() : [];
    const said = { method, params, text, about: this.#under(about), late };
    if (id === undefined) this.#hooks.notified(said);
    else if (typeof id === 'string' || typeof id === 'number') this.#hooks.asked(id, said);
    else this.#hooks.output.noise(text);
    return 1;
  }

  /** The calls a message may belong to; requests the gateway itself made are never attributed to a client. */
  #under(about: Outgoing | undefined): readonly Pending[] {
    const known = about === undefined ? undefined : this.#pending.get(about.id);
    const candidates = about === undefined ? this.#pending.values() : [known];
    return candidates.filter((one) => one !== undefined && one.sent && !one.isOwn) as readonly Pending[];
  }

  /** Sends a message that needs no answer. */
  reply(text: string): void {
    this.#wire?.notify(text);
  }

  failed(outgoing: Outgoing, error: GatewayError): void {
    const pending = this.#pending.get(outgoing.id);
    if (pending === undefined) return;
    if (error.code === 'UPSTREAM_CLOSED' && pending.repeat()) this.#send(pending);
    else this.#take(pending.id)?.reject(failure(this.#server, pending, error));
  }

  /** @param isOutdated whether the session it was sent in has been replaced since */
  notTaken(outgoing: Outgoing, error: GatewayError, isOutdated: boolean): void {
    const pending = this.#pending.get(outgoing.id);
    if (pending === undefined) return;
    pending.sent = false;
    pending.carrier = undefined;
    if (pending.isOwn || pending.wasRenewed) {
      this.#take(pending.id)?.reject(failure(this.#server, pending, error));
      return;
    }
    pending.wasRenewed = true;
    if (isOutdated && this.#isOpen) {
      this.#wire?.request(pending);
      return;
    }
    this.#waiting.add(pending);
    if (isOutdated) return;
    this.#isOpen = false;
    this.#hooks.lost(error);
  }

  sessionLost(error: GatewayError): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#hooks.lost(error);
  }

  /** The connection has ended: sent requests fail, unsent ones wait for the next connection. Safe to call twice. */
  abandon(error: GatewayError): void {
    this.#isOpen = false;
    this.#wire = undefined;
    this.#late.clear();
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

  /** Resolves when no request is running, or after `ms`. One at a time. */
  drained(ms: number): Promise<void> {
    if (this.#isIdle()) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#whenIdle = undefined;
        resolve();
      };
      const timer = setTimeout(end, ms);
      this.#whenIdle = end;
    });
  }

  /** Calls that wait for a connection do not count as running. */
  #isIdle(): boolean {
    const waiting = [...this.#waiting].filter(({ isSettled }) => !isSettled);
    return waiting.length === this.#pending.size;
  }

  sweep(now: number): boolean {
    for (const pending of this.#pending.values()) {
      const isAsking = pending.questions !== undefined && pending.questions.size > 0;
      const isSilent = !isAsking && now - pending.lastHeardAt >= pending.silenceMs;
      if (!isSilent && now < pending.endAt) continue;
      const limit = isSilent ? pending.silenceMs : pending.endAt - pending.lastHeardAt;
      this.#giveUp(pending, 'timed out', noAnswer(this.#server, pending, Math.round(limit)));
    }
    return this.#pending.size > 0;
  }

  #cancelled(pending: Pending, reason: string): void {
    this.#giveUp(pending, reason, cancelled(this.#server, pending, reason));
  }

  #giveUp(pending: Pending, reason: string, error: GatewayError): void {
    if (this.#take(pending.id) === undefined) return;
    if (pending.sent && !pending.isOwn) {
      this.#late.add(pending.id, pending.client?.id);
      this.#wire?.notify(cancellation(pending.id, reason));
    }
    pending.carrier?.release(false);
    pending.reject(error);
  }

  #take(id: unknown): Pending | undefined {
    const key = keyOf(id);
    const pending = this.#pending.get(key);
    if (pending === undefined) {
      this.#late.answered(key);
      return undefined;
    }
    this.#pending.delete(pending.id);
    pending.isSettled = true;
    pending.stopListening?.();
    pending.questions?.forEach((question) => question.callEnded(pending));
    if (this.#whenIdle !== undefined && this.#isIdle()) this.#whenIdle();
    return pending;
  }
}
