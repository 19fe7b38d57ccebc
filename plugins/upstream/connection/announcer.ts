import type { GatewayError, Log } from 'pegboard';
import type { ConnectionCounts } from './connectionCounts.ts';
import type { Holder } from './holder.ts';
import { serverEvents } from './serverEvents.ts';
import type { ServerStatus } from './serverStatus.ts';
import type { TellServer } from './serverEvents.ts';

const LAST_WORDS = /; it(?: began with|s last words): /;

type AnnouncingHolder = Pick<Holder, 'name' | 'emit' | 'toolReport'>;

/** Reports the connections of one server in log, events, counts and status. */
export class Announcer {
  readonly #server: string;
  readonly #log: Log;
  readonly #holder: AnnouncingHolder;
  readonly #counts: ConnectionCounts;
  readonly #status: Pick<ServerStatus, 'silent'>;
  readonly #tell: TellServer;
  #lastFailure = '';
  #lastListError: string | undefined;
  /** The attempts are automatic: the server died, or did not start. */
  #isRecovering = false;

  constructor(
    log: Log,
    holder: AnnouncingHolder,
    counts: ConnectionCounts,
    status: Pick<ServerStatus, 'silent'>,
  ) {
    this.#server = holder.name;
    this.#log = log;
    this.#holder = holder;
    this.#counts = counts;
    this.#status = status;
    this.#tell = serverEvents(holder.name, (event) => holder.emit(event));
  }

  /** A start was requested. */
  starting(): void {
    this.#isRecovering = false;
    this.#tell('MCPServerStarting');
  }
  restarting(): void {
    this.#isRecovering = false;
    this.#counts.restarted('requested');
    this.#tell('MCPServerRestarting');
  }
  /** An automatic attempt. Consecutive attempts are reported once. */
  recovering(): void {
    this.#counts.restarted('automatic');
    if (!this.#isRecovering) this.#tell('MCPServerRecoveryStarted');
    this.#isRecovering = true;
  }

  connected(ms: number, listError: GatewayError | undefined): void {
    this.#lastFailure = '';
    this.#lastListError = undefined;
    this.#counts.connected(ms);
    const { count: tools, malformed, collisions } = this.#holder.toolReport();
    const refusedTools = malformed.length + collisions.length;
    const facts = { tools, refusedTools, ms };
    const refused = refusedTools > 0 && { refusedTools };
    this.#log.info('server connected', { server: this.#server, tools, ...refused, ms });
    this.#holder.emit({ type: 'server.connected', server: this.#server, ...facts });
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
    this.#log.warn('server could not be listed', { server: this.#server, error: error.message });
    this.#tell('MCPServerToolsUnavailable', error.message);
  }

  /** Reports a repeated failure only at attempts 1, 2, 4, 8, …. @param attempt number of consecutive failed attempts */
  notConnected(error: GatewayError, attempt: number): void {
    const { message, code } = error;
    const isPowerOfTwo = (attempt & (attempt - 1)) === 0;
    const isRepeated = this.#lastFailure === message;
    if (isRepeated && !isPowerOfTwo) return;
    this.#lastFailure = message;
    // Nothing is wrong with the server.
    const isForCallers = code === 'UPSTREAM_AUTH_REQUIRED' && error.details.signInAt !== undefined;
    if (isForCallers) this.#log.info('server wants its callers to sign in', { server: this.#server });
    else
      this.#log.warn('server could not be connected', {
        server: this.#server,
        error: isRepeated ? sameWords(message) : message,
        attempt,
      });
    if (code === 'UPSTREAM_AUTH_REQUIRED') this.#tell('MCPServerAuthRequired');
    else this.#tell(this.#isRecovering ? 'MCPServerRecoveryFailed' : 'MCPServerFailed', message, { attempt });
  }

  sessionLost({ message }: GatewayError): void {
    this.#log.info('server must be initialized again', { server: this.#server, reason: message });
  }

  /** Calls in a row had no answer in time; undefined: one was answered again. */
  silent(error: GatewayError | undefined): void {
    this.#status.silent(error);
    const server = this.#server;
    if (error === undefined) this.#log.info('server answers calls again', { server });
    else this.#log.warn('server does not answer calls', { server, error: error.message });
    if (error !== undefined) this.#tell('MCPServerHealthCheckFailed', error.message);
  }

  /** The server did not answer a ping. */
  unhealthy({ message }: GatewayError): void {
    this.#tell('MCPServerHealthCheckFailed', message);
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
    this.#counts.lost();
    this.#disconnected(message, 'warn');
    this.#tell('MCPServerFailed', message);
  }

  #disconnected(reason: string, level: 'info' | 'warn'): void {
    const told = { server: this.#server, reason };
    this.#log[level]('server disconnected', told);
    this.#holder.emit({ type: 'server.disconnected', ...told });
  }
}

/** What was said before, without the server's own words. */
function sameWords(message: string): string {
  const [own = '', ...words] = message.split(LAST_WORDS);
  return words.length === 0 ? message : `${own}; the same words as before`;
}
