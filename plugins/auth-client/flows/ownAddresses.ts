import type { ClientConfig } from '../config.ts';

export const START_PATH = '/oauth/proxy/start';
export const SECRETS_PATH = '/oauth/proxy/secrets';
/** Why there is no link, for people. */
export const NO_ADDRESS =
  'this gateway has no address for browsers; set aggregator.oauth.mcpClient.publicUrl, or let the plugin http run';

export interface AddressParts {
  readonly config: () => ClientConfig;
  /** aggregator.oauth.server.baseUrl */
  readonly baseUrl: () => string | undefined;
  /** URL of the listener; undefined while it does not listen. */
  readonly listener: () => string | undefined;
}

/** The addresses at which browsers and authorization servers reach this gateway; never taken from a request's Host. */
export class OwnAddresses {
  readonly #parts: AddressParts;

  constructor(parts: AddressParts) {
    this.#parts = parts;
  }

  /** The base has no slash at the end; undefined if none is configured and nothing listens. */
  get base(): string | undefined {
    const { config, baseUrl, listener } = this.#parts;
    return (config().publicUrl ?? (baseUrl() || reachable(listener())))?.replace(/(?<!\/)\/+$/, '');
  }

  get isHttps(): boolean {
    return this.base?.startsWith('https:') === true;
  }

  /** Undefined like `base`. @param path begins with a slash */
  at(path: string): string | undefined {
    return this.base === undefined ? undefined : this.base + path;
  }

  /** What authorization servers redirect to. */
  get callback(): string | undefined {
    return this.at(this.#parts.config().callbackPath);
  }

  /** The URL of a client metadata document: the gateway's own, unless another is configured. */
  get clientId(): string | undefined {
    const { clientId, cimd } = this.#parts.config();
    return clientId ?? this.at(cimd.path);
  }

  /** Whether that document is published here. */
  get publishesDocument(): boolean {
    const { clientId, cimd } = this.#parts.config();
    return clientId === undefined || clientId === this.at(cimd.path);
  }
}

/** Browsers on this machine reach a listener on all addresses there. */
function reachable(url: string | undefined): string | undefined {
  return url?.replace(/\/\/(0\.0\.0\.0|\[::\])(?=:|$)/, '//localhost');
}
