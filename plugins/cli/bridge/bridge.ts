import { isObject } from 'pegboard';
import type { Invocation, JsonObject } from 'pegboard';
import { optionsOf } from '../commonOptions.ts';
import type { NamedEndpoint } from '../endpointOf.ts';
import { openTransport } from '../openTransport.ts';
import { Failure, NoGateway, SIGN_IN_NEEDED } from '../failure.ts';
import { gatewayUnreachable } from '../gatewayUnreachable.ts';
import { Away } from './away.ts';
import { fateOf, rpcErrorOf } from './fate.ts';
import { GatewayLink } from './gatewayLink.ts';
import { harmlessTools, isRepeatable, isRequest, isStateless } from './messages.ts';
import type { Request, WireMessage } from './messages.ts';
import { LOST, NO_ANSWER, errorOf } from './pending.ts';
import type { Pending } from './pending.ts';
import { SignedOut } from './signedOut.ts';

export interface BridgeParts {
  /** Writes to the client. */
  readonly write: (message: JsonObject) => void;
  /** The bridge cannot go on: a sign-in is needed. */
  readonly onFailure: (failure: Failure) => void;
  /** Whether the client may begin the sign-in, by a tool that it is offered. */
  readonly canSignIn: boolean;
}

/** Longest wait of a call for a gateway that has not been reached yet: a person sees only that it takes long. */
const AWAY_MS = 10_000;
/** Forwards the messages of one client to a gateway and back, unchanged, over restarts of the gateway. */
export class Bridge {
  readonly #endpoint: NamedEndpoint;
  readonly #write: (message: JsonObject) => void;
  readonly #onFailure: (failure: Failure) => void;
  readonly #say: (words: string) => void;
  readonly #waitMs: number;
  readonly #signedOut: SignedOut | undefined;
  readonly #away: Away;
  readonly #link: GatewayLink;
  readonly #pending = new Map<unknown, Pending>();
  /** Ids of the gateway's questions that the client has not answered. */
  readonly #questions = new Set<unknown>();
  readonly #harmless = new Set<unknown>();
  /** Requests are sent after the notifications before them. */
  #notified: Promise<void> = Promise.resolve();
  #whenIdle: (() => void) | undefined;
  #trouble: Failure | undefined;

