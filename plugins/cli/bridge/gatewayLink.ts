import { setTimeout as pause } from 'node:timers/promises';
import { isObject, waitAtMost } from 'pegboard';
import type { JsonObject } from 'pegboard';
import type { JSONRPCMessage, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { doubledMs } from '../../kit/limits/doubledMs.ts';
import { fateOf, statusIn } from './fate.ts';
import { isStateless } from './messages.ts';
import type { WireMessage, Request } from './messages.ts';
import { SessionRecord } from './sessionRecord.ts';
import type { Ask } from './sessionRecord.ts';

export type TransportOptions = NonNullable<ConstructorParameters<typeof StreamableHTTPClientTransport>[1]>;
export interface LinkEvents {
  readonly open: (options: TransportOptions) => Promise<StreamableHTTPClientTransport>;
  readonly onMessage: (message: WireMessage) => void;
  /** A new session has replaced the former: what runs in that has no answer any more. */
  readonly onReplaced: () => void;
  /** The gateway was away and is back; `lists` are those that may have changed. */
  readonly onBack: (lists: readonly string[]) => void;
  /** The gateway could not be reached; it is tried again once the promise resolves. */
  readonly onTrouble: (error: unknown) => Promise<void>;
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;
/** Time within which the link's own requests must be answered. */
const ANSWER_MS = 10_000;
const END_MS = 1_000;
const LOOK_MS = 1_000;
const MOST_LOOKS = 30;

/** The connection to a gateway for one client: restores its session, or begins another one, after a connection is lost. */
export class GatewayLink {
  readonly record = new SessionRecord();
  readonly #events: LinkEvents;
  #transport: StreamableHTTPClientTransport | undefined;
  #recovery: Promise<void> | undefined;
  #attempt = 0;
  #lastId = 0;
  #isClosed = false;
  #wasAway = false;
  /** Whether `initialize` was answered without the gateway. */
  #isPromised = false;
  /** What a gateway refused after its restart: the server of a resource may not be connected yet. */
  #refused: Ask[] = [];
  #looks = 0;
  #watching: Promise<void> = Promise.resolve();
  readonly #asked = new Map<unknown, (answer: WireMessage | undefined) => void>();

  constructor(events: LinkEvents) {
    this.#events = events;
  }

  /** Prepares the connection; it begins with the first message. @throws Failure */
  async start(): Promise<void> {
    this.#transport = await this.#open();
  }

  get isAway(): boolean {
    return this.#recovery !== undefined;
  }

  /** Waits until the connection is not being restored. @returns false if `signal` was aborted first */
  async ready(signal: AbortSignal): Promise<boolean> {
    while (this.#recovery !== undefined && !signal.aborted) await endOf(this.#recovery, signal);
    return !signal.aborted;
  }

  /** Whether a message would travel in a session. */
  isInSession(message: WireMessage): boolean {
    return (
      this.#transport?.sessionId !== undefined && message.method !== 'initialize' && !isStateless(message)
    );
  }

  /** Sends a message of the client once. @param onLost the connection ended before the answer @throws as fetch, SdkHttpError */
  async send(message: WireMessage, signal?: AbortSignal, onLost?: () => void): Promise<void> {
    if (this.#transport === undefined) throw new Error('the link has not been started');
    try {
      await deliver(this.#transport, message, signal, onLost);
      this.#restored();
    } catch (error) {
      if (signal?.aborted !== true && fateOf(error, this.isInSession(message)) !== 'refused')
        this.lost(error);
      throw error;
    }
  }

  /** A connection was lost: looks whether the gateway still has the session. */
  lost(error?: unknown): void {
    if (this.#isClosed || this.#recovery !== undefined) return;
    this.#recovery = this.#recover(error).finally(() => (this.#recovery = undefined));
  }

  /** Continues the session after a sign-in, or begins the one that the client believes to have. */
  resume(): void {
    this.promise();
    this.lost();
  }

  /** `initialize` is answered without the gateway: the link begins the session once it is there. */
  promise(): void {
    this.#isPromised = true;
    this.#wasAway = true;
  }

  /** Ends the session. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const transport = this.#transport;
    if (transport === undefined) return;
    await waitAtMost(
      END_MS,
      transport.terminateSession().catch(() => undefined),
    );
    await transport.close();
  }

  async #open(): Promise<StreamableHTTPClientTransport> {
    const transport = await this.#events.open({
      fetch: endLostStreams,
      // Each stream is opened again once the session is known to live; the link decides when to stop.
      reconnectionOptions: {
        initialReconnectionDelay: 0,
        maxReconnectionDelay: 0,
        reconnectionDelayGrowFactor: 1,
        maxRetries: Infinity,
      },
      reconnectionScheduler: (reconnect, _delay, attempt) => {
        if (this.#transport !== transport) return;
        this.#attempt = Math.max(this.#attempt, attempt);
        this.lost();
        void this.#recovery?.then(reconnect);
      },
    });
    transport.onmessage = (message) => this.#receive(transport, message as WireMessage);
    await transport.start();
    return transport;
  }

  #receive(transport: StreamableHTTPClientTransport, message: WireMessage): void {
    const { id, result } = message;
    const { initialize } = this.record;
    const isAnswer = message.method === undefined;
    const settle = isAnswer ? this.#asked.get(id) : undefined;
    if (isAnswer && isObject(result) && (settle !== undefined || id === initialize?.id)) {
      const { protocolVersion } = result;
      if (typeof protocolVersion === 'string' && transport.protocolVersion === undefined) {
        transport.setProtocolVersion(protocolVersion);
        this.record.opened(result);
      }
    }
    if (settle !== undefined) {
      settle(message);
      return;
    }
    if (message.method === 'notifications/resources/list_changed') this.#watchAgain(transport);
    this.#events.onMessage(message);
  }

  async #recover(first: unknown): Promise<void> {
    if (first !== undefined && statusIn(first) !== 404) this.#wasAway = true;
    // Without a session there is nothing to restore: what waits tries again.
    if (this.#transport?.sessionId === undefined && first !== undefined) await this.#events.onTrouble(first);
    for (;;) {
      await pause(doubledMs((this.#attempt += 1), FIRST_PAUSE_MS, LONGEST_PAUSE_MS));
      if (this.#isClosed) return;
      try {
        await this.#revive();
        return;
      } catch (error) {
        this.#wasAway = true;
        await this.#events.onTrouble(error);
      }
    }
  }

  /** @throws if the gateway cannot be reached */
  async #revive(): Promise<void> {
    const { initialize } = this.record;
    const former = this.#transport;
    if (initialize === undefined || former === undefined) return;
    let transport = former;
    if (former.sessionId === undefined) {
      if (!this.#isPromised) return;
      transport = this.#transport = await this.#begin(initialize);
      await former.close();
    } else
      try {
        await this.#ask(former, { method: 'ping', params: {} });
      } catch (error) {
        if (statusIn(error) !== 404) throw error;
        transport = this.#transport = await this.#begin(initialize);
        await former.close();
        this.#wasAway = true;
        this.#events.onReplaced();
      }
    const watched = this.#watching.then(() => this.#watch(transport, this.record.watches()));
    this.#watching = watched.catch(() => undefined);
    this.#looks = 0;
    await watched;
    this.#restored();
  }

  /** Watches again after the attempt under way, which this change may have come too late for. */
  #watchAgain(transport: StreamableHTTPClientTransport): void {
    this.#watching = this.#watching
      .then(() => this.#watch(transport, this.#refused))
      .catch((error: unknown) => this.lost(error));
  }

  /** @throws if the gateway cannot be reached */
  async #watch(transport: StreamableHTTPClientTransport, watches: readonly Ask[]): Promise<void> {
    this.#refused = [];
    for (const watch of watches) {
      const { error } = await this.#ask(transport, watch);
      if (error !== undefined) this.#refused.push(watch);
    }
    // The announcement of its server may have come while no stream was open.
    if (this.#refused.length > 0 && this.#looks++ < MOST_LOOKS && !this.#isClosed)
      setTimeout(() => this.#watchAgain(transport), LOOK_MS).unref();
  }

  #restored(): void {
    this.#attempt = 0;
    if (!this.#wasAway) return;
    this.#wasAway = false;
    this.#events.onBack(this.record.announced());
  }

  async #begin({ params = {} }: Request): Promise<StreamableHTTPClientTransport> {
    const transport = await this.#open();
    const { error } = await this.#ask(transport, { method: 'initialize', params });
    if (error !== undefined) throw new Error(`initialize was refused: ${JSON.stringify(error)}`);
    if (this.record.isInitialized)
      await deliver(transport, { jsonrpc: '2.0', method: 'notifications/initialized' });
    return transport;
  }

  /** A request of the link itself: the client does not see its answer. @throws if there is no answer */
  async #ask(transport: StreamableHTTPClientTransport, { method, params }: Ask): Promise<WireMessage> {
    const id = `pegboard-bridge-${++this.#lastId}`;
    const answered = new Promise<WireMessage | undefined>((resolve) => this.#asked.set(id, resolve));
    const signal = AbortSignal.timeout(ANSWER_MS);
    const end = (): void => this.#asked.get(id)?.(undefined);
    signal.addEventListener('abort', end, { once: true });
    try {
      await deliver(transport, { jsonrpc: '2.0', id, method, params }, signal, end);
      const answer = await answered;
      if (answer === undefined) throw new Error(`no answer to ${method}`);
      return answer;
    } finally {
      this.#asked.delete(id);
    }
  }
}

function deliver(
  transport: StreamableHTTPClientTransport,
  message: JsonObject | WireMessage,
  signal?: AbortSignal,
  onLost?: () => void,
): Promise<void> {
  return transport.send(message as unknown as JSONRPCMessage, {
    ...(signal !== undefined && { requestSignal: signal }),
    ...(onLost !== undefined && { onRequestStreamEnd: onLost }),
  });
}

/** A stream that cannot be resumed (400: the gateway has restarted) is over; the transport would try again for ever.
 *  It takes 405 as the end of a stream. */
const endLostStreams: typeof fetch = async (url, init) => {
  const response = await fetch(url, init);
  if (init?.method !== 'GET' || response.status !== 400) return response;
  await response.body?.cancel();
  return new Response(null, { status: 405 });
};

/** Resolves with the promise, or once the signal is aborted. */
async function endOf(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  let abort = (): void => undefined;
  const aborted = new Promise<void>((resolve) => (abort = resolve));
  signal.addEventListener('abort', abort);
  await Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', abort));
}
