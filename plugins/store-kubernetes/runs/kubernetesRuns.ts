import { isDeepStrictEqual } from 'node:util';
import type { RunRecord, RunRow, RunStore } from '../../contracts/runs.ts';
import type { KubeApi } from '../api/kubeApi.ts';
import { KubeError } from '../api/kubeError.ts';
import type { KubeObject } from '../api/kubeObject.ts';
import { listAll } from '../api/listAll.ts';
import type { KubePlace } from '../api/pathOf.ts';
import type { Cluster } from '../store/cluster.ts';
import { GROUP, VERSION } from '../store/customResource.ts';
import { storeError } from '../store/storeError.ts';
import { recordIn, replacing, rowsIn, runObject } from './runObject.ts';
import type { RunSeal } from './runObject.ts';

const PLURAL = 'workflowexecutions';
/** A run waits for its first record: a frozen API server must not hold it up for long. */
const WRITE_MS = 2_000;

interface RunsParts {
  readonly cluster: Pick<Cluster, 'connect'>;
  readonly namespace: () => string;
  readonly seal: RunSeal;
  /** Whether objects show inputs and results. */
  readonly isOpen: () => boolean;
}

/** Runs as WorkflowExecution objects, written as the service. Their names are the ids of the runs. */
export class KubernetesRuns implements RunStore {
  readonly isShared = true;
  readonly #cluster: Pick<Cluster, 'connect'>;
  readonly #namespace: () => string;
  readonly #seal: RunSeal;
  readonly #isOpen: () => boolean;
  /** The versions of runs that have not ended, as this process has written them. */
  readonly #versions = new Map<string, string | undefined>();

  constructor({ cluster, namespace, seal, isOpen }: RunsParts) {
    this.#cluster = cluster;
    this.#namespace = namespace;
    this.#seal = seal;
    this.#isOpen = isOpen;
  }

  async list(known: (id: string) => RunRow | undefined): Promise<readonly RunRow[]> {
    const { items } = await this.#asked('list', undefined, (api) =>
      listAll(api, this.#place(), { isMetadataOnly: true }),
    );
    return items.flatMap((item) => known(item.metadata.name) ?? rowsIn(item, this.#seal));
  }

  async get(id: string): Promise<RunRecord | undefined> {
    const object = await this.#read(id);
    return object === undefined ? undefined : recordIn(object, this.#seal);
  }

  async put(record: RunRecord, row: RunRow): Promise<void> {
    const { execution_id: id, status } = record;
    const known = this.#versions.get(id);
    const version =
      known === undefined
        ? await this.#created(record, row)
        : await this.#replaced(this.#body(record, row, known));
    // Someone has deleted it, or another process has marked the run as interrupted.
    const written = version ?? (await this.#putAnyway(record, row));
    if (status === 'running') this.#versions.set(id, written);
    else this.#versions.delete(id);
  }

  async swap(before: RunRecord, after: RunRecord, row: RunRow): Promise<boolean> {
    const present = await this.#read(after.execution_id);
    const version = present?.metadata.resourceVersion;
    if (present === undefined || version === undefined) return false;
    if (!isDeepStrictEqual(recordIn(present, this.#seal), before)) return false;
    const object = replacing(present, this.#body(after, row, version), this.#seal);
    return (await this.#replaced(object)) !== undefined;
  }

  async delete(id: string): Promise<void> {
    await this.#asked('delete', id, (api) => api.delete(this.#place(id)).catch(unless(404)));
  }

  async #putAnyway(record: RunRecord, row: RunRow): Promise<string | undefined> {
    const version = (await this.#read(record.execution_id))?.metadata.resourceVersion;
    return version === undefined
      ? this.#created(record, row)
      : this.#replaced(this.#body(record, row, version));
  }

  /** @returns its version; undefined if it exists already */
  async #created(record: RunRecord, row: RunRow): Promise<string | undefined> {
    // Before anything is asked: the API server has no part in keys that cannot be read.
    const body = this.#body(record, row);
    const answer = await this.#asked('create', undefined, (api) =>
      api.create(this.#place(), body, { timeoutMs: WRITE_MS }).catch(unless(409)),
    );
    return answer?.object.metadata.resourceVersion;
  }

  /** @returns its version; undefined if it was replaced or deleted meanwhile */
  async #replaced(body: KubeObject): Promise<string | undefined> {
    const id = body.metadata.name;
    const answer = await this.#asked('update', id, (api) =>
      api.replace(this.#place(id), body, { timeoutMs: WRITE_MS }).catch(unless(404, 409)),
    );
    return answer?.object.metadata.resourceVersion;
  }

  #body(record: RunRecord, row: RunRow, resourceVersion?: string): KubeObject {
    const object = runObject(record, row, this.#isOpen() ? undefined : this.#seal);
    if (resourceVersion === undefined) return object;
    return { ...object, metadata: { ...object.metadata, resourceVersion } };
  }

  #read(id: string): Promise<KubeObject | undefined> {
    // Callers may ask for anything.
    if (!/^[a-z0-9-]{1,63}$/.test(id)) return Promise.resolve(undefined);
    return this.#asked('get', id, async (api) => (await api.get(this.#place(id)).catch(unless(404)))?.object);
  }

  async #asked<T>(verb: string, name: string | undefined, ask: (api: KubeApi) => Promise<T>): Promise<T> {
    try {
      return await ask(await this.#cluster.connect());
    } catch (error) {
      const namespace = this.#namespace();
      throw storeError(error, { verb, plural: PLURAL, namespace, ...(name !== undefined && { name }) });
    }
  }

  #place(name?: string): KubePlace {
    const namespace = this.#namespace();
    return { group: GROUP, version: VERSION, plural: PLURAL, namespace, ...(name !== undefined && { name }) };
  }
}

/** Resolves to undefined for refusals with one of these; a 404 for the whole plural stays an error. */
function unless(...statuses: readonly number[]): (error: unknown) => undefined {
  return (error) => {
    const isExpected = error instanceof KubeError && error.reason !== '' && statuses.includes(error.status);
    if (!isExpected) throw error;
    return undefined;
  };
}
