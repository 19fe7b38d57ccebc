import { setImmediate as nextTurn } from 'node:timers/promises';
import { GatewayError } from 'pegboard';
import { lateError } from './away.ts';
import type { Dialing } from './dialer.ts';
import { ProcessStart } from './firstStarts.ts';
import type { FirstStarts } from './firstStarts.ts';
import type { Holder } from './holder.ts';
import { erasToTry, negotiate } from '../client/revision/negotiate.ts';
import { resume, resumableSession } from '../client/revision/resume.ts';
import type { ResumableSession } from '../client/revision/resume.ts';
import type { ServerFacts } from '../client/revision/serverFacts.ts';
import { within } from '../client/rpc/ticker.ts';
import type { Transport } from '../client/options.ts';
import type { ServerDefinition } from '../definition.ts';
import type { Conversation } from '../client/conversation/conversation.ts';
import { asGatewayError } from '../client/rpc/requestErrors.ts';
import { mayBeOther, openingMs, overBoth, transportsToTry } from './transports.ts';
import { noiseWords } from '../client/wire/noiseWords.ts';
import { NOTHING_QUOTED, withLastWords } from '../client/wire/standardError.ts';
import type { Wire, WireListener } from '../client/wire/wire.ts';

/** What a link tells its connection, and asks of it. */
export interface LinkHooks {
  readonly firstStarts: FirstStarts;
  definition(): ServerDefinition;
  /** The server is initialized and listed; `listError` is set if a list could not be read. */
  connected(ms: number, listError: GatewayError | undefined): void;
  failed(error: GatewayError): void;
  /** The wire ended by itself; release() or end() must follow. */
  closed(error: GatewayError): void;
}

/** The attempts to connect to one server, and the resulting wire. An attempt begins after the wires of earlier ones have
 *  closed, so that a server never has two processes. */
export class Link {
  readonly #dialer: Dialing;
  readonly #holder: Holder;
  readonly #conversation: Conversation;
  readonly #hooks: LinkHooks;
  /** Changes with every attempt and every end: results of earlier attempts are then discarded. */
  #epoch = 0;
  #current = new AbortController();
  #wire: Wire | undefined;
  /** That of the wire. */
  #transport: Transport = 'stdio';
  #facts: ServerFacts | undefined;
  readonly #start: ProcessStart;
  #attempt: Promise<void> = Promise.resolve();
  #closing: Promise<void>;

  constructor(dialer: Dialing, holder: Holder, conversation: Conversation, hooks: LinkHooks) {
    this.#dialer = dialer;
    this.#holder = holder;
    this.#conversation = conversation;
    this.#hooks = hooks;
    this.#closing = holder.after;
    this.#start = new ProcessStart(hooks.firstStarts);
  }

