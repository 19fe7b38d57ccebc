import { GatewayError } from 'pegboard';
import type { Log } from 'pegboard';
import type { Requests } from './requests.ts';
import { rpcText } from './rpcText.ts';

export interface WatchParts {
  readonly server: string;
  readonly requests: Pick<Requests, 'call' | 'ask'>;
  readonly log: Log;
  readonly timeoutMs: () => number;
}

/** The listeners of one resource, and the pending or settled subscription. */
interface Watched {
  readonly listeners: Set<() => void>;
  readonly begun: Promise<unknown>;
}

/** Subscriptions to one server's resources: one request for any number of listeners, repeated on every new connection. */
export class Watches {
  readonly #parts: WatchParts;
  readonly #watchedByUri = new Map<string, Watched>();

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  get isEmpty(): boolean {
    return this.#watchedByUri.size === 0;
  }

  /** @param uri the server's own @returns the function that unsubscribes @throws GatewayError UPSTREAM_* */
  async add(uri: string, updated: () => void): Promise<() => void> {
    const watched = this.#watchedByUri.get(uri) ?? this.#begin(uri);
    const { listeners } = watched;
    const listener = (): void => updated();
    listeners.add(listener);
    const isKnown = (): boolean => this.#watchedByUri.get(uri) === watched;
    try {
      await watched.begun;
    } catch (error) {
      if (isKnown()) this.#watchedByUri.delete(uri);
      throw error;
    }
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0 || !isKnown()) return;
      this.#watchedByUri.delete(uri);
      this.#ask('unsubscribe', uri);
    };
  }

  #begin(uri: string): Watched {
    const text = rpcText('resources/subscribe', { uri });
    const begun = this.#parts.requests.call(`subscription to ${uri}`, text, {});
    const watched = { listeners: new Set<() => void>(), begun };
    this.#watchedByUri.set(uri, watched);
    return watched;
  }

  /** @param uri from the server's notification: the subscribed uri, or one below it */
  updated(uri: unknown): void {
    if (typeof uri !== 'string') return;
    for (const [watched, { listeners }] of this.#watchedByUri)
      if (uri === watched || uri.startsWith(`${watched}/`)) for (const listener of listeners) listener();
  }

  /** Subscribes again on a new connection. */
  resume(): void {
    for (const uri of this.#watchedByUri.keys()) this.#ask('subscribe', uri);
  }

  #ask(verb: 'subscribe' | 'unsubscribe', uri: string): void {
    const { requests, server, log, timeoutMs } = this.#parts;
    requests.ask(rpcText(`resources/${verb}`, { uri }), timeoutMs()).catch((error: unknown) => {
      if (verb === 'subscribe') log.warn('subscription to a resource is lost', { server, uri, error });
    });
  }
}

export function notWatchable(server: string, uri: string): GatewayError {
  const text = `resource ${uri} cannot be subscribed to: server ${server} does not offer subscriptions; read it again instead`;
  return new GatewayError('UPSTREAM_ERROR', text, { details: { server, code: -32601 } });
}
