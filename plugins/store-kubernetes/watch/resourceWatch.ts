import { messageOf } from 'pegboard';
import type { Log } from 'pegboard';
import { doubledMs } from '../../kit/limits/doubledMs.ts';
import type { KubeApi } from '../api/kubeApi.ts';
import { KubeError } from '../api/kubeError.ts';
import type { KubeObject } from '../api/kubeObject.ts';
import { isToldAlready } from '../api/ownAccess.ts';
import { listAll } from '../api/listAll.ts';
import type { KubePlace } from '../api/pathOf.ts';
import { ObjectMap } from './objectMap.ts';
import type { ObjectChange } from './objectMap.ts';
import { SilenceGuard } from './silenceGuard.ts';
import { WatchReader } from './watchReader.ts';
import type { WatchEvent } from './watchReader.ts';

export interface WatchTimes {
  readonly firstBackoffMs: number;
  readonly maxBackoffMs: number;
  /** So long nothing may arrive before the API server is asked whether it lives; bookmarks come about each minute. */
  readonly silenceMs: number;
  /** So long nothing may arrive at all: the connection is dead though the API server lives. */
  readonly maxSilenceMs: number;
  /** After 1 to 1.25 times this time, the API server ends a watch; random, so that not all end together. */
  readonly watchSeconds: number;
}
const TIMES: WatchTimes = {
  firstBackoffMs: 250,
  maxBackoffMs: 30_000,
  silenceMs: 20_000,
  maxSilenceMs: 150_000,
  watchSeconds: 240,
};
/** After a watch of at least this length, waits begin anew. */
const HEALTHY_MS = 1_000;
/** A watch that ends by more than this before its time has been ended for a reason. */
const EARLY_MS = 1_000;
/** A server may ask for hours. */
const MAX_RETRY_AFTER_SECONDS = 300;

export interface ResourceWatchParts {
  readonly api: Pick<KubeApi, 'list' | 'watch'>;
  /** A place without a name. */
  readonly place: KubePlace;
  /** Takes the changes of one event or one list, in their order, with the objects after them. What it throws is logged. */
  readonly take: (changes: readonly ObjectChange[], objects: ReadonlyMap<string, KubeObject>) => void;
  /** Called when `state` has another error. */
  readonly failed?: () => void;
  /** Called when the API server knows the plural no longer, once for each time. */
  readonly gone?: () => void;
  readonly log: Log;
  readonly times?: Partial<WatchTimes>;
}
export interface WatchState {
  /** The first list is complete; from then on the objects are the last known ones. */
  readonly isSynced: boolean;
  /** Time of the last bytes from the API server, ms since 1970; undefined before the first. */
  readonly lastContact: number | undefined;
  /** Absent while all is well. */
  readonly lastError: Error | undefined;
  /** How often it had to begin anew after an error. */
  readonly restarts: number;
}

/** Keeps the objects of one plural of one namespace: lists them, watches from there, and returns after any loss.
 *  Source: https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes */
