import { GatewayError, isGatewayError, messageOf } from 'pegboard';
import type { ConfigControl, Issue, Log, Resource, ResourceDraft, ResourceKind } from 'pegboard';
import type { KubeApi } from '../api/kubeApi.ts';
import { KubeError } from '../api/kubeError.ts';
import type { StoreKubernetesConfig } from '../config.ts';
import { ResourceWatch } from '../watch/resourceWatch.ts';
import type { Cluster } from './cluster.ts';
import { NAMESPACE_LABEL } from '../../contracts/secrets.ts';
import { kubePlaceOf, resourceOf } from './customResource.ts';
import { isFirstKind } from './knownSpec.ts';
import { PENDING, leftOut, prefixesOf, refusalOf } from './refusal.ts';
import type { PlacedObject, Refusal } from './refusal.ts';
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

/** Where objects of a kind are. */
interface Place extends Omit<PlacedObject, 'object'> {
  readonly kind: ResourceKind;
}

type Named = Pick<Resource, 'kind' | 'name'>;

/** An object as the pipeline has it. */
type Handed = PlacedObject & { readonly warnings: readonly Issue[] };

/** How current the definitions of a kind are. */
export interface WatchedKind {
  readonly kind: string;
  /** Only of a further namespace. */
  readonly namespace?: string;
  /** Time since the API server last sent anything. */
  readonly silentMs: number;
  readonly restarts: number;
}

/** The custom resources of the gateway's namespace, and servers and workflows of further ones, kept current by a watch for each kind. */
export class Definitions {
  readonly #parts: DefinitionsParts;
  readonly #watches = new Map<string, Place & { readonly watch: ResourceWatch }>();
  readonly #waits = new Waits();
  /** Keys of watches whose kind the cluster lacks. */
  readonly #absent = new Set<string>();
  /** What was last handed to the pipeline. */
  #handed: ReadonlyMap<string, Handed> = new Map();
  #refused: ReadonlyMap<string, Refusal> = new Map();
  #isStopped = false;

  constructor(parts: DefinitionsParts) {
    this.#parts = parts;
  }

  /** The tap on onConfigLoad. @throws GatewayError STORE_UNREACHABLE if the first lists do not arrive within `startWaitMs` */
  async addTo(draft: ResourceDraft): Promise<ResourceDraft> {
    const kinds = this.#parts.control().kinds();
    await this.#watchAll(kinds);
    const handed = new Map<string, Handed>();
    const refused = new Map<string, Refusal>();
    const resources: Resource[] = [];
    const issues: Issue[] = [];
    for (const kind of kinds) {
      const inForce = new Map(
        this.#parts
          .control()
          .resources(kind.name)
          .map(({ name, labels }) => [name, labels?.[NAMESPACE_LABEL]]),
      );
      const placed = this.objects(kind);
      const prefixes = prefixesOf(placed);
      for (const { object, namespace, team } of placed) {
        const { name } = object.metadata;
        const { resource, warnings } = resourceOf(kind, object, team);
        const isPassedOn = inForce.has(name) && inForce.get(name) !== team;
        const place = team !== undefined && { team, owner: this.find(kind, name), prefixes };
        const refusal = place === false ? undefined : refusalOf(kind, resource, place);
        if (refusal !== undefined) issues.push(leftOut(kind, name, refusal, team));
        // Nothing of the former one may go on in that of another namespace: its last good version, connections, secrets.
        const pending = refusal ?? (isPassedOn ? PENDING : undefined);
        if (pending !== undefined) {
          refused.set(`${namespace}/${keyOf(resource)}`, pending);
          continue;
        }
        resources.push(resource);
        issues.push(...warnings);
        handed.set(keyOf(resource), { object, namespace, team, warnings });
      }
    }
    this.#handed = handed;
    this.#refused = refused;
    if ([...refused.values()].includes(PENDING)) this.#parts.changed();
    return {
      ...draft,
      resources: [...draft.resources, ...resources],
      issues: [...draft.issues, ...issues],
    };
  }