  constructor(invocation: Invocation, endpoint: NamedEndpoint, { write, onFailure, canSignIn }: BridgeParts) {
    const { timeout, quiet } = optionsOf(invocation);
    this.#endpoint = endpoint;
    this.#write = write;
    this.#onFailure = onFailure;
    this.#waitMs = Number(timeout) * 1_000;
    this.#say = (words) => {
      if (quiet !== true) invocation.terminal.err(`pegboard: ${words}\n`);
    };
    const onSignedOut = (failure: Failure): void => this.#ended(failure);
    const onSignedIn = (): void => this.#link.resume();
    if (canSignIn) this.#signedOut = new SignedOut(invocation, endpoint, { onSignedOut, onSignedIn });
    this.#away = new Away(invocation, endpoint);
    this.#link = new GatewayLink({
      open: (options) => openTransport(invocation, endpoint, options),
      onMessage: (message) => this.#fromGateway(message),
      onReplaced: () => this.#replaced(),
      onBack: (lists) => this.#back(lists),
      onTrouble: (error) => this.#troubled(error),
    });
  }

  /** @throws Failure */
  start(): Promise<void> {
    return this.#link.start();
  }

  /** @param message of the client: not yet checked */
  receive(message: unknown): void {
    if (Array.isArray(message)) for (const one of message as unknown[]) this.receive(one);
    else if (!isObject(message))
      this.#write(errorOf(null, { code: -32600, message: 'not a JSON-RPC message' }));
    else this.#fromClient(message);
  }

  /** Resolves when no request waits for an answer. */
  idle(): Promise<void> {
    return this.#pending.size === 0
      ? Promise.resolve()
      : new Promise((resolve) => (this.#whenIdle = resolve));
  }

  /** Ends the session. Requests without an answer get an error. */
  async close(reason: string): Promise<void> {
    for (const pending of [...this.#pending.values()])
      this.#refuse(pending, { code: NO_ANSWER, message: reason });
    this.#signedOut?.close();
    await this.#link.close();
  }

  #fromClient(message: WireMessage): void {
    if (isRequest(message)) {
      this.#link.record.note(message);
      const pending = { request: message, abort: new AbortController(), state: 'waiting' } satisfies Pending;
      this.#pending.set(message.id, pending);
      void this.#forward(pending);
    } else if (message.method !== undefined) this.#notify(message);
    // A question of a gateway that has restarted needs no answer.
    else if (this.#questions.delete(message['id'])) this.#post(message);
  }

  #notify(message: WireMessage): void {
    this.#link.record.note(message);
    if (message.method === 'notifications/cancelled') {
      const cancelled = this.#pending.get(message.params?.['requestId']);
      if (cancelled !== undefined) {
        this.#settle(cancelled);
        cancelled.abort.abort();
        // Without sessions, closing the connection cancels.
        if (isStateless(cancelled.request) || cancelled.state === 'waiting') return;
      }
    }
    this.#post(message);
  }

  /** Sends what needs no answer. While the gateway is away it is dropped: the next gateway does not know what it is about. */
  #post(message: WireMessage): void {
    if (this.#link.isAway || this.#signedOut?.isActive === true) return;
    this.#notified = this.#notified.then(() => this.#link.send(message).catch(() => undefined));
  }

  async #forward(pending: Pending): Promise<void> {
    // Node 20 may collect AbortSignal.any of AbortSignal.timeout before it fires.
    const wait = new AbortController();
    const end = (): void => wait.abort();
    const timer = setTimeout(end, this.#away.isActive ? Math.min(this.#waitMs, AWAY_MS) : this.#waitMs);
    pending.abort.signal.addEventListener('abort', end, { once: true });
    try {
      await this.#attempt(pending, wait.signal);
    } finally {
      clearTimeout(timer);
      pending.abort.signal.removeEventListener('abort', end);
    }
  }

  async #attempt(pending: Pending, until: AbortSignal): Promise<void> {
    const { request, abort } = pending;
    pending.state = 'waiting';
    if (this.#signedOut?.isActive === true && !(await this.#signedOut.isOver()))
      return this.#answerHere(pending, this.#signedOut.answer(pending.request));
    if (await this.#answeredAway(pending)) return;
    await this.#notified;
    while (await this.#link.ready(until)) {
      if (await this.#answeredAway(pending)) return;
      try {
        pending.state = 'sending';
        const signal = isStateless(request) ? abort.signal : undefined;
        await this.#link.send(request, signal, () => this.#lost(pending));
        pending.state = 'streaming';
        return;
      } catch (error) {
        pending.state = 'waiting';
        if (!this.#isPending(pending)) return;
        const fate = fateOf(error, this.#link.isInSession(request));
        if (fate === 'refused') {
          if (await this.#isToBeRepeated(pending, error)) continue;
          return;
        }
        if (fate === 'unknown' && !isRepeatable(request, this.#harmless)) {
          this.#refuse(pending, LOST);
          return;
        }
      }
    }
    const message = this.#trouble?.message ?? `no gateway answers at ${this.#endpoint.url}`;
    if (this.#isPending(pending))
      this.#refuse(pending, { code: NO_ANSWER, message, data: { outcome: 'not sent' } });
  }

  #isPending(pending: Pending): boolean {
    return this.#pending.get(pending.request.id) === pending;
  }

  /** The stream of a request ended without its answer. */
  #lost(pending: Pending): void {
    if (!this.#isPending(pending)) return;
    if (isRepeatable(pending.request, this.#harmless)) void this.#forward(pending);
    else this.#refuse(pending, LOST);
  }

  /** The gateway refused a request. @returns whether it is to be sent again */
  async #isToBeRepeated(pending: Pending, error: unknown): Promise<boolean> {
    let failure = gatewayUnreachable(error, this.#endpoint);
    if (failure.exitCode === SIGN_IN_NEEDED && this.#signedOut !== undefined) {
      try {
        if (!(await this.#signedOut.enter(failure))) return true;
        await this.#answerHere(pending, this.#signedOut.answer(pending.request));
        return false;
      } catch (forbidden) {
        if (!(forbidden instanceof Failure)) throw forbidden;
        failure = forbidden;
      }
    }
    this.#refuse(pending, rpcErrorOf(error) ?? { code: NO_ANSWER, message: failure.message });
    if (failure.exitCode !== 1) this.#onFailure(failure);
    return false;
  }

  /** The answer of the bridge in place of a gateway that wants a sign-in, or has not been reached yet. */
  async #answerHere(pending: Pending, answer: JsonObject | Promise<JsonObject>): Promise<void> {
    const message = { jsonrpc: '2.0', id: pending.request.id, ...(await answer) };
    if (!this.#isPending(pending)) return;
    this.#settle(pending);
    // It may wait for the gateway.
    pending.abort.abort();
    this.#write(message);
  }

  /** @returns whether the gateway has not been reached yet, and the request needs none */
  async #answeredAway(pending: Pending): Promise<boolean> {
    const result = this.#away.isActive ? await this.#away.answer(pending.request) : undefined;
    // It may be on its way to a gateway that has come.
    if (result === undefined || pending.state !== 'waiting') return false;
    this.#link.promise();
    await this.#answerHere(pending, { result });
    return true;
  }

  #ended(failure: Failure): void {
    this.#say(failure.message);
    if (this.#link.record.isInitialized)
      this.#write({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
  }

  #refuse(pending: Pending, error: JsonObject): void {
    this.#settle(pending);
    this.#write(errorOf(pending.request.id, error));
  }

  #settle({ request }: Pending): void {
    this.#pending.delete(request.id);
    if (this.#pending.size === 0) this.#whenIdle?.();
  }

  #fromGateway(message: WireMessage): void {
    this.#away.end();
    if (isRequest(message)) this.#questions.add(message.id);
    else if (message.method === 'notifications/cancelled')
      this.#questions.delete(message.params?.['requestId']);
    else if (message.method === undefined) {
      const answered = this.#pending.get(message['id']);
      // An answer to a request that was cancelled, or answered with an error already.
      if (answered === undefined && message['id'] !== undefined) return;
      if (answered?.request.method === 'tools/list') this.#listed(answered.request, message['result']);
      if (answered !== undefined) this.#settle(answered);
    }
    this.#write(message);
  }

  #listed({ params }: Request, result: unknown): void {
    for (const name of harmlessTools(result)) this.#harmless.add(name);
    if (params?.['cursor'] === undefined && isObject(result)) void this.#away.keep(result['tools']);
  }

  #replaced(): void {
    for (const pending of [...this.#pending.values()]) if (pending.state === 'streaming') this.#lost(pending);
  }

  #back(lists: readonly string[]): void {
    if (this.#trouble !== undefined) this.#say(`connected to ${this.#endpoint.url} again`);
    this.#trouble = undefined;
    this.#away.end();
    const reason = 'the gateway that asked has restarted';
    for (const requestId of this.#questions)
      this.#write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason } });
    this.#questions.clear();
    for (const list of lists) this.#write({ jsonrpc: '2.0', method: `notifications/${list}/list_changed` });
  }

  /** Resolves when the gateway may be tried again. */
  async #troubled(error: unknown): Promise<void> {
    const failure = gatewayUnreachable(error, this.#endpoint);
    try {
      if (failure.exitCode === SIGN_IN_NEEDED && this.#signedOut !== undefined) {
        await this.#signedOut.enter(failure);
        if (this.#signedOut.isActive)
          for (const pending of [...this.#pending.values()])
            if (pending.state === 'waiting')
              void this.#answerHere(pending, this.#signedOut.answer(pending.request));
        await this.#signedOut.whenOver;
        return;
      }
      if (failure.exitCode !== 1) this.#onFailure(failure);
      else if (failure.message !== this.#trouble?.message) this.#say(`${failure.message}; trying again`);
      this.#trouble = failure;
      if (failure instanceof NoGateway) this.#away.begin(failure.message);
      for (const pending of [...this.#pending.values()])
        if (pending.state === 'waiting') void this.#answeredAway(pending);
    } catch (forbidden) {
      if (!(forbidden instanceof Failure)) throw forbidden;
      this.#onFailure(forbidden);
    }
  }
}
