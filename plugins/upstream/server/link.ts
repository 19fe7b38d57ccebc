import { GatewayError } from 'pegboard';
import type { Log } from 'pegboard';
import { lateError } from './away.ts';
import { handshake } from '../rpc/handshake.ts';
import type { ServerFacts } from '../rpc/handshake.ts';
import { within } from '../rpc/ticker.ts';
import type { ServerDefinition } from '../definition.ts';
import type { Conversation } from '../rpc/conversation.ts';
import { asGatewayError } from '../rpc/requestErrors.ts';
import { NOTHING_QUOTED, withLastWords } from '../wire/standardError.ts';
import type { Wire, WireListener } from '../wire/wire.ts';

export interface LinkParts {
  readonly server: string;
  readonly log: Log;
  readonly conversation: Conversation;
  readonly definition: () => ServerDefinition;
  /** @throws GatewayError CONFIG_REFERENCE */
  readonly dial: (definition: ServerDefinition, listener: WireListener) => Promise<Wire>;
  /** The first attempt waits for it. */
  readonly after: Promise<void>;
  /** Initialized; the lists are read, but for what `listError` says. */
  readonly connected: (ms: number, listError: GatewayError | undefined) => void;
  readonly failed: (error: GatewayError) => void;
  /** The server says more than is read; undefined: no more. */
  readonly flooding: (error: GatewayError | undefined) => void;
  /** The wire ended by itself; release() or end() lets it go. */
  readonly closed: (error: GatewayError) => void;
}

/** The attempts to connect to one server and the wire they lead to. An attempt begins when no wire of an earlier one is
 *  left: one process per server. */
export class Link {
  readonly #parts: LinkParts;
  /** Changes with every attempt and every end: what was begun before is then void. */
  #epoch = 0;
  #wire: Wire | undefined;
  #facts: ServerFacts | undefined;
  #attempt: Promise<void> = Promise.resolve();
  #closing: Promise<void>;

  constructor(parts: LinkParts) {
    this.#parts = parts;
    this.#closing = parts.after;
  }

  get hasWire(): boolean {
    return this.#wire !== undefined;
  }
  get facts(): ServerFacts | undefined {
    return this.#facts;
  }
  /** Resolves when no attempt is under way. */
  settled(): Promise<void> {
    return this.#attempt;
  }
  /** Resolves when no wire is left of those that were let go. */
  ended(): Promise<void> {
    return this.#closing;
  }

  /** Makes void what was begun. @returns whether nothing was begun or made void since */
  supersede(): () => boolean {
    const epoch = ++this.#epoch;
    return () => epoch === this.#epoch;
  }

  /** Resolves when the attempt has ended, either way. */
  begin(): Promise<void> {
    const isCurrent = this.supersede();
    this.#attempt = this.#closing.then(nextTurn).then(() => this.#dial(isCurrent));
    return this.#attempt;
  }

  /** initialize again, over the same wire. */
  renew(): void {
    const wire = this.#wire;
    if (wire === undefined) return;
    const isCurrent = this.supersede();
    wire.renew();
    this.#attempt = this.#greet(wire, isCurrent).catch((error: unknown) => {
      if (isCurrent()) this.#parts.failed(asGatewayError(error));
    });
  }

  /** What was begun is void; the wire ends in the background and the next attempt waits for that. */
  release(reason: GatewayError): void {
    this.supersede();
    void this.#endWith(this.#letGo(reason));
  }

  /** Lets the wire go once `drained`. */
  end(drained: Promise<void>, reason: GatewayError): Promise<void> {
    return this.#endWith(drained.then(() => this.#letGo(reason)));
  }

  async #dial(isCurrent: () => boolean): Promise<void> {
    if (!isCurrent()) return;
    const { definition, dial, failed, conversation } = this.#parts;
    const { timeoutMs } = definition();
    try {
      const wire = await dial(
        definition(),
        this.#listener(() => wire),
      );
      if (!isCurrent()) {
        await wire.close();
        return;
      }
      this.#wire = wire;
      conversation.requests.use(wire);
      await within(timeoutMs, wire.open(), () => lateError('connecting', timeoutMs));
      if (isCurrent()) await this.#greet(wire, isCurrent);
    } catch (error) {
      if (isCurrent()) failed(this.#inWords(asGatewayError(error)));
    }
  }

  /** Of a server that stays silent, standard error is all there is to go by. */
  #inWords(error: GatewayError): GatewayError {
    if (error.code !== 'UPSTREAM_TIMEOUT') return error;
    const { code, message, details } = error;
    return new GatewayError(code, withLastWords(message, this.#wire?.quotes() ?? NOTHING_QUOTED), {
      cause: error,
      details,
    });
  }

  /** initialize, then the lists; calls go out as soon as initialize is through. */
  async #greet(wire: Wire, isCurrent: () => boolean): Promise<void> {
    const { definition, conversation, connected } = this.#parts;
    const { requests, lists } = conversation;
    const startedAt = performance.now();
    const facts = await handshake(requests, wire, {
      timeoutMs: definition().timeoutMs,
      questions: conversation.topics,
      ownWords: (text) => conversation.ownWords(text),
    });
    if (!isCurrent()) return;
    this.#facts = facts;
    requests.open();
    const listError = await lists.readAll(facts.capabilities);
    if (isCurrent()) connected(Math.round(performance.now() - startedAt), listError);
  }

  /** A wire that was let go may still fail what it was given, and nothing else. */
  #listener(own: () => Wire): WireListener {
    const { server, log, conversation, closed, flooding } = this.#parts;
    const { requests } = conversation;
    return {
      message: (text, about) => {
        // Whatever is in it, what one server says must not end the others.
        try {
          return requests.message(text, about);
        } catch (error) {
          log.error('message of a server could not be taken', { server, error });
          return 1;
        }
      },
      failed: (outgoing, error) => requests.failed(outgoing, error),
      notTaken: (outgoing, error, isOutdated) => {
        if (this.#wire === own()) requests.notTaken(outgoing, error, isOutdated);
        else requests.failed(outgoing, error);
      },
      sessionLost: (error) => {
        if (this.#wire === own()) requests.sessionLost(error);
      },
      flooding: (error) => {
        if (this.#wire === own()) flooding(error);
      },
      closed: (error) => {
        if (this.#wire === own()) closed(error);
      },
    };
  }

  #letGo(reason: GatewayError): Promise<void> {
    const { server, log, conversation } = this.#parts;
    const wire = this.#wire;
    this.#wire = undefined;
    conversation.ended();
    conversation.requests.abandon(reason);
    if (wire === undefined) return Promise.resolve();
    return wire.close().catch((error: unknown) => {
      log.warn('server connection did not close cleanly', { server, error });
    });
  }

  #endWith(work: Promise<void>): Promise<void> {
    this.#closing = Promise.all([this.#closing, work]).then(() => undefined);
    return this.#closing;
  }
}

/** Whatever starts Pegboard goes on first: spawning and connecting take their time on the same thread. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
