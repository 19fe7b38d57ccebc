import type { GatewayError, Log } from 'pegboard';
import type { CallerCredential } from '../../contracts/credentials.ts';
import type { UpstreamConfig } from '../config.ts';
import type { ServerDefinition } from '../definition.ts';
import { backoffMs } from '../backoffMs.ts';
import type { OwnParts } from './ownParts.ts';
import { WarmWire } from './warmWire.ts';

export interface WarmWiresParts {
  readonly server: string;
  readonly log: Log;
  readonly config: () => Pick<UpstreamConfig, 'backoffFirstMs' | 'backoffMaxMs'>;
  readonly definition: () => ServerDefinition;
  /** Parts of the next instance. */
  readonly next: (credential?: CallerCredential) => OwnParts;
  /** How many more instances there may be. */
  readonly room: () => number;
}

/** Processes of one server that are started ahead of the sessions that will use them. */
export class WarmWires {
  readonly #parts: WarmWiresParts;
  /** Oldest first. */
  readonly #waiting: WarmWire[] = [];
  readonly #ending = new Set<Promise<void>>();
  #isOn = false;
  #failures = 0;
  /** The pause in which none is started. */
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: WarmWiresParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#waiting.length;
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
    const { type, instances, warmInstances, auth } = this.#parts.definition();
    const isOwned = instances !== 'shared' && auth.callerSecrets.length === 0;
    if (!this.#isOn || type !== 'stdio' || !isOwned) return 0;
    return Math.max(0, Math.min(warmInstances, this.#parts.room()));
  }

  #add(): void {
    const { next, definition } = this.#parts;
    const warm: WarmWire = new WarmWire(next(), definition(), (error) => this.#lost(warm, error));
    this.#waiting.push(warm);
  }

  #lost(warm: WarmWire, error: GatewayError): void {
    const at = this.#waiting.indexOf(warm);
    if (at === -1) return;
    this.#waiting.splice(at, 1);
    if (this.#timer !== undefined) return;
    const { server, log, config } = this.#parts;
    const { backoffFirstMs, backoffMaxMs } = config();
    const waitMs = backoffMs((this.#failures += 1), { firstMs: backoffFirstMs, maxMs: backoffMaxMs });
    log.warn('a process that was started ahead has ended', { server, error, waitMs });
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.fill();
    }, waitMs);
  }

  #discard(warm: WarmWire): void {
    const { server, log } = this.#parts;
    const ending = warm.discard().catch((error: unknown) => {
      log.error('a process that was started ahead could not be ended', { server, error });
    });
    this.#ending.add(ending);
    void ending.then(() => this.#ending.delete(ending));
  }
}
