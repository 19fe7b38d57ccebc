import type { GatewayError, KernelEvent, Log } from 'pegboard';
import type { ConnectionCounts } from './connectionCounts.ts';
import { serverEvents } from './serverEvents.ts';
import type { TellServer } from './serverEvents.ts';
import type { ToolReport } from './toolReport.ts';

export interface AnnouncerParts {
  readonly log: Log;
  readonly emit: (event: KernelEvent) => void;
  readonly counts: ConnectionCounts;
  /** Which of its tools are offered, and which are left out. */
  readonly toolReport: () => ToolReport;
}

/** Reports the connections of one server in log, events and counts. */
export class Announcer {
  readonly #server: string;
  readonly #parts: AnnouncerParts;
  readonly #tell: TellServer;
  #lastFailure = '';
  #lastListError: string | undefined;
  /** The attempts are automatic: the server died, or did not start. */
  #isRecovering = false;

  constructor(server: string, parts: AnnouncerParts) {
    this.#server = server;
    this.#parts = parts;
    this.#tell = serverEvents(server, parts.emit);
  }

  /** A start was requested. */
  starting(): void {
    this.#isRecovering = false;
    this.#tell('MCPServerStarting');
  }
  restarting(): void {
    this.#isRecovering = false;
    this.#parts.counts.restarted('requested');
    this.#tell('MCPServerRestarting');
  }
  /** An automatic attempt. Consecutive attempts are reported once. */
  recovering(): void {
    this.#parts.counts.restarted('automatic');
    if (!this.#isRecovering) this.#tell('MCPServerRecoveryStarted');
    this.#isRecovering = true;
  }

  connected(ms: number, listError: GatewayError | undefined): void {
    this.#lastFailure = '';
    this.#lastListError = undefined;
    this.#parts.counts.connected(ms);
    const { count: tools, malformed, collisions } = this.#parts.toolReport();
    const refusedTools = malformed.length + collisions.length;
    const facts = { tools, refusedTools, ms };
    const refused = refusedTools > 0 && { refusedTools };
    this.#parts.log.info('server connected', { server: this.#server, tools, ...refused, ms });
    this.#parts.emit({ type: 'server.connected', server: this.#server, ...facts });
    this.#tell(this.#isRecovering ? 'MCPServerRecoverySucceeded' : 'MCPServerStarted', undefined, facts);
    this.#isRecovering = false;
    if (listError === undefined) this.#tell('MCPServerToolsDiscovered', undefined, { tools, refusedTools });
    else this.unlisted(listError);
  }

  /** Reports the same error in a row once. @param error undefined: all lists were read */
  unlisted(error: GatewayError | undefined): void {
    if (error?.message === this.#lastListError) return;
    this.#lastListError = error?.message;
    if (error === undefined) return;
    this.#parts.log.warn('server could not be listed', { server: this.#server, error: error.message });
    this.#tell('MCPServerToolsUnavailable', error.message);
  }

  /** Reports a repeated failure only at attempts 1, 2, 4, 8, …. @param attempt number of consecutive failed attempts */
  notConnected(error: GatewayError, attempt: number): void {
    const { message, code } = error;
    const isPowerOfTwo = (attempt & (attempt - 1)) === 0;
    if (this.#lastFailure === message && !isPowerOfTwo) return;
    this.#lastFailure = message;
    // Nothing is wrong with the server.
    const isForCallers = code === 'UPSTREAM_AUTH_REQUIRED' && error.details.signInAt !== undefined;
    if (isForCallers) this.#parts.log.info('server wants its callers to sign in', { server: this.#server });
    else
      this.#parts.log.warn('server could not be connected', {
        server: this.#server,
        error: message,
        attempt,
      });
    if (code === 'UPSTREAM_AUTH_REQUIRED') this.#tell('MCPServerAuthRequired');
    else this.#tell(this.#isRecovering ? 'MCPServerRecoveryFailed' : 'MCPServerFailed', message, { attempt });
  }

  sessionLost({ message }: GatewayError): void {
    this.#parts.log.info('server must be initialized again', { server: this.#server, reason: message });
  }

  /** Calls in a row had no answer in time; undefined: one was answered again. */
  silent(error: GatewayError | undefined): void {
    const server = this.#server;
    if (error === undefined) this.#parts.log.info('server answers calls again', { server });
    else this.#parts.log.warn('server does not answer calls', { server, error: error.message });
    if (error !== undefined) this.#tell('MCPServerHealthCheckFailed', error.message);
  }

  /** The server did not answer a ping. */
  unhealthy({ message }: GatewayError): void {
    this.#tell('MCPServerHealthCheckFailed', message);
  }

  /** The server sends more than is read; undefined: no longer. */
  flooding(error: GatewayError | undefined): void {
    const server = this.#server;
    if (error === undefined) this.#parts.log.info('server no longer sends too much', { server });
    else this.#parts.log.warn('server sends too much', { server, error: error.message });
  }

  /** The server had no call for its idle time. */
  idle(): void {
    this.#disconnected('idle', 'info');
  }

  /** A stop or restart was requested. */
  ended(what: 'stopped' | 'restarted', hadTools: boolean): void {
    this.#lastFailure = '';
    this.#disconnected(what, 'info');
    if (hadTools && what === 'stopped') this.#tell('MCPServerToolsUnavailable');
  }
  stopped(): void {
    this.#tell('MCPServerStopped');
  }

  /** The connection ended by itself. */
  died({ message }: GatewayError): void {
    this.#parts.counts.lost();
    this.#disconnected(message, 'warn');
    this.#tell('MCPServerFailed', message);
  }

  #disconnected(reason: string, level: 'info' | 'warn'): void {
    const told = { server: this.#server, reason };
    this.#parts.log[level]('server disconnected', told);
    this.#parts.emit({ type: 'server.disconnected', ...told });
  }
}
