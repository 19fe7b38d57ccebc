import { messageOf } from 'pegboard';
import type { Log } from 'pegboard';
import { recentlyUsed } from '../../kit/limits/recentlyUsed.ts';
import { KubeError } from '../api/kubeError.ts';
import { isToldAlready } from '../api/ownAccess.ts';
import type { KubeObject } from '../api/kubeObject.ts';
import { Pace } from '../api/pace.ts';
import type { KubePlace } from '../api/pathOf.ts';
import { kubeReason } from '../api/kubeReason.ts';
import type { Cluster } from '../store/cluster.ts';

/** Equal events within this time are one, with a count. */
const SAME_FOR_MS = 600_000;
const MAX_KNOWN = 1_000;
const MAX_WAITING = 1_000;
/** One object with more Events than may be written must not fill the queue of all. */
const MAX_WAITING_OF_OBJECT = 20;
/** As the API server allows. */
const MAX_MESSAGE = 1_024;

/** What happened to an object. */
export interface ObjectEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

interface Waiting {
  readonly object: KubeObject;
  readonly event: ObjectEvent;
  readonly first: string;
  last: string;
  count: number;
}

/** Events of one object at once, and then one every ten seconds: equal ones share it. */
const OBJECT_BURST = 10;
const OBJECT_PER_SECOND = 0.1;
const MAX_PACES = 10_000;

/** Writes Events of objects, one after another; no caller waits for them. Source:
 *  https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/ */
export class KubeEventWriter {
  readonly #cluster: Cluster;
  readonly #log: Log;
  readonly #mayWrite: () => boolean;
  /** The Event of each kind of event, with its count. */
  readonly #known = recentlyUsed<{ readonly name: string; readonly count: number }>(MAX_KNOWN, SAME_FOR_MS);
  readonly #waiting = new Map<string, Waiting>();
  readonly #paces = recentlyUsed<Pace>(MAX_PACES);
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #isStopped = false;
  #lastFault: string | undefined;

  /** @param mayWrite whether this process is the one that writes */
  constructor(cluster: Cluster, log: Log, mayWrite: () => boolean) {
    this.#cluster = cluster;
    this.#log = log;
    this.#mayWrite = mayWrite;
  }

  /** Left out if too many wait; of one object, the oldest is. */
  add(object: KubeObject, told: ObjectEvent): void {
    const event = kubeReason(told);
    const key = JSON.stringify([object.metadata.uid, event.type, event.reason, event.message]);
    const now = `${new Date().toISOString().slice(0, 19)}Z`;
    const same = this.#waiting.get(key);
    if (same !== undefined) {
      same.count += 1;
      same.last = now;
    } else {
      this.#makeRoomFor(object);
      if (this.#waiting.size < MAX_WAITING)
        this.#waiting.set(key, { object, event, first: now, last: now, count: 1 });
    }
    this.#plan();
  }

  /** Drops what waits: another process writes now. */
  clear(): void {
    this.#waiting.clear();
  }

  /** How many Events wait to be written. */
  get pending(): number {
    return this.#waiting.size;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#writing;
  }

  #makeRoomFor(told: KubeObject): void {
    const waiting = [...this.#waiting].filter(([, { object }]) => objectKey(object) === objectKey(told));
    const [oldest] = waiting;
    if (oldest !== undefined && waiting.length >= MAX_WAITING_OF_OBJECT) this.#waiting.delete(oldest[0]);
  }

  /** Writes the first one whose object may have one now, or comes again when one may. */
  #plan(): void {
    if (this.#isStopped || this.#writing !== undefined) return;
    clearTimeout(this.#timer);
    if (!this.#mayWrite()) this.clear();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const [key, { object }] of this.#waiting) {
      const pace = this.#paceOf(object);
      nextMs = Math.min(nextMs, pace.waitMs);
      if (nextMs > 0) continue;
      pace.take();
      this.#writing = this.#take(key).finally(() => {
        this.#writing = undefined;
        this.#plan();
      });
      return;
    }
    if (nextMs < Number.POSITIVE_INFINITY) this.#timer = setTimeout(() => this.#plan(), nextMs);
  }

  #paceOf(object: KubeObject): Pace {
    const key = objectKey(object);
    const pace = this.#paces.get(key) ?? new Pace(OBJECT_PER_SECOND, OBJECT_BURST);
    this.#paces.set(key, pace);
    return pace;
  }

  async #take(key: string): Promise<void> {
    await this.#cluster.pace.turn();
    const waiting = this.#waiting.get(key);
    this.#waiting.delete(key);
    if (waiting === undefined || this.#isStopped || !this.#mayWrite()) return;
    try {
      await this.#write(key, waiting);
      this.#lastFault = undefined;
    } catch (error) {
      this.#fault(error, waiting.object.metadata.namespace);
    }
  }

  async #write(key: string, waiting: Waiting): Promise<void> {
    const { api } = this.#cluster;
    const { last: lastTimestamp } = waiting;
    const place = placeOf(waiting.object);
    const known = this.#known.get(key);
    if (known !== undefined) {
      const count = known.count + waiting.count;
      try {
        await api.mergePatch({ ...place, name: known.name }, { count, lastTimestamp });
        this.#known.set(key, { name: known.name, count });
        return;
      } catch (error) {
        // The API server forgets Events after an hour.
        if (!(error instanceof KubeError) || error.status !== 404) throw error;
      }
    }
    const { object } = await api.create(place, bodyOf(waiting, this.#cluster.holder));
    this.#known.set(key, { name: object.metadata.name, count: waiting.count });
  }

  #fault(error: unknown, namespace = ''): void {
    const reason = messageOf(error);
    if (this.#lastFault !== undefined || isToldAlready(error)) return;
    this.#lastFault = reason;
    const isForbidden = error instanceof KubeError && error.status === 403;
    this.#log.warn('Events cannot be written', {
      reason,
      ...(isForbidden && { fix: `grant create and patch on events in namespace ${namespace}` }),
    });
  }
}

function objectKey({ kind = '', metadata: { namespace = '', name } }: KubeObject): string {
  return `${kind}/${namespace}/${name}`;
}

function placeOf({ metadata: { namespace = 'default' } }: KubeObject): KubePlace {
  return { group: '', version: 'v1', plural: 'events', namespace };
}

function bodyOf({ object, event, first, last, count }: Waiting, holder: string): object {
  const { apiVersion, kind, metadata } = object;
  const { name, namespace, uid, resourceVersion } = metadata;
  const message =
    event.message.length > MAX_MESSAGE ? `${event.message.slice(0, MAX_MESSAGE - 1)}…` : event.message;
  return {
    metadata: { generateName: `${name}.`, namespace },
    involvedObject: { apiVersion, kind, name, namespace, uid, resourceVersion },
    type: event.type,
    reason: event.reason,
    message,
    firstTimestamp: first,
    lastTimestamp: last,
    count,
    source: { component: 'pegboard' },
    reportingComponent: 'pegboard.dev/pegboard',
    reportingInstance: holder,
  };
}
