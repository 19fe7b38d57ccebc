import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import type { WireMessage, Request } from './messages.ts';

export interface Ask {
  readonly method: string;
  readonly params: JsonObject;
}

/** What a client has told its gateway, so that it can be told to the next one. */
export class SessionRecord {
  #initialize: Request | undefined;
  #capabilities: JsonObject = {};
  #level: JsonObject | undefined;
  readonly #watched = new Map<unknown, JsonObject>();
  /** Whether the client has confirmed the session. */
  isInitialized = false;

  get initialize(): Request | undefined {
    return this.#initialize;
  }

  /** @param message of the client */
  note(message: WireMessage): void {
    const { method, params = {} } = message;
    if (method === 'initialize') this.#initialize = message as Request;
    if (method === 'notifications/initialized') this.isInitialized = true;
    if (method === 'logging/setLevel') this.#level = params;
    if (method === 'resources/subscribe') this.#watched.set(params['uri'], params);
    if (method === 'resources/unsubscribe') this.#watched.delete(params['uri']);
  }

  /** @param result of initialize */
  opened(result: unknown): void {
    const capabilities = isObject(result) ? result['capabilities'] : undefined;
    this.#capabilities = isObject(capabilities) ? capabilities : {};
  }

  /** What a gateway forgets when it restarts. */
  watches(): readonly Ask[] {
    const watched = [...this.#watched.values()].map((params) => ({ method: 'resources/subscribe', params }));
    return this.#level === undefined
      ? watched
      : [{ method: 'logging/setLevel', params: this.#level }, ...watched];
  }

  /** The lists of which the gateway promised to announce changes. */
  announced(): readonly string[] {
    return ['tools', 'resources', 'prompts'].filter((kind) => {
      const capability = this.#capabilities[kind];
      return isObject(capability) && capability['listChanged'] === true;
    });
  }
}
