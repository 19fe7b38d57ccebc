import { isObject, messageOf } from 'pegboard';
import type { JsonObject, Log } from 'pegboard';
import type { ClusterKind, ClusterObject, ClusterObjects } from '../contracts/cluster.ts';
import { SELECTOR, SERVER_LABEL } from './podNames.ts';
import { ACCOUNTS, DEPLOYMENTS, PODS, POLICIES, SECRETS } from './podObjects.ts';
import type { WantedObject } from './podObjects.ts';

/** Those that can be listed without reading what they hold. */
const LISTED: readonly ClusterKind[] = [ACCOUNTS, POLICIES, DEPLOYMENTS];

/** What was written may have been changed, and cannot be looked at: it is written again in one round of so many. */
const SECRET_ROUNDS = 20;

export interface ReconcilerParts {
  readonly cluster: () => ClusterObjects;
  readonly log: Log;
  /** The objects of all servers in pods. */
  readonly wanted: () => readonly WantedObject[];
  /** The names that the Secret of a definition's object can have: one for each key of the vault. */
  readonly secretNames: (server: string, uid: string) => readonly string[];
  readonly everyMs: () => number;
}

/** Notes what failed. @returns whether it was done */
type Attempt = (what: string, work: () => Promise<unknown>) => Promise<boolean>;

/** Makes the objects in the cluster what the definitions say, in the one process that writes. */
export class Reconciler {
  readonly #parts: ReconcilerParts;
  /** What was last written, by kind and name: the text that was sent, and the mark that the API server gave it. */
  readonly #written = new Map<string, { readonly sent: string; readonly mark: string }>();
  #rounds = 0;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isAskedAgain = false;
  #isStopped = false;
  #said: string | undefined;

  constructor(parts: ReconcilerParts) {
    this.#parts = parts;
  }

