import { isDeepStrictEqual } from 'node:util';
import { GatewayError, definitionNameFault } from 'pegboard';
import type { ConfigControl, InboundRequest, JsonObject, ResourceKind } from 'pegboard';
import { objectNameFault, storableSpec } from '../../kit/definitions/storableSpec.ts';
import { annotationsOf, writerIn } from '../../kit/definitions/registeredBy.ts';
import type { ResourceStore, StoredDefinition } from '../../contracts/definitions.ts';
import type { KubeAnswer, KubeApi } from '../api/kubeApi.ts';
import type { KubeObject } from '../api/kubeObject.ts';
import type { Cluster } from './cluster.ts';
import { GROUP, VERSION, kubePlaceOf, labelsOf, specOf } from './customResource.ts';
import type { Definitions } from './definitions.ts';
import { knownSpec } from './knownSpec.ts';
import type { PlacedObject } from './refusal.ts';
import { storeError } from './storeError.ts';

/** Time within which the watch shows a write. */
const SEEN_WITHIN_MS = 5_000;

/** Definitions as custom resources: read as the service, written as the caller. */
export class KubernetesStore implements ResourceStore {
  readonly mode = 'orchestrator';
  readonly judgesWriters = true;
  readonly #cluster: Cluster;
  readonly #control: () => ConfigControl;
  readonly #definitions: Definitions;
  readonly #tokenOf: (caller: InboundRequest | undefined) => Promise<string>;

  /** @param tokenOf as callerToken() */
  constructor(
    cluster: Cluster,
    control: () => ConfigControl,
    definitions: Definitions,
    tokenOf: (caller: InboundRequest | undefined) => Promise<string>,
  ) {
    this.#cluster = cluster;
    this.#control = control;
    this.#definitions = definitions;
    this.#tokenOf = tokenOf;
  }

  list(kindName: string): Promise<readonly StoredDefinition[]> {
    const kind = this.#kind(kindName);
    const owners = this.#definitions
      .objects(kind)
      .filter(
        ({ namespace, object: { metadata } }) =>
          this.#definitions.find(kind, metadata.name)?.namespace === namespace,
      );
    return Promise.resolve(owners.map((placed) => toStored(kind, placed)));
  }

  async get(kindName: string, name: string): Promise<StoredDefinition | undefined> {
    const kind = this.#kind(kindName);
    const object = await this.#read(kind, name);
    if (object !== undefined) return toStored(kind, { object, team: undefined });
    const placed = this.#elsewhere(kind, name);
    return placed && toStored(kind, placed);
  }

  async create(
    kindName: string,
    { name, labels, spec, registeredBy }: StoredDefinition,
    as?: InboundRequest,
  ): Promise<void> {
    const kind = this.#kind(kindName);
    const fault = definitionNameFault(name) ?? objectNameFault(name);
    if (fault !== undefined) throw new GatewayError('STORE_FORBIDDEN', fault);
    const other = this.#elsewhere(kind, name);
    if (other !== undefined) {
      const text = `${kind.name} ${name} exists already in namespace ${other.namespace}; choose another name`;
      throw new GatewayError('STORE_CONFLICT', text);
    }
    const body = {
      apiVersion: `${GROUP}/${VERSION}`,
      kind: kind.name,
      metadata: {
        name,
        ...(labels !== undefined && { labels }),
        ...(registeredBy !== undefined && { annotations: annotationsOf(registeredBy) }),
      },
      spec: storableSpec(spec),
    };
    const created = await this.#write('create', { kind, name, as }, (api, token) =>
      api.create(kubePlaceOf(kind, this.#namespace), body, { bearer: token, isStrict: true }),
    );
    await this.#seen(kind, name, created);
  }

  /** Sends the fields that differ only, so that fields that others change meanwhile stay, and those of a newer version. */
  async replace(
    kindName: string,
    { name, spec, registeredBy }: StoredDefinition,
    as?: InboundRequest,
  ): Promise<void> {
    const kind = this.#kind(kindName);
    const present = await this.#read(kind, name);
    if (present === undefined) throw this.#refuseElsewhere(kind, name) ?? notFound(kind, name);
    const { annotations = {} } = present.metadata;
    const written = patchOf(annotations, { ...annotations, ...annotationsOf(registeredBy) });
    const metadata = Object.keys(written).length > 0 && { metadata: { annotations: written } };
    const { spec: before } = knownSpec(kind, specOf(present));
    const patch = { ...metadata, spec: patchOf(before, storableSpec(spec)) };
    const patched = await this.#write('patch', { kind, name, as }, (api, token) =>
      api.mergePatch(kubePlaceOf(kind, this.#namespace, name), patch, { bearer: token, isStrict: true }),
    );
    await this.#seen(kind, name, patched);
  }

  async delete(kindName: string, name: string, as?: InboundRequest): Promise<void> {
    const kind = this.#kind(kindName);
    const refusal = this.#refuseElsewhere(kind, name);
    if (refusal !== undefined) throw refusal;
    const uid = this.#own(kind, name)?.metadata.uid;
    await this.#write('delete', { kind, name, as }, (api, token) =>
      api.delete(kubePlaceOf(kind, this.#namespace, name), { bearer: token }),
    );
    await this.#definitions.seen(() => {
      const present = this.#own(kind, name)?.metadata.uid;
      return present === undefined || present !== uid;
    }, SEEN_WITHIN_MS);
  }

  get #namespace(): string {
    return this.#control().settings().namespace;
  }

