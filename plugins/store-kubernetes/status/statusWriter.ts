import { isDeepStrictEqual } from 'node:util';
import { messageOf } from 'pegboard';
import type { JsonObject, Log } from 'pegboard';
import type { KubeObject } from '../api/kubeObject.ts';
import type { KubePlace } from '../api/pathOf.ts';
import { KubeError } from '../api/kubeError.ts';
import { isToldAlready } from '../api/ownAccess.ts';
import type { Cluster } from '../store/cluster.ts';

/** Changes that follow at once share a write: a server that starts is connected soon after. */
const GATHER_MS = 100;
const RETRY_MS = 2_000;
const MAX_AT_ONCE = 8;

export interface StatusWriterParts {
  readonly cluster: Cluster;
  readonly log: Log;
  /** Whether this process is the one that writes. */
  readonly mayWrite: () => boolean;
  /** The object of a key with its place; undefined if there is none any more. */
  readonly find: (key: string) => { readonly place: KubePlace; readonly object: KubeObject } | undefined;
  /** The status that an object should have, with a null for each key to remove. */
  readonly statusOf: (key: string, object: KubeObject) => JsonObject;
}

/** Writes the status of objects when it differs from what is stored. */
export class StatusWriter {
  readonly #parts: StatusWriterParts;
  readonly #due = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #isStopped = false;
  #lastFault: string | undefined;

  constructor(parts: StatusWriterParts) {
    this.#parts = parts;
  }

  /** @param keys of objects whose status may have changed */
  touch(keys: Iterable<string>): void {
    for (const key of keys) this.#due.add(key);
    this.#plan(GATHER_MS);
  }

  /** How many objects wait for their status to be written. */
  get pending(): number {
    return this.#due.size;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#writing;
  }

  #plan(ms: number): void {
    if (this.#isStopped || this.#due.size === 0 || this.#timer !== undefined || this.#writing !== undefined)
      return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#writing = this.#writeDue().then((isDone) => {
        this.#writing = undefined;
        this.#plan(isDone ? GATHER_MS : RETRY_MS);
      });
    }, ms);
  }

  /** @returns false if some have to be written again */
  async #writeDue(): Promise<boolean> {
    // Another process writes; when this one becomes the holder, everything is due.
    if (!this.#parts.mayWrite()) {
      this.#due.clear();
      return true;
    }
    const keys = [...this.#due];
    this.#due.clear();
    const failed: string[] = [];
    const next = keys.values();
    const work = async (): Promise<void> => {
      for (const key of next) if (!(await this.#write(key))) failed.push(key);
    };
    await Promise.all(Array.from({ length: MAX_AT_ONCE }, work));
    for (const key of failed) this.#due.add(key);
    if (failed.length === 0) this.#lastFault = undefined;
    return failed.length === 0;
  }

  async #write(key: string): Promise<boolean> {
    const found = this.#parts.find(key);
    if (found === undefined || this.#isStopped) return true;
    const { place, object } = found;
    const patch = changesIn(this.#parts.statusOf(key, object), (object.status ?? {}) as JsonObject);
    if (Object.keys(patch).length === 0) return true;
    try {
      await this.#parts.cluster.api.patchStatus(place, patch);
      return true;
    } catch (error) {
      // The object was deleted meanwhile.
      if (error instanceof KubeError && error.status === 404) return true;
      this.#fault(place, error);
      return false;
    }
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

/** A merge patch of the keys that differ. */
function changesIn(wanted: JsonObject, present: JsonObject): JsonObject {
  const differs = ([key, value]: readonly [string, unknown]): boolean =>
    value === null ? present[key] !== undefined : !isDeepStrictEqual(value, present[key]);
  return Object.fromEntries(Object.entries(wanted).filter(differs));
}