  /** Compares now, and from time to time. */
  run(): void {
    if (this.#isStopped) return;
    this.#isAskedAgain = this.#running !== undefined;
    this.#running ??= this.#round().finally(() => {
      this.#running = undefined;
      if (this.#isAskedAgain) this.run();
      else this.#again();
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #again(): void {
    clearTimeout(this.#timer);
    if (!this.#isStopped) this.#timer = setTimeout(() => this.run(), this.#parts.everyMs()).unref();
  }

  async #round(): Promise<void> {
    const { cluster, log } = this.#parts;
    if (!cluster().mayWrite()) {
      // Another one may have written meanwhile.
      this.#written.clear();
      return;
    }
    this.#rounds += 1;
    const faults = await this.#compare();
    const said = faults.join('; ');
    if (said !== '' && said !== this.#said)
      log.warn('pods of servers cannot be kept as defined', { reason: said });
    this.#said = said;
  }

  /** @returns what could not be done: one server does not hold up the others */
  async #compare(): Promise<readonly string[]> {
    const { cluster, wanted } = this.#parts;
    const faults: string[] = [];
    const attempt: Attempt = async (what, work) => {
      if (this.#isStopped || !cluster().mayWrite()) return false;
      try {
        await work();
        return true;
      } catch (error) {
        faults.push(`${what}: ${messageOf(error)}`);
        return false;
      }
    };
    const found = new Map<string, ClusterObject>();
    const listed = new Set<ClusterKind>();
    for (const kind of LISTED)
      await attempt(`list of ${kind.plural}`, async () => {
        for (const object of await cluster().list(kind, SELECTOR))
          if (isOfServer(object)) found.set(keyOf(kind, object), object);
        listed.add(kind);
      });
    let objects: readonly WantedObject[] = [];
    const isWantedKnown = await attempt('definitions', () => Promise.resolve((objects = wanted())));
    if (!isWantedKnown) return faults;
    const secrets = new Set(
      objects.filter(({ kind }) => kind === SECRETS).map(({ object }) => object.metadata.name),
    );
    const clearSecrets = async (object: ClusterObject): Promise<boolean> => {
      let isClear = true;
      for (const name of this.#secretsOf(object))
        if (!secrets.has(name))
          isClear &&= await attempt(`secrets/${name}`, () => cluster().remove(SECRETS, name, undefined));
      return isClear;
    };
    const halted = new Set<string | undefined>();
    for (const { kind, object } of objects) {
      const key = keyOf(kind, object);
      const there = found.get(key);
      found.delete(key);
      const server = serverOf(object);
      const isFirst = kind === DEPLOYMENTS && !this.#written.has(key);
      const isKnown = kind === SECRETS || listed.has(kind);
      // No pod without what confines it, which comes before its Deployment.
      if (halted.has(server)) continue;
      if (!isKnown || !(await attempt(key, () => this.#put(kind, object, there)))) halted.add(server);
      // That of a former key of the vault, which no pod uses now.
      else if (isFirst) await clearSecrets(object);
    }
    await this.#clear(found, attempt, clearSecrets);
    return faults;
  }

  /** Removes what is wanted no longer: what confines a pod once that is gone, and the account last, which tells the next process that
   *  there may be a Secret. */
  async #clear(
    found: ReadonlyMap<string, ClusterObject>,
    attempt: Attempt,
    clearSecrets: (object: ClusterObject) => Promise<boolean>,
  ): Promise<void> {
    if (found.size === 0) return;
    const of = (kind: ClusterKind): readonly ClusterObject[] =>
      [...found].filter(([key, object]) => key === keyOf(kind, object)).map(([, object]) => object);
    const remove = (kind: ClusterKind, object: ClusterObject): Promise<boolean> =>
      attempt(keyOf(kind, object), () => this.#remove(kind, object));
    const busy = new Set<string | undefined>();
    for (const object of of(DEPLOYMENTS)) {
      busy.add(serverOf(object));
      await remove(DEPLOYMENTS, object);
    }
    const areKnown = await attempt('list of pods', async () => {
      for (const pod of await this.#parts.cluster().list(PODS, SELECTOR)) busy.add(serverOf(pod));
    });
    if (!areKnown) return;
    for (const object of of(POLICIES)) if (!busy.has(serverOf(object))) await remove(POLICIES, object);
    for (const object of of(ACCOUNTS))
      if (!busy.has(serverOf(object)) && (await clearSecrets(object))) await remove(ACCOUNTS, object);
  }

  #secretsOf({ metadata }: ClusterObject): readonly string[] {
    const owners = metadata['ownerReferences'];
    const servers = Array.isArray(owners) ? owners.filter(isServer) : [];
    return servers.flatMap(({ name, uid }) => this.#parts.secretNames(String(name), String(uid)));
  }

  async #put(kind: ClusterKind, object: ClusterObject, there: ClusterObject | undefined): Promise<void> {
    const cluster = this.#parts.cluster();
    const key = keyOf(kind, object);
    const sent = JSON.stringify(object);
    const written = this.#written.get(key);
    if (there?.metadata.deletionTimestamp !== undefined)
      throw new Error('it is being deleted, and is made again after that');
    if (kind === SECRETS && written?.sent === sent && this.#rounds % SECRET_ROUNDS !== 0) return;
    if (there !== undefined && written?.sent === sent && written.mark === markOf(there)) return;
    const kept =
      there !== undefined || kind === SECRETS
        ? await this.#replace(kind, object, there)
        : await cluster.create(kind, object);
    if (kept === undefined)
      throw new Error('there is one of that name which is not of Pegboard; delete it, or rename the server');
    this.#written.set(key, { sent, mark: markOf(kept) });
  }

  async #replace(
    kind: ClusterKind,
    object: ClusterObject,
    there: ClusterObject | undefined,
  ): Promise<ClusterObject> {
    const cluster = this.#parts.cluster();
    if (there === undefined) {
      const made = await cluster.create(kind, object);
      return made ?? cluster.replace(kind, object);
    }
    const { resourceVersion, finalizers } = there.metadata;
    const metadata = {
      ...object.metadata,
      ...(resourceVersion !== undefined && { resourceVersion }),
      // Those of others hold up a deletion, which is theirs to decide.
      ...(finalizers !== undefined && { finalizers }),
    };
    return cluster.replace(kind, { ...object, metadata });
  }

  async #remove(kind: ClusterKind, object: ClusterObject): Promise<void> {
    const { name, uid, deletionTimestamp } = object.metadata;
    this.#written.delete(keyOf(kind, object));
    if (deletionTimestamp === undefined) await this.#parts.cluster().remove(kind, name, uid);
  }
}

/** A Deployment has a generation, which its status does not change; the others have no status. Controllers add their own Secrets to a
 *  ServiceAccount, which is not fought. */
function markOf({ metadata, ...object }: ClusterObject): string {
  const { uid, generation, resourceVersion, labels, ownerReferences } = metadata;
  const of = JSON.stringify([labels, ownerReferences]);
  const isAccount = object['kind'] === 'ServiceAccount' || 'automountServiceAccountToken' in object;
  if (isAccount) return `${uid ?? ''} ${String(object['automountServiceAccountToken'])} ${of}`;
  return `${uid ?? ''} ${generation === undefined ? (resourceVersion ?? '') : `g${generation}`} ${of}`;
}

function keyOf({ plural }: ClusterKind, { metadata }: ClusterObject): string {
  return `${plural}/${metadata.name}`;
}

function serverOf({ metadata }: ClusterObject): string | undefined {
  return metadata.labels?.[SERVER_LABEL];
}

/** The label alone could be on what another writer has made. */
function isOfServer({ metadata }: ClusterObject): boolean {
  const owners = metadata['ownerReferences'];
  return Array.isArray(owners) && owners.some(isServer);
}
function isServer(owner: unknown): owner is JsonObject {
  const { kind, apiVersion } = isObject(owner) ? owner : {};
  return kind === 'MCPServer' && String(apiVersion).startsWith('pegboard.dev/');
}
