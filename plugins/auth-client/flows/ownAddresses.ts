import type { ClientConfig } from '../config.ts';

export const START_PATH = '/oauth/proxy/start';
export const SECRETS_PATH = '/oauth/proxy/secrets';
/** Why there is no link, for people. */
export const NO_ADDRESS =
  'this gateway has no address for browsers; set aggregator.oauth.mcpClient.publicUrl, or let the plugin http run';

/** The addresses at which browsers and authorization servers reach this gateway; never taken from a request's Host. */
export class OwnAddresses {
  readonly #config: () => ClientConfig;
  readonly #baseUrl: () => string | undefined;
  readonly #listener: () => string | undefined;

  /** @param baseUrl aggregator.oauth.server.baseUrl
   *  @param listener URL of the listener; undefined while it does not listen */
  constructor(
    config: () => ClientConfig,
    baseUrl: () => string | undefined,
    listener: () => string | undefined,
  ) {
    this.#config = config;
    this.#baseUrl = baseUrl;
    this.#listener = listener;
  }

  /** The base has no slash at the end; undefined if none is configured and nothing listens. */
  get base(): string | undefined {
    return (this.#config().publicUrl ?? (this.#baseUrl() || reachable(this.#listener())))?.replace(
      /(?<!\/)\/+$/,
      '',
    );
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
    return this.at(this.#config().callbackPath);
  }

  /** The URL of a client metadata document: the gateway's own, unless another is configured. */
  get clientId(): string | undefined {
    const { clientId, cimd } = this.#config();
    return clientId ?? this.at(cimd.path);
  }

  /** Whether that document is published here. */
  get publishesDocument(): boolean {
    const { clientId, cimd } = this.#config();
    return clientId === undefined || clientId === this.at(cimd.path);
  }
}

/** Browsers on this machine reach a listener on all addresses there. */
function reachable(url: string | undefined): string | undefined {
  return url?.replace(/\/\/(0\.0\.0\.0|\[::\])(?=:|$)/, '//localhost');
}
