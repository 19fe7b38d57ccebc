import type { GatewayError, Log } from 'pegboard';
import type { CallerCredential } from '../../../contracts/credentials.ts';
import type { UpstreamConfig } from '../../config.ts';
import type { ServerDefinition } from '../../definition.ts';
import { backoffMs } from '../../client/backoffMs.ts';
import type { Dialing } from '../../connection/dialer.ts';
import type { SecretUser } from '../../connection/usedSecrets.ts';
import { WarmWire } from './warmWire.ts';

export type BackoffTimes = Pick<UpstreamConfig, 'backoffFirstMs' | 'backoffMaxMs'>;

/** The server whose processes are started ahead. */
export interface ServerAhead {
  readonly name: string;
  readonly definition: ServerDefinition;
  /** The dialer of the next own connection. */
  dialerFor(credential?: CallerCredential): Dialing;
}

/** Processes of one server that are started ahead of the sessions that will use them. */
export class WarmWires {
  readonly #log: Log;
  readonly #config: () => BackoffTimes;
  readonly #server: ServerAhead;
  readonly #room: () => number;
  /** Oldest first. */
  readonly #waiting: WarmWire[] = [];
  readonly #ending = new Set<Promise<void>>();
  #isOn = false;
  #failures = 0;
  /** The pause in which none is started. */
  #timer: NodeJS.Timeout | undefined;

  /** @param room how many more own connections there may be */
  constructor(log: Log, config: () => BackoffTimes, server: ServerAhead, room: () => number) {
    this.#log = log;
    this.#config = config;
    this.#server = server;
    this.#room = room;
  }

  get size(): number {
    return this.#waiting.length;
  }

  /** Those that may have been started with secrets; one that has another text now makes room for a new one. */
  get secretUsers(): readonly SecretUser[] {
    const { name: server } = this.#server;
    return this.#waiting.map((warm) => ({
      server,
      state: 'ready',
      dialer: warm.dialer,
      restart: () => this.#replace(warm),
    }));
  }

  /** Has `warmInstances` processes from now on. */
  begin(): void {
    this.#isOn = true;
    this.fill();
  }

  /** The one that has waited longest; the caller must use or discard it, and fill up later. */
  take(): WarmWire | undefined {
    const warm = this.#waiting.shift();
    if (warm !== undefined) this.#failures = 0;
    return warm;
  }

  /** Starts what is missing, ends what is too much. */
  fill(): void {
    const wanted = this.#wanted();
    for (const warm of this.#waiting.splice(wanted)) this.#discard(warm);
    while (this.#timer === undefined && this.#waiting.length < wanted) this.#add();
  }

  /** Ends all, and starts none until begin(). */
  async end(): Promise<void> {
    this.#isOn = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#failures = 0;
    this.fill();
    await Promise.all(this.#ending);
  }

  #wanted(): number {
    const { type, instances, warmInstances, auth } = this.#server.definition;
    const isOwned = instances !== 'shared' && auth.callerSecrets.length === 0;
    if (!this.#isOn || type !== 'stdio' || !isOwned) return 0;
    return Math.max(0, Math.min(warmInstances, this.#room()));
  }

  #add(): void {
    const dialer = this.#server.dialerFor();
    const warm: WarmWire = new WarmWire(dialer, this.#server.definition, (error) => this.#lost(warm, error));
    this.#waiting.push(warm);
  }

  #lost(warm: WarmWire, error: GatewayError): void {
    const at = this.#waiting.indexOf(warm);
    if (at === -1) return;
    this.#waiting.splice(at, 1);
    if (this.#timer !== undefined) return;
    const { name: server } = this.#server;
    const { backoffFirstMs, backoffMaxMs } = this.#config();
    const waitMs = backoffMs((this.#failures += 1), { firstMs: backoffFirstMs, maxMs: backoffMaxMs });
    this.#log.warn('a process that was started ahead has ended', { server, error, waitMs });
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.fill();
    }, waitMs);
  }

  #replace(warm: WarmWire): Promise<void> {
    const at = this.#waiting.indexOf(warm);
    if (at >= 0) this.#waiting.splice(at, 1).forEach((one) => this.#discard(one));
    this.fill();
    return Promise.resolve();
  }

  #discard(warm: WarmWire): void {
    const { name: server } = this.#server;
    const ending = warm.discard().catch((error: unknown) => {
      this.#log.error('a process that was started ahead could not be ended', { server, error });
    });
    this.#ending.add(ending);
    void ending.then(() => this.#ending.delete(ending));
  }
}