  get #definition(): ServerDefinition {
    return this.#hooks.definition();
  }
  get hasWire(): boolean {
    return this.#wire !== undefined;
  }
  get facts(): ServerFacts | undefined {
    return this.#facts;
  }
  /** Resolves when no attempt is running. */
  settled(): Promise<void> {
    return this.#attempt;
  }
  /** Resolves when all released wires have closed. */
  ended(): Promise<void> {
    return this.#closing;
  }

  /** The attempt waits for no other: a call needs it, or it was requested. */
  hurry(): void {
    this.#start.hurry();
  }
  get progress(): string | undefined {
    return this.#start.progress(this.#definition);
  }

  /** Discards running attempts, and their hurry. @returns a function that returns whether this call is still the latest */
  supersede(): () => boolean {
    this.#start.over();
    return this.#next();
  }

  #next(): () => boolean {
    const epoch = ++this.#epoch;
    this.#current.abort();
    this.#current = new AbortController();
    this.#start.superseded();
    return () => epoch === this.#epoch;
  }

  /** Resolves when the attempt has succeeded or failed. */
  begin(): Promise<void> {
    const isCurrent = this.#next();
    // The start of Pegboard continues first: spawning and connecting block the same thread.
    this.#attempt = this.#closing.then(() => nextTurn()).then(() => this.#dial(isCurrent));
    return this.#attempt;
  }

  /** Agrees on a revision again, over the same wire. */
  renew(): void {
    const wire = this.#wire;
    if (wire === undefined) return;
    const isCurrent = this.#next();
    wire.renew();
    this.#attempt = this.#greet(wire, isCurrent).catch((error: unknown) => {
      if (isCurrent()) this.#hooks.failed(this.#holder.refused(asGatewayError(error)));
    });
  }

  /** Discards running attempts and closes the wire in the background; the next attempt waits for that. */
  release(reason: GatewayError): void {
    this.supersede();
    void this.#endWith(this.#letGo(reason, true));
  }

  /** Closes the wire after `drained`. @param keepsSession another one is begun at once */
  end(drained: Promise<void>, reason: GatewayError, keepsSession: boolean): Promise<void> {
    return this.#endWith(drained.then(() => this.#letGo(reason, keepsSession)));
  }

  async #dial(isCurrent: () => boolean): Promise<void> {
    if (!isCurrent()) return;
    try {
      await this.#reach(isCurrent);
      if (isCurrent()) this.#start.over();
    } catch (error) {
      if (!isCurrent()) return;
      this.#start.over();
      this.#hooks.failed(this.#holder.refused(this.#inWords(asGatewayError(error))));
    }
  }

  /** Over the other transport, too, if the server may speak that. */
  async #reach(isCurrent: () => boolean): Promise<void> {
    const [first = 'stdio', other] = transportsToTry(this.#definition, this.#holder.lastEra.transport);
    try {
      await this.#over(first, isCurrent);
    } catch (thrown) {
      const refusal = asGatewayError(thrown);
      // Without a wire the credential was slow, or the definition is wrong.
      if (other === undefined || this.#wire === undefined || !isCurrent()) throw refusal;
      // What took too long is not asked the same first again.
      if (first === 'sse' && refusal.code === 'UPSTREAM_TIMEOUT') this.#holder.lastEra.transport = undefined;
      if (!mayBeOther(first, refusal)) throw refusal;
      await this.#wire.close(true);
      if (!isCurrent()) return;
      await this.#over(other, isCurrent).catch((error: unknown) => {
        throw overBoth([first, refusal], [other, asGatewayError(error)]);
      });
    }
  }

  async #over(transport: Transport, isCurrent: () => boolean): Promise<void> {
    await this.#start.turn(this.#definition, this.#conversation.requests.hasWaiting);
    if (!isCurrent()) return;
    const conversation = this.#conversation;
    const wire = await this.#dialer.dial(
      { ...this.#definition, type: transport },
      this.#listener(() => wire),
    );
    if (!isCurrent()) {
      await wire.close();
      return;
    }
    [this.#wire, this.#transport] = [wire, transport];
    conversation.requests.use(wire);
    if (transport === 'stdio') this.#start.begun();
    const timeoutMs = openingMs(this.#definition, transport, this.#timeoutMs);
    await within(timeoutMs, wire.open(), () => lateError('connecting', timeoutMs));
    conversation.pid = wire.pid;
    const hasSessions = this.#definition.keepSession && transport !== 'sse';
    const kept = await (hasSessions ? this.#holder.session : undefined)?.read(this.#definition);
    if (isCurrent()) await this.#greet(wire, isCurrent, kept);
  }

  /** A process that has not answered yet may have to be installed first. */
  get #timeoutMs(): number {
    const { timeoutMs, startTimeoutMs } = this.#definition;
    return this.#start.isUnderWay ? startTimeoutMs : timeoutMs;
  }

  /** Adds what the server wrote to a time-out: it is the only hint at the cause. */
  #inWords(error: GatewayError): GatewayError {
    if (error.code !== 'UPSTREAM_TIMEOUT') return error;
    const { code, message, details } = error;
    const quotes = this.#wire?.quotes() ?? NOTHING_QUOTED;
    const noise = quotes.noise === undefined ? '' : `; ${noiseWords(quotes.noise)}`;
    const text = `${message}${this.#start.fix(this.#definition)}${noise}`;
    return new GatewayError(code, withLastWords(text, quotes), { cause: error, details });
  }

  /** Keeps the session of this connection for the next one, if the definition says so; otherwise none. */
  keepSession(): void {
    const { session } = this.#holder;
    const id = this.#definition.keepSession ? this.#wire?.sessionId : undefined;
    if (id === undefined || this.#facts === undefined) session?.forget();
    else session?.keep(this.#definition, resumableSession(id, this.#facts, this.#conversation.requests));
  }

  /** Agrees on a revision, or continues a session, then reads the lists; calls are sent as soon as the revision is known. */
  async #greet(wire: Wire, isCurrent: () => boolean, kept?: ResumableSession): Promise<void> {
    const { requests, lists } = this.#conversation;
    const startedAt = performance.now();
    const resumed = kept && (await resume(requests, wire, kept, this.#definition.timeoutMs));
    const facts = resumed ?? (await this.#negotiate(wire));
    if (!isCurrent()) return;
    this.#start.answered(this.#definition);
    this.#facts = facts;
    const transport = this.#transport;
    if (this.#definition.type === 'auto' && transport !== 'stdio') this.#holder.lastEra.transport = transport;
    this.keepSession();
    requests.open();
    // Before the lists are read: a change of them meanwhile would be missed.
    this.#conversation.connected(facts);
    const listError = this.#holder.readsLists ? await lists.readAll(facts.capabilities) : undefined;
    if (isCurrent()) this.#hooks.connected(Math.round(performance.now() - startedAt), listError);
  }

  #negotiate(wire: Wire): Promise<ServerFacts> {
    const { name: server, lastEra } = this.#holder;
    const conversation = this.#conversation;
    const definition = this.#definition;
    return negotiate(conversation.requests, wire, {
      eras: erasToTry({ ...definition, type: this.#transport }, lastEra.known?.era),
      timeoutMs: this.#timeoutMs,
      isStarting: this.#start.isUnderWay,
      questions: conversation.topics,
      known: lastEra.known,
      ownWords: (text) => conversation.ownWords(text),
      signal: this.#current.signal,
      waits: ({ message: reason }, ms) =>
        this.#dialer.log.info('server asks to be greeted later', { server, reason, ms }),
      learned: (facts) => lastEra.set(facts),
    }).catch((error: unknown) => {
      // The server may be another one now, and end at a greeting that it does not know.
      if (asGatewayError(error).code !== 'UPSTREAM_UNREACHABLE') lastEra.forget();
      throw error;
    });
  }

  /** A released wire may still fail its requests, and nothing else. */
  #listener(own: () => Wire): WireListener {
    const { name: server } = this.#holder;
    const conversation = this.#conversation;
    const { requests } = conversation;
    return {
      message: (text, about) => {
        // A message of one server must not end the process, whatever it holds.
        try {
          return requests.message(text, about);
        } catch (error) {
          this.#dialer.log.error('message of a server could not be processed', { server, error });
          return 1;
        }
      },
      failed: (outgoing, error) => requests.failed(outgoing, this.#holder.refused(error)),
      notTaken: (outgoing, error, isOutdated) => {
        if (this.#wire === own()) requests.notTaken(outgoing, error, isOutdated);
        else requests.failed(outgoing, error);
      },
      doubted: () => {
        if (this.#wire === own()) conversation.doubted();
      },
      reopened: () => {
        if (this.#wire === own()) conversation.missed();
      },
      closed: (error) => {
        if (this.#wire === own()) this.#hooks.closed(error);
      },
    };
  }

  #letGo(reason: GatewayError, keepsSession: boolean): Promise<void> {
    const conversation = this.#conversation;
    const wire = this.#wire;
    this.#wire = undefined;
    conversation.pid = undefined;
    conversation.ended();
    conversation.requests.abandon(reason);
    if (wire === undefined) return Promise.resolve();
    return wire.close(keepsSession).catch((error: unknown) => {
      const { name: server } = this.#holder;
      this.#dialer.log.warn('server connection did not close cleanly', { server, error });
    });
  }

  #endWith(work: Promise<void>): Promise<void> {
    this.#closing = Promise.all([this.#closing, work]).then(() => undefined);
    return this.#closing;
  }
}
