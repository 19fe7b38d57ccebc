import { statSync } from 'node:fs';
import type { Socket } from 'node:net';
import { singleFlight } from 'pegboard';
import type { Log } from 'pegboard';
import type { HttpListener } from '../contracts/http.ts';
import type { Listener } from './listener.ts';

export interface SwitchParts {
  /** Undefined before the start. */
  readonly listener: () => Listener | undefined;
  readonly host: () => string;
  /** Path of config.yaml. */
  readonly file: () => string;
  /** Ends the standing streams of sockets that the listener has left. */
  readonly endStanding: (sockets: ReadonlySet<Socket>) => void;
  readonly log: Log;
}

/** The listener for other plugins. While it is shut, an edit of config.yaml or SIGHUP opens it: no client can reach it. */
export class ListenerSwitch implements HttpListener {
  readonly #parts: SwitchParts;
  /** The stamp of config.yaml when the listener was shut. */
  #stamp = '';
  #isStopped = false;
  #opening: Promise<void> = Promise.resolve();

  constructor(parts: SwitchParts) {
    this.#parts = parts;
  }

  url(): string | undefined {
    const [listener, host] = [this.#parts.listener(), this.#parts.host()];
    if (listener === undefined || listener.isShut) return undefined;
    return `http://${host.includes(':') ? `[${host}]` : host}:${listener.port}`;
  }

  isShut(): boolean {
    return this.#parts.listener()?.isShut === true;
  }

  share(): readonly number[] {
    return this.#parts.listener()?.share() ?? [];
  }

  shut(): void {
    this.#parts.log.warn('the listener is shut; an edit of config.yaml or SIGHUP opens it again');
    this.#leave();
  }

  #leave(): void {
    this.#parts.listener()?.shut(this.#endSoon);
    this.#stamp = stampOf(this.#parts.file());
    process.off('SIGHUP', this.#onSignal).on('SIGHUP', this.#onSignal);
  }

  reopen(): Promise<void> {
    this.#opening = this.#flight();
    return this.#opening;
  }

  /** Called after each load of the configuration, also for changes of other files. */
  configRead(): void {
    if (!this.isShut()) process.off('SIGHUP', this.#onSignal);
    else if (stampOf(this.#parts.file()) !== this.#stamp) this.#onSignal();
  }

  /** Prevents any further opening. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    process.off('SIGHUP', this.#onSignal);
    await Promise.allSettled([this.#opening]);
  }

  readonly #flight = singleFlight(async () => {
    if (this.#isStopped) return;
    const listener = this.#parts.listener();
    // What another process has opened for this one stays open: it could not be opened again.
    if (listener?.isInherited === true && !listener.isShut) return;
    this.#leave();
    await listener?.reopen();
    process.off('SIGHUP', this.#onSignal);
    this.#parts.log.info('the listener is open again', { url: this.url() });
  });

  readonly #onSignal = (): void =>
    void this.reopen().catch((error: unknown) =>
      this.#parts.log.error('the listener stays closed', { error }),
    );

  /** Deferred, because the result of the tool that shut it may be sent on a standing stream in this turn. */
  readonly #endSoon = (sockets: ReadonlySet<Socket>): void =>
    void setImmediate(() => this.#parts.endStanding(sockets));
}

function stampOf(file: string): string {
  const facts = statSync(file, { throwIfNoEntry: false });
  return facts === undefined ? '' : `${facts.mtimeMs} ${facts.size} ${facts.ino}`;
}