  /** As last seen: those of the gateway's namespace, then of each further one, by name; without those that are being deleted. */
  objects(kind: ResourceKind): readonly PlacedObject[] {
    return this.#places([kind]).flatMap(({ namespace, team }) => {
      const objects = this.#watches.get(watchKey(kind, namespace))?.watch.objects.values() ?? [];
      return [...objects]
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
        .map((object) => ({ namespace, team, object }));
    });
  }

  /** The object that has the name. @param namespace where it is, also if another one has the name */
  find(kind: ResourceKind, name: string, namespace?: string): PlacedObject | undefined {
    for (const place of this.#places([kind])) {
      if (namespace !== undefined && place.namespace !== namespace) continue;
      const object = this.#watches.get(watchKey(kind, place.namespace))?.watch.objects.get(name);
      if (object !== undefined && object.metadata.deletionTimestamp === undefined)
        return { namespace: place.namespace, team: place.team, object };
    }
    return undefined;
  }

  /** Why that object is not in force though the pipeline may not have seen it; undefined if it has, or has none of that name. */
  refusalOf(resource: Named, namespace: string): Refusal | undefined {
    const isOther = (this.#handed.get(keyOf(resource))?.namespace ?? namespace) !== namespace;
    return this.#refused.get(`${namespace}/${keyOf(resource)}`) ?? (isOther ? PENDING : undefined);
  }

  /** The kinds that are watched, from their first list on. */
  watched(): readonly WatchedKind[] {
    return [...this.#watches.values()].flatMap(({ kind, team, watch }) => {
      const { lastContact, restarts } = watch.state;
      if (lastContact === undefined) return [];
      const facts = { kind: kind.name, silentMs: Date.now() - lastContact, restarts };
      return [{ ...facts, ...(team !== undefined && { namespace: team }) }];
    });
  }

  /** The generation that the pipeline has judged; undefined before. */
  generationOf(resource: Named): number | undefined {
    return this.#handed.get(keyOf(resource))?.object.metadata.generation;
  }

  /** A warning for each key of that generation that this version does not know. */
  warningsOf(resource: Named): readonly Issue[] {
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

  /** Where objects of the kinds are, in the order in which they get names. */
  #places(kinds: readonly ResourceKind[]): readonly Place[] {
    const { namespace: home } = this.#parts.control().settings();
    const teams = this.#parts.config().namespaces;
    // Access to tools is given in the gateway's own namespace only: a team could give itself everything.
    const shared = kinds.filter(isFirstKind);
    return [
      ...kinds.map((kind) => ({ kind, namespace: home, team: undefined })),
      ...teams.flatMap((team) => shared.map((kind) => ({ kind, namespace: team, team }))),
    ];
  }

  /** Begins the watches that are missing, waits for their first lists, then ends those that are not needed any more. */
  async #watchAll(kinds: readonly ResourceKind[]): Promise<void> {
    const wanted = new Map(
      this.#places(kinds).map((place) => [watchKey(place.kind, place.namespace), place]),
    );
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

  async #begin(wanted: ReadonlyMap<string, Place>, isComplete: (key: string) => boolean): Promise<void> {
    const { startWaitMs } = this.#parts.config();
    const until = performance.now() + startWaitMs;
    const api = await this.#connected(until);
    for (const [key, place] of wanted)
      if (!this.#watches.has(key)) this.#watches.set(key, { ...place, watch: this.#watch(api, place) });
    await this.seen(() => [...wanted.keys()].every(isComplete), until - performance.now());
    for (const [key, { kind, namespace, team }] of wanted) {
      if (isComplete(key)) continue;
      if (this.#isStopped) throw interrupted();
      if (team !== undefined) {
        this.#absent.add(key);
        continue;
      }
      const { lastError } = this.#watches.get(key)?.watch.state ?? {};
      throw unreachable(
        startWaitMs,
        storeError(lastError, { verb: 'list', plural: kind.directory, namespace }),
      );
    }
  }

  /** Whether the API server does not have the kind, or does not show it: its definition or the gateway's role are of an older version, or the
   *  namespace is a further one. It stays absent until its first list, also while the API server is away, so that no reload waits for it. */
  #isAbsent(key: string, place: Place | undefined): boolean {
    const error = this.#watches.get(key)?.watch.state.lastError;
    const isRefused = error instanceof KubeError && [403, 404].includes(error.status);
    if (isRefused && place !== undefined && mayLack(place)) this.#absent.add(key);
    return this.#absent.has(key);
  }

  /** Credentials may appear late, as those of a pod that is being started. */
  async #connected(until: number): Promise<KubeApi> {
    let said: string | undefined;
    for (;;) {
      try {
        return await this.#parts.cluster.connect();
      } catch (error) {
        if (this.#isStopped) throw interrupted();
        if (isGatewayError(error)) throw error;
        if (performance.now() >= until) throw unreachable(this.#parts.config().startWaitMs, error);
        const reason = messageOf(error);
        if (reason !== said) this.#parts.log.warn('no credentials for the Kubernetes API yet', { reason });
        said = reason;
      }
      await this.seen(() => false, CONNECT_PAUSE_MS);
    }
  }

  #watch(api: KubeApi, place: Place): ResourceWatch {
    const { log, changed, gone } = this.#parts;
    const { kind, namespace, team } = place;
    const watch: ResourceWatch = new ResourceWatch({
      api,
      place: kubePlaceOf(kind, namespace),
      log,
      gone: () => {
        if (team === undefined) gone(kind);
      },
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
      if (mayLack(place)) changed();
    });
    watch.start();
    return watch;
  }
}

/** Whether nothing waits for it. */
function mayLack({ kind, team }: Place): boolean {
  return team !== undefined || !isFirstKind(kind);
}

function watchKey({ directory }: ResourceKind, namespace: string): string {
  return `${namespace}/${directory}`;
}

function keyOf({ kind, name }: Named): string {
  return `${kind}/${name}`;
}

function interrupted(): GatewayError {
  return new GatewayError('PLUGIN_STOPPED', 'pegboard is stopping; the definitions were not read');
}

function unreachable(startWaitMs: number, error: unknown): GatewayError {
  const text = `no definitions after ${Math.round(startWaitMs / 1_000)} s: ${messageOf(error)}`;
  return new GatewayError('STORE_UNREACHABLE', text, { cause: error });
}
