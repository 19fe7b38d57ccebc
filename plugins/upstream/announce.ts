import type { GatewayError, KernelEvent, Log } from 'pegboard';

export interface AnnouncerParts {
  readonly log: Log;
  readonly emit: (event: KernelEvent) => void;
}

/** What log and events say of the connections of one server. */
export class Announcer {
  readonly #server: string;
  readonly #parts: AnnouncerParts;
  #lastFailure = '';

  constructor(server: string, parts: AnnouncerParts) {
    this.#server = server;
    this.#parts = parts;
  }

  connected(
    facts: { readonly tools: number; readonly ms: number },
    listError: GatewayError | undefined,
  ): void {
    this.#lastFailure = '';
    const told = { server: this.#server, ...facts };
    this.#parts.log.info('server connected', told);
    this.unlisted(listError);
    this.#parts.emit({ type: 'server.connected', ...told });
  }

  /** @param error undefined says nothing */
  unlisted(error: GatewayError | undefined): void {
    if (error === undefined) return;
    this.#parts.log.warn('server could not be listed', { server: this.#server, error: error.message });
  }

  /** The same failure again is told at growing distance only. @param attempt how many in a row have failed */
  notConnected({ message }: GatewayError, attempt: number): void {
    const isPowerOfTwo = (attempt & (attempt - 1)) === 0;
    if (this.#lastFailure === message && !isPowerOfTwo) return;
    this.#lastFailure = message;
    this.#parts.log.warn('server could not be connected', { server: this.#server, error: message, attempt });
  }

  sessionLost({ message }: GatewayError): void {
    this.#parts.log.info('server must be initialized again', { server: this.#server, reason: message });
  }

  /** @param level `warn` when nobody asked for it */
  disconnected(reason: string, level: 'info' | 'warn'): void {
    const told = { server: this.#server, reason };
    this.#parts.log[level]('server disconnected', told);
    this.#parts.emit({ type: 'server.disconnected', ...told });
  }
}
