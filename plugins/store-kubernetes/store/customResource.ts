import type { JsonObject, Resource, ResourceKind } from 'pegboard';
import type { KubeObject } from '../api/kubeObject.ts';
import type { KubePlace } from '../api/pathOf.ts';

export const GROUP = 'pegboard.dev';
export const VERSION = 'v1alpha1';

/** Where the objects of a kind are. Its folder is the plural: `mcpservers`. */
export function kubePlaceOf(kind: ResourceKind, namespace: string, name?: string): KubePlace {
  return {
    group: GROUP,
    version: VERSION,
    plural: kind.directory,
    namespace,
    ...(name !== undefined && { name }),
  };
}

export function specOf({ spec }: KubeObject): JsonObject {
  return (spec ?? {}) as JsonObject;
}

/** An object as the pipeline takes it. Places in messages are as kubectl names the object: `mcpservers/files spec.env.TOKEN`. */
export function resourceOf(kind: ResourceKind, object: KubeObject): Resource {
  const { name, labels } = object.metadata;
  return {
    kind: kind.name,
    name,
    ...(labels !== undefined && { labels }),
    spec: specOf(object),
    origin: { locate: (path) => ({ file: `${kind.directory}/${name}${fieldIn(path)}` }) },
  };
}

function fieldIn(path: readonly (string | number)[]): string {
  if (path.length === 0 || path[0] === 'name') return '';
  return ` spec${path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('')}`;
}
