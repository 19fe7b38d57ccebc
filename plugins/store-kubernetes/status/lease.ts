import type { Log } from 'pegboard';
import type { KubeObject } from '../api/kubeObject.ts';
import type { KubePlace } from '../api/pathOf.ts';
import { KubeError } from '../api/kubeError.ts';
import { isToldAlready } from '../api/ownAccess.ts';
import type { Cluster } from '../store/cluster.ts';

export interface LeaseParts {
  readonly cluster: Cluster;
  readonly namespace: () => string;
  /** Name of the Lease. */
  readonly name: () => string;
  /** How long it holds without a renewal. */
  readonly seconds: () => number;
  readonly log: Log;
  /** Called when this process has become the holder. */
  readonly taken: () => void;
}

interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

/** The Lease that one process of a namespace holds: only that one writes status and Events. As in client-go, clocks
 *  are not compared: a holder is gone if its Lease has not changed for its duration, by our own clock.
 *  Source: https://kubernetes.io/docs/concepts/architecture/leases/ */
export class Lease {
  readonly #parts: LeaseParts;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #hasStarted = false;
  #isStopped = false;
  /** Time until when this process is the holder, by `performance.now()`. */
  #heldUntil = 0;
  /** The Lease of another holder, and since when it has been as it is. */
  #seen: { readonly version: string | undefined; readonly since: number } | undefined;
  #lastFault: string | undefined;

  constructor(parts: LeaseParts) {
    this.#parts = parts;
  }

  get isHeld(): boolean {
    return performance.now() < this.#heldUntil;
  }

  /** Safe to call again. */
  start(): void {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    this.#tick();
  }

  /** Hands the Lease on, so that another process need not wait until it has run out. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
    if (!this.isHeld) return;
    this.#heldUntil = 0;
    await this.#release().catch((error: unknown) => this.#fault(error));
  }

  #tick(): void {
    this.#running = this.#attempt()
      .catch((error: unknown) => this.#fault(error))
      .then(() => {
        if (this.#isStopped) return;
        const ms = (this.#parts.seconds() * 1_000) / 3;
        this.#timer = setTimeout(() => this.#tick(), ms * (0.9 + Math.random() * 0.2));
      });
  }

  async #attempt(): Promise<void> {
    const { cluster } = this.#parts;
    const startedAt = performance.now();
    const present = await this.#read();
    if (present === undefined) {
      const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', ...this.#body(undefined) };
      await cluster.api.create(this.#place(false), body);
      this.#took(startedAt, undefined);
      return;
    }
    const { holderIdentity = '' } = specOf(present);
    const isOurs = holderIdentity === cluster.holder;
    if (!isOurs && holderIdentity !== '' && !this.#isLeft(present)) return;
    // Its resourceVersion makes the API server refuse it if another process was first.
    await cluster.api.replace(this.#place(true), { ...present, ...this.#body(present) });
    this.#took(startedAt, holderIdentity);
  }

  #took(startedAt: number, before: string | undefined): void {
    const wasHeld = this.isHeld;
    this.#heldUntil = startedAt + this.#parts.seconds() * 1_000;
    this.#seen = undefined;
    if (this.#lastFault !== undefined) this.#parts.log.info('the Lease is reachable again');
    this.#lastFault = undefined;
    if (wasHeld) return;
    const { log, name, cluster } = this.#parts;
    log.info('this process writes status and Events from now on', {
      lease: name(),
      holder: cluster.holder,
      ...(before !== undefined && before !== cluster.holder && before !== '' && { after: before }),
    });
    this.#parts.taken();
  }

  /** Whether a Lease of another holder has run out. */
  #isLeft({ metadata, spec }: KubeObject): boolean {
    const now = performance.now();
    const { resourceVersion: version } = metadata;
    if (this.#seen === undefined || this.#seen.version !== version) this.#seen = { version, since: now };
    const { leaseDurationSeconds = this.#parts.seconds() } = (spec ?? {}) as LeaseSpec;
    return now - this.#seen.since >= leaseDurationSeconds * 1_000;
  }

  async #read(): Promise<KubeObject | undefined> {
    try {
      return (await this.#parts.cluster.api.get(this.#place(true))).object;
    } catch (error) {
      if (error instanceof KubeError && error.status === 404) return undefined;
      throw error;
    }
  }

  async #release(): Promise<void> {
    const present = await this.#read();
    if (present === undefined || specOf(present).holderIdentity !== this.#parts.cluster.holder) return;
    const spec = { ...specOf(present), holderIdentity: '', leaseDurationSeconds: 1, renewTime: microTime() };
    await this.#parts.cluster.api.replace(this.#place(true), { ...present, spec });
  }

  #place(isNamed: boolean): KubePlace {
    const { namespace, name } = this.#parts;
    const place = { group: 'coordination.k8s.io', version: 'v1', plural: 'leases', namespace: namespace() };
    return isNamed ? { ...place, name: name() } : place;
  }

  #body(present: KubeObject | undefined): Pick<KubeObject, 'metadata' | 'spec'> {
    const { cluster, name, seconds } = this.#parts;
    const before = present === undefined ? {} : specOf(present);
    const isOurs = before.holderIdentity === cluster.holder;
    const now = microTime();
    const spec: LeaseSpec = {
      holderIdentity: cluster.holder,
      leaseDurationSeconds: seconds(),
      acquireTime: isOurs ? (before.acquireTime ?? now) : now,
      renewTime: now,
      leaseTransitions: (before.leaseTransitions ?? 0) + (present === undefined || isOurs ? 0 : 1),
    };
    return { metadata: { ...present?.metadata, name: name() }, spec };
  }

  /** A conflict only means that another process was first. */
  #fault(error: unknown): void {
    if ((error instanceof KubeError && error.status === 409) || isToldAlready(error)) return;
    const reason = error instanceof Error ? error.message : String(error);
    if (reason === this.#lastFault || this.#isStopped) return;
    this.#lastFault = reason;
    const { log, name, namespace } = this.#parts;
    log.warn('no status is written while the Lease cannot be renewed', {
      lease: `${namespace()}/${name()}`,
      reason,
      ...(error instanceof KubeError &&
        error.status === 403 && { fix: 'grant get, create and update on leases (coordination.k8s.io)' }),
    });
  }
}

function specOf({ spec }: KubeObject): LeaseSpec {
  return spec ?? {};
}

/** Times of a Lease have microseconds. */
function microTime(): string {
  return new Date().toISOString().replace('Z', '000Z');
}