  #own(kind: ResourceKind, name: string): KubeObject | undefined {
    return this.#definitions.find(kind, name, this.#namespace)?.object;
  }

  /** The object of a further namespace that has the name. */
  #elsewhere(kind: ResourceKind, name: string): PlacedObject | undefined {
    const owner = this.#definitions.find(kind, name);
    return owner?.team === undefined ? undefined : owner;
  }

  #refuseElsewhere(kind: ResourceKind, name: string): GatewayError | undefined {
    const team = this.#elsewhere(kind, name)?.team;
    if (team === undefined) return undefined;
    const text = `${kind.name} ${name} is in namespace ${team}, and tools write in ${this.#namespace} only: kubectl -n ${team} edit ${kind.directory}/${name}`;
    return new GatewayError('STORE_FORBIDDEN', text);
  }

  async #read(kind: ResourceKind, name: string): Promise<KubeObject | undefined> {
    const namespace = this.#namespace;
    try {
      return (await this.#cluster.api.get(kubePlaceOf(kind, namespace, name))).object;
    } catch (error) {
      const failure = storeError(error, { verb: 'get', plural: kind.directory, namespace, name });
      if (failure.code === 'STORE_NOT_FOUND') return undefined;
      throw failure;
    }
  }

  async #write(
    verb: string,
    {
      kind,
      name,
      as,
    }: { readonly kind: ResourceKind; readonly name: string; readonly as: InboundRequest | undefined },
    write: (api: KubeApi, token: string) => Promise<KubeAnswer>,
  ): Promise<KubeObject> {
    const token = await this.#tokenOf(as);
    try {
      return (await write(this.#cluster.api, token)).object;
    } catch (error) {
      throw storeError(error, { verb, plural: kind.directory, namespace: this.#namespace, name, token });
    }
  }

  async #seen(kind: ResourceKind, name: string, { metadata }: KubeObject): Promise<void> {
    const { uid, generation = 0 } = metadata;
    await this.#definitions.seen(() => {
      const present = this.#own(kind, name)?.metadata;
      return present !== undefined && (present.uid !== uid || (present.generation ?? 0) >= generation);
    }, SEEN_WITHIN_MS);
  }

  #kind(name: string): ResourceKind {
    const kind = this.#control()
      .kinds()
      .find((one) => one.name === name);
    if (kind !== undefined) return kind;
    const text = `no running plugin knows the kind ${name}; enable one that does`;
    throw new GatewayError('CONFIG_REFERENCE', text);
  }
}

function toStored(
  kind: ResourceKind,
  { object, team }: Pick<PlacedObject, 'object' | 'team'>,
): StoredDefinition {
  const { name, annotations } = object.metadata;
  const labels = labelsOf(object, team);
  const { spec } = knownSpec(kind, specOf(object));
  return { name, ...(labels !== undefined && { labels }), spec, ...writerIn(annotations) };
}

/** A JSON merge patch (RFC 7396): null removes a key. Maps are merged key by key, lists replaced. */
function patchOf(before: JsonObject, after: JsonObject): JsonObject {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = [...keys].filter((key) => !isDeepStrictEqual(before[key], after[key]));
  return Object.fromEntries(changed.map((key) => [key, valueFor(before[key], after[key])]));
}

function valueFor(before: unknown, after: unknown): unknown {
  if (after === undefined) return null;
  return isMap(before) && isMap(after) ? patchOf(before, after) : after;
}

function isMap(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function notFound(kind: ResourceKind, name: string): GatewayError {
  return new GatewayError(
    'STORE_NOT_FOUND',
    `${kind.name} ${name} not found; it may have been deleted meanwhile`,
  );
}
