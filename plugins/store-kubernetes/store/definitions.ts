import { GatewayError, messageOf } from 'pegboard';
import type { ConfigControl, Issue, Log, ResourceDraft, ResourceKind } from 'pegboard';
import type { KubeApi } from '../api/kubeApi.ts';
import { KubeError } from '../api/kubeError.ts';
import type { KubeObject } from '../api/kubeObject.ts';
import type { StoreKubernetesConfig } from '../config.ts';
import { ResourceWatch } from '../watch/resourceWatch.ts';
import type { Cluster } from './cluster.ts';
import { kubePlaceOf, resourceOf } from './customResource.ts';
import { isFirstKind } from './knownSpec.ts';
import { storeError } from './storeError.ts';
import { Waits } from './waits.ts';

/** Edits are to be live soon after an outage. */
const MAX_BACKOFF_MS = 5_000;
const CONNECT_PAUSE_MS = 1_000;

export interface DefinitionsParts {
  readonly cluster: Cluster;
  readonly control: () => ConfigControl;
  readonly config: () => StoreKubernetesConfig;
  readonly log: Log;
  /** Called when definitions have changed: not for their status. */
  readonly changed: () => void;
  /** Called when the API server knows a kind no longer. */
  readonly gone: (kind: ResourceKind) => void;
}

/** How current the definitions of a kind are. */
export interface WatchedKind {
  readonly kind: string;
  /** Time since the API server last sent anything. */
  readonly silentMs: number;
  readonly restarts: number;
}

/** The custom resources of one namespace, kept current by a watch for each kind. */
export class Definitions {
  readonly #parts: DefinitionsParts;
  readonly #watches = new Map<string, { readonly kind: string; readonly watch: ResourceWatch }>();
  readonly #waits = new Waits();
  /** Keys of watches whose kind the cluster lacks. */
  readonly #absent = new Set<string>();
  /** What was last handed to the pipeline. */
  #handed: ReadonlyMap<string, { generation: number | undefined; warnings: readonly Issue[] }> = new Map();
  #isStopped = false;

  constructor(parts: DefinitionsParts) {
    this.#parts = parts;
  }