export class ResourceWatch {
  readonly #parts: ResourceWatchParts;
  readonly #times: WatchTimes;
  readonly #map = new ObjectMap();
  readonly #stop = new AbortController();
  /** Where the next watch begins; undefined before a list. */
  #version: string | undefined;
  #failures = 0;
  #restarts = 0;
  #isSynced = false;
  #lastContact: number | undefined;
  #lastError: Error | undefined;
  #running: Promise<void> | undefined;
  #synced: (() => void) | undefined;
  /** Resolves with the first complete list, after `take` has had it; never if it is stopped before. */
  readonly synced = new Promise<void>((resolve) => (this.#synced = resolve));

  constructor(parts: ResourceWatchParts) {
    this.#parts = parts;
    this.#times = { ...TIMES, ...parts.times };
  }

  get objects(): ReadonlyMap<string, KubeObject> {
    return this.#map.objects;
  }
  get state(): WatchState {
    return {
      isSynced: this.#isSynced,
      lastContact: this.#lastContact,
      lastError: this.#lastError,
      restarts: this.#restarts,
    };
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Ends its streams and timers; `take` is not called any more. Safe alone and twice. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error('the watch was stopped'));
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) await pause(await this.#round(), signal);
  }

  /** @returns how long to wait before the next one */
  async #round(): Promise<number> {
    let begun: number | undefined;
    let error: Error | undefined;
    try {
      const version = this.#version ?? (await this.#list());
      begun = performance.now();
      await this.#watch(version);
    } catch (thrown) {
      if (this.#stop.signal.aborted) return 0;
      error = thrown as Error;
      this.#failed(error);
    }
    const isHealthy = begun !== undefined && performance.now() - begun >= HEALTHY_MS;
    if (isHealthy) this.#failures = 0;
    const { firstBackoffMs, maxBackoffMs } = this.#times;
    if (isHealthy && error === undefined)
      // An API server that stops ends the watches of all replicas at once, and each lists then.
      return this.#version === undefined ? Math.round(firstBackoffMs * Math.random()) : 0;
    this.#failures += 1;
    const asked = error instanceof KubeError ? (error.retryAfterSeconds ?? 0) : 0;
    // From 0 on, so that replicas do not return together: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
    const ownMs = Math.round(doubledMs(this.#failures, firstBackoffMs, maxBackoffMs) * Math.random());
    return Math.max(ownMs, Math.min(asked, MAX_RETRY_AFTER_SECONDS) * 1_000);
  }

  #failed(error: Error): void {
    // Resuming suffices where a connection broke, and spares a server that is overloaded.
    const isResumable = error instanceof KubeError && (error.kind === 'unreachable' || error.status === 429);
    if (!isResumable) this.#version = undefined;
    this.#restarts += 1;
    if (this.#lastError?.message !== error.message && !isToldAlready(error)) this.#tell(error);
    this.#lastError = error;
    this.#parts.failed?.();
  }

  #tell(error: Error): void {
    const { log, gone, place } = this.#parts;
    const { plural, group } = place;
    // For a path that does not exist, the API server names no reason.
    if (!this.#isSynced || !(error instanceof KubeError && error.status === 404 && error.reason === '')) {
      log.warn('watch interrupted', { plural, error: messageOf(error) });
      return;
    }
    log.warn('the custom resource definition is gone, and with it all its objects', {
      definition: `${plural}.${group}`,
      fix: 'install it, then the objects: pegboard crds | kubectl apply -f -',
    });
    gone?.();
  }

  #heard(): void {
    this.#lastContact = Date.now();
    this.#lastError = undefined;
  }

  /** @returns the version of the list @throws KubeError */
  async #list(): Promise<string> {
    const { api, place } = this.#parts;
    const { items, version } = await listAll(api, place, { signal: this.#stop.signal });
    this.#heard();
    this.#version = version;
    const changes = this.#map.replaceAll(items);
    if (!this.#isSynced || changes.length > 0) this.#give(changes);
    this.#isSynced = true;
    this.#synced?.();
    return version;
  }

  /** Resolves when the API server has ended it. */
  async #watch(version: string): Promise<void> {
    const { api, place } = this.#parts;
    const end = new AbortController();
    const stopped = (): void => end.abort(this.#stop.signal.reason);
    this.#stop.signal.addEventListener('abort', stopped);
    const guard = new SilenceGuard({
      ...this.#times,
      probe: (signal) => api.list(place, { limit: 1, signal }),
      alive: () => this.#heard(),
      dead: (error) => end.abort(error),
    });
    const reader = new WatchReader((event) => this.#take(event));
    const onChunk = (chunk: Buffer): void => {
      guard.heard();
      this.#heard();
      reader.push(chunk);
    };
    const timeoutSeconds = Math.round(this.#times.watchSeconds * (1 + Math.random() / 4));
    const query = { resourceVersion: version, allowWatchBookmarks: true, timeoutSeconds };
    const dueAt = performance.now() + timeoutSeconds * 1_000;
    try {
      guard.start();
      await api.watch(place, { query, onOpen: () => this.#heard(), onChunk, signal: end.signal });
      this.#heard();
      // As when the definition of the kind has changed: until then, objects came without its new fields.
      if (performance.now() < dueAt - EARLY_MS) this.#version = undefined;
    } finally {
      guard.stop();
      this.#stop.signal.removeEventListener('abort', stopped);
    }
  }

  #take({ type, object }: WatchEvent): void {
    this.#version = object.metadata.resourceVersion;
    if (type === 'BOOKMARK' || this.#stop.signal.aborted) return;
    const changes = type === 'DELETED' ? this.#map.delete(object) : this.#map.apply(object);
    if (changes.length > 0) this.#give(changes);
  }

  #give(changes: readonly ObjectChange[]): void {
    if (this.#stop.signal.aborted) return;
    try {
      this.#parts.take(changes, this.#map.objects);
    } catch (error) {
      const names = changes.map(({ name }) => name).slice(0, 10);
      this.#parts.log.error('changes of objects could not be taken', { names, error });
    }
  }
}

/** Resolves after that time, or at once without one or when the signal aborts; leaves no timer behind. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (ms === 0 || signal.aborted) {
      resolve();
      return;
    }
    const over = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', over);
      resolve();
    };
    const timer = setTimeout(over, ms);
    signal.addEventListener('abort', over);
  });
}
