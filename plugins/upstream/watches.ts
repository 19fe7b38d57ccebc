import { GatewayError } from 'pegboard';
import type { Log } from 'pegboard';
import type { Requests } from './requests.ts';

export interface WatchParts {
  readonly server: string;
  readonly requests: Requests;
  readonly log: Log;
  readonly timeoutMs: () => number;
}

/** Subscriptions to one server's resources: asked for once however many watch, and again on every new connection. */
export class Watches {
  readonly #parts: WatchParts;
  readonly #listenersByUri = new Map<string, Set<() => void>>();

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  /** @param uri the server's own @returns the function that ends it @throws GatewayError UPSTREAM_* */
  async add(uri: string, updated: () => void): Promise<() => void> {
    const known = this.#listenersByUri.get(uri);
    const listeners = known ?? new Set();
    const listener = (): void => updated();
    listeners.add(listener);
    const end = (): void => {
      listeners.delete(listener);
      if (listeners.size > 0 || this.#listenersByUri.get(uri) !== listeners) return;
      this.#listenersByUri.delete(uri);
      this.#ask('unsubscribe', uri);
    };
    if (known !== undefined) return end;
    this.#listenersByUri.set(uri, listeners);
    try {
      await this.#parts.requests.call(`subscription to ${uri}`, middle('subscribe', uri), {});
    } catch (error) {
      this.#listenersByUri.delete(uri);
      throw error;
    }
    return end;
  }

  /** @param uri as the server named it: the watched one, or one below it */
  updated(uri: unknown): void {
    if (typeof uri !== 'string') return;
    for (const [watched, listeners] of this.#listenersByUri)
      if (uri === watched || uri.startsWith(`${watched}/`)) for (const listener of listeners) listener();
  }

  /** On a new connection. */
  resume(): void {
    for (const uri of this.#listenersByUri.keys()) this.#ask('subscribe', uri);
  }

  #ask(verb: 'subscribe' | 'unsubscribe', uri: string): void {
    const { requests, server, log, timeoutMs } = this.#parts;
    requests.ask(`resources/${verb}`, middle(verb, uri), timeoutMs()).catch((error: unknown) => {
      if (verb === 'subscribe') log.warn('resource is not watched any more', { server, uri, error });
    });
  }
}

export function notWatchable(server: string, uri: string): GatewayError {
  const text = `resource ${uri} cannot be subscribed to: server ${server} does not offer it; read it again instead`;
  return new GatewayError('UPSTREAM_ERROR', text, { details: { server, code: -32601 } });
}

function middle(verb: string, uri: string): string {
  return `,"method":"resources/${verb}","params":{"uri":${JSON.stringify(uri)}`;
}