  /** The tap on onConfigLoad. @throws GatewayError STORE_UNREACHABLE if the first lists do not arrive within `startWaitMs` */
  async addTo(draft: ResourceDraft): Promise<ResourceDraft> {
    const kinds = this.#parts.control().kinds();
    await this.#watchAll(kinds);
    const found = kinds.flatMap((kind) =>
      this.objects(kind).map((object) => ({ object, ...resourceOf(kind, object) })),
    );
    this.#handed = new Map(
      found.map(({ object: { metadata }, resource, warnings }) => [
        keyOf(resource),
        { generation: metadata.generation, warnings },
      ]),
    );
    return {
      ...draft,
      resources: [...draft.resources, ...found.map(({ resource }) => resource)],
      issues: [...draft.issues, ...found.flatMap(({ warnings }) => warnings)],
    };
  }

  /** As last seen, by name; without those that are being deleted. */
  objects(kind: ResourceKind): readonly KubeObject[] {
    const objects = this.#watches.get(this.#watchKey(kind))?.watch.objects.values() ?? [];
    return [...objects]
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  }

  find(kind: ResourceKind, name: string): KubeObject | undefined {
    const object = this.#watches.get(this.#watchKey(kind))?.watch.objects.get(name);
    return object?.metadata.deletionTimestamp === undefined ? object : undefined;
  }

  /** The kinds that are watched, from their first list on. */
  watched(): readonly WatchedKind[] {
    return [...this.#watches.values()].flatMap(({ kind, watch }) => {
      const { lastContact, restarts } = watch.state;
      return lastContact === undefined ? [] : [{ kind, silentMs: Date.now() - lastContact, restarts }];
    });
  }

  /** The generation that the pipeline has judged; undefined before. */
  generationOf(resource: { readonly kind: string; readonly name: string }): number | undefined {
    return this.#handed.get(keyOf(resource))?.generation;
  }

  /** A warning for each key of that generation that this version does not know. */
  warningsOf(resource: { readonly kind: string; readonly name: string }): readonly Issue[] {
    return this.#handed.get(keyOf(resource))?.warnings ?? [];
  }

  /** Resolves once the watch shows what was written, at most after `withinMs`: a watch may be late. */
  seen(isSeen: () => boolean, withinMs: number): Promise<void> {
    return this.#waits.until(() => this.#isStopped || isSeen(), withinMs);
  }

  /** Ends what waits for the API server: Pegboard is to stop. */
  interrupt(): void {
    this.#isStopped = true;
    this.#waits.wake();
  }

  async stop(): Promise<void> {
    this.interrupt();
    await Promise.all([...this.#watches.values()].map(({ watch }) => watch.stop()));
  }

  /** Begins the watches that are missing, waits for their first lists, then ends those that are not needed any more. */
  async #watchAll(kinds: readonly ResourceKind[]): Promise<void> {
    const wanted = new Map(kinds.map((kind) => [this.#watchKey(kind), kind]));
    const isComplete = (key: string): boolean =>
      this.#watches.get(key)?.watch.state.isSynced === true || this.#isAbsent(key, wanted.get(key));
    if (![...wanted.keys()].every(isComplete)) await this.#begin(wanted, isComplete);
    for (const [key, { watch }] of this.#watches) {
      if (wanted.has(key)) continue;
      this.#watches.delete(key);
      this.#absent.delete(key);
      await watch.stop();
    }
  }

  async #begin(
    wanted: ReadonlyMap<string, ResourceKind>,
    isComplete: (key: string) => boolean,
  ): Promise<void> {
    const { startWaitMs } = this.#parts.config();
    const until = performance.now() + startWaitMs;
    const api = await this.#connected(until);
    for (const [key, kind] of wanted)
      if (!this.#watches.has(key)) this.#watches.set(key, { kind: kind.name, watch: this.#watch(api, kind) });
    await this.seen(() => [...wanted.keys()].every(isComplete), until - performance.now());
    for (const [key, kind] of wanted) {
      if (isComplete(key)) continue;
      if (this.#isStopped) throw interrupted();
      const { namespace } = this.#parts.control().settings();
      const { lastError } = this.#watches.get(key)?.watch.state ?? {};
      throw unreachable(
        startWaitMs,
        storeError(lastError, { verb: 'list', plural: kind.directory, namespace }),
      );
    }
  }

  /** Whether the API server does not have the kind, or does not show it: its definition or the gateway's role are of an older version. It
   *  stays absent until its first list, also while the API server is away, so that no reload waits for it. */
  #isAbsent(key: string, kind: ResourceKind | undefined): boolean {
    const error = this.#watches.get(key)?.watch.state.lastError;
    const isRefused = error instanceof KubeError && [403, 404].includes(error.status);
    if (isRefused && kind !== undefined && !isFirstKind(kind)) this.#absent.add(key);
    return this.#absent.has(key);
  }

  /** Credentials may appear late, as those of a pod that is being started. */
  async #connected(until: number): Promise<KubeApi> {
    let said: string | undefined;
    for (;;) {
      try {
        return await this.#parts.cluster.connect();
      } catch (error) {
        const { startWaitMs } = this.#parts.config();
        if (this.#isStopped) throw interrupted();
        if (performance.now() >= until) throw unreachable(startWaitMs, error);
        const reason = messageOf(error);
        if (reason !== said) this.#parts.log.warn('no credentials for the Kubernetes API yet', { reason });
        said = reason;
      }
      await this.seen(() => false, CONNECT_PAUSE_MS);
    }
  }

  #watch(api: KubeApi, kind: ResourceKind): ResourceWatch {
    const { control, log, changed, gone } = this.#parts;
    const watch: ResourceWatch = new ResourceWatch({
      api,
      place: kubePlaceOf(kind, control().settings().namespace),
      log,
      gone: () => gone(kind),
      times: { maxBackoffMs: MAX_BACKOFF_MS },
      failed: () => this.#waits.wake(),
      take: (changes) => {
        this.#waits.wake();
        const isNews = changes.some((change) => change.type === 'deleted' || !change.isStatusOnly);
        if (isNews && watch.state.isSynced) changed();
      },
    });
    void watch.synced.then(() => {
      this.#waits.wake();
      if (!isFirstKind(kind)) changed();
    });
    watch.start();
    return watch;
  }

  #watchKey(kind: ResourceKind): string {
    return `${this.#parts.control().settings().namespace}/${kind.directory}`;
  }
}

function keyOf({ kind, name }: { readonly kind: string; readonly name: string }): string {
  return `${kind}/${name}`;
}

function interrupted(): GatewayError {
  return new GatewayError('PLUGIN_STOPPED', 'pegboard is stopping; the definitions were not read');
}

function unreachable(startWaitMs: number, error: unknown): GatewayError {
  const text = `no definitions after ${Math.round(startWaitMs / 1_000)} s: ${messageOf(error)}`;
  return new GatewayError('STORE_UNREACHABLE', text, { cause: error });
}
