import type { ConfigControl, JsonObject } from 'pegboard';
import type { ClusterKind, ClusterObjects } from '../../contracts/cluster.ts';
import { KubeError } from '../api/kubeError.ts';
import { listAll } from '../api/listAll.ts';
import type { KubePlace } from '../api/pathOf.ts';
import type { Cluster } from './cluster.ts';
import { GROUP, VERSION } from './customResource.ts';
import type { Definitions } from './definitions.ts';

const TAIL_LINES = 200;

export interface ClusterObjectsParts {
  readonly cluster: Cluster;
  readonly control: () => ConfigControl;
  readonly definitions: Definitions;
  readonly mayWrite: () => boolean;
}

/** Objects that other plugins keep beside the definitions, as the service account of Pegboard. */
export function clusterObjects({
  cluster,
  control,
  definitions,
  mayWrite,
}: ClusterObjectsParts): ClusterObjects {
  const namespace = (): string => control().settings().namespace;
  const placeOf = (kind: ClusterKind, name?: string, subresource?: string): KubePlace => ({
    ...kind,
    namespace: namespace(),
    ...(name !== undefined && { name }),
    ...(subresource !== undefined && { subresource }),
  });
  const paced = async <T>(ask: () => Promise<T>): Promise<T> => {
    await cluster.pace.turn();
    return ask();
  };
  return {
    namespace,
    mayWrite,
    ownerOf: (kindName, name): JsonObject | undefined => {
      const kind = control()
        .kinds()
        .find((one) => one.name === kindName);
      const { object } = (kind && definitions.find(kind, name, namespace())) ?? {};
      const uid = object?.metadata.uid;
      if (uid === undefined) return undefined;
      return { apiVersion: `${GROUP}/${VERSION}`, kind: kindName, name, uid, controller: true };
    },
    list: (kind, labelSelector) =>
      paced(async () => {
        const { items } = await listAll(cluster.api, placeOf(kind), { labelSelector });
        return items;
      }),
    create: (kind, object) =>
      paced(async () => {
        try {
          return (await cluster.api.create(placeOf(kind), object, { isStrict: true })).object;
        } catch (error) {
          if (error instanceof KubeError && error.reason === 'AlreadyExists') return undefined;
          throw error;
        }
      }),
    replace: (kind, object) =>
      paced(async () => {
        const place = placeOf(kind, object.metadata.name);
        return (await cluster.api.replace(place, object, { isStrict: true })).object;
      }),
    remove: (kind, name, uid) =>
      paced(async () => {
        try {
          await cluster.api.delete(placeOf(kind, name), uid === undefined ? {} : { uid });
        } catch (error) {
          if (!(error instanceof KubeError && error.status === 404)) throw error;
        }
      }),
    log: ({ pod, container, since }, hear, signal) => {
      const place = placeOf({ group: '', version: 'v1', plural: 'pods' }, pod, 'log');
      const part = since === undefined ? { tailLines: TAIL_LINES } : { sinceTime: since };
      const query = { container, follow: true, ...part };
      return cluster.api.follow(place, { query, signal, onOpen: () => undefined, onChunk: hear });
    },
  };
}
