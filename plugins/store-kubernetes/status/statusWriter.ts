import { isDeepStrictEqual } from 'node:util';
import { messageOf } from 'pegboard';
import type { JsonObject, Log } from 'pegboard';
import { recentlyUsed } from '../../kit/limits/recentlyUsed.ts';
import type { KubeObject } from '../api/kubeObject.ts';
import { Pace } from '../api/pace.ts';
import type { KubePlace } from '../api/pathOf.ts';
import { KubeError } from '../api/kubeError.ts';
import { isToldAlready } from '../api/ownAccess.ts';
import type { Cluster } from '../store/cluster.ts';

/** Changes that follow at once share a write: a server that starts is connected soon after. */
const GATHER_MS = 100;
const RETRY_MS = 2_000;
const MAX_AT_ONCE = 8;
/** Writes of one object at once, and then one every five seconds: what changes more often shares them. */
const OBJECT_BURST = 5;
const OBJECT_PER_SECOND = 0.2;
const MAX_KNOWN = 10_000;

export interface StatusWriterParts {
  readonly cluster: Pick<Cluster, 'api' | 'pace'>;
  readonly log: Log;
  /** Whether this process is the one that writes. */
  readonly mayWrite: () => boolean;
  /** The object of a key with its place; undefined if there is none any more. */
  readonly find: (key: string) => { readonly place: KubePlace; readonly object: KubeObject } | undefined;
  /** The status that an object should have, with a null for each key to remove. */
  readonly statusOf: (key: string, object: KubeObject) => JsonObject;
}

interface Write {
  readonly place: KubePlace;
  readonly patch: JsonObject;
}

/** Writes the status of objects when it differs from what is stored. */
export class StatusWriter {
  readonly #parts: StatusWriterParts;
  /** When each may be written, by `performance.now()`. */
  readonly #due = new Map<string, number>();
  /** Those that are being written, or have their turn soon. */
  readonly #running = new Map<string, Promise<void>>();
  readonly #paces = recentlyUsed<Pace>(MAX_KNOWN);
  /** Objects as they were answered, until the watch shows them. */
  readonly #written = recentlyUsed<KubeObject>(MAX_KNOWN);
  /** Those that could not be written the last time. */
  readonly #failed = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #lastFault: string | undefined;

  constructor(parts: StatusWriterParts) {
    this.#parts = parts;
  }

  /** @param keys of objects whose status may have changed */
  touch(keys: Iterable<string>): void {
    const at = performance.now() + GATHER_MS;
    for (const key of keys) if (!this.#due.has(key)) this.#due.set(key, at);
    this.#plan();
  }

  /** How many objects wait for their status to be written. */
  get pending(): number {
    return new Set([...this.#due.keys(), ...this.#running.keys()]).size;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await Promise.all(this.#running.values());
  }

  /** Begins what is due, in order, and comes again when the next one is. */
  #plan(): void {
    clearTimeout(this.#timer);
    const now = performance.now();
    let next = Number.POSITIVE_INFINITY;
    for (const [key, at] of this.#due) {
      if (this.#isStopped || this.#running.size >= MAX_AT_ONCE) return;
      if (this.#running.has(key)) continue;
      const from = Math.max(at, now + (this.#paces.get(key)?.waitMs ?? 0));
      if (from > now) next = Math.min(next, from);
      else this.#begin(key);
    }
    if (next < Number.POSITIVE_INFINITY) this.#timer = setTimeout(() => this.#plan(), next - now);
  }

  #begin(key: string): void {
    this.#due.delete(key);
    const work = this.#write(key).then((isDone) => {
      this.#running.delete(key);
      if (isDone) this.#failed.delete(key);
      else {
        this.#failed.add(key);
        this.#due.set(key, performance.now() + RETRY_MS);
      }
      if (this.#failed.size === 0) this.#lastFault = undefined;
      this.#plan();
    });
    this.#running.set(key, work);
  }

  /** @returns false if it has to be written again */
  async #write(key: string): Promise<boolean> {
    if (this.#writeOf(key) === undefined) return true;
    await this.#parts.cluster.pace.turn();
    // What it should be may have changed meanwhile.
    const write = this.#writeOf(key);
    if (write === undefined) return true;
    const pace = this.#paces.get(key) ?? new Pace(OBJECT_PER_SECOND, OBJECT_BURST);
    this.#paces.set(key, pace);
    pace.take();
    try {
      const { object } = await this.#parts.cluster.api.patchStatus(write.place, write.patch);
      this.#written.set(key, object);
      return true;
    } catch (error) {
      // The object was deleted meanwhile.
      if (error instanceof KubeError && error.status === 404) return true;
      this.#fault(write.place, error);
      return false;
    }
  }

  /** Undefined if there is nothing to write. Another process may be the one that writes; when this one becomes it, everything is due. */
  #writeOf(key: string): Write | undefined {
    if (this.#isStopped || !this.#parts.mayWrite()) return undefined;
    const found = this.#parts.find(key);
    const written = this.#written.get(key);
    const isShown = written !== undefined && found !== undefined && !isNewer(written, found.object);
    if (isShown || found === undefined) this.#written.delete(key);
    if (found === undefined) return undefined;
    const stored = this.#written.get(key) ?? found.object;
    const patch = changesIn(this.#parts.statusOf(key, stored), (stored.status ?? {}) as JsonObject);
    return Object.keys(patch).length === 0 ? undefined : { place: found.place, patch };
  }

  #fault({ plural, namespace = '' }: KubePlace, error: unknown): void {
    const reason = messageOf(error);
    if (this.#lastFault !== undefined || isToldAlready(error)) return;
    this.#lastFault = reason;
    const isForbidden = error instanceof KubeError && error.status === 403;
    this.#parts.log.warn('status could not be written; trying again', {
      reason,
      ...(isForbidden && { fix: `grant patch on ${plural}/status (pegboard.dev) in namespace ${namespace}` }),
    });
  }
}

/** Versions of one object are compared as numbers. Source:
 *  https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions */
function isNewer({ metadata: a }: KubeObject, { metadata: b }: KubeObject): boolean {
  return a.uid === b.uid && Number(a.resourceVersion) > Number(b.resourceVersion);
}

/** A merge patch of the keys that differ. */
function changesIn(wanted: JsonObject, present: JsonObject): JsonObject {
  const differs = ([key, value]: readonly [string, unknown]): boolean =>
    value === null ? present[key] !== undefined : !isDeepStrictEqual(value, present[key]);
  return Object.fromEntries(Object.entries(wanted).filter(differs));
}
