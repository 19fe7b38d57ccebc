import type { Issue, JsonObject, Resource, ResourceKind } from 'pegboard';
import type { KubeObject } from '../api/kubeObject.ts';
import type { KubePlace } from '../api/pathOf.ts';
import { knownSpec } from './knownSpec.ts';

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

/** An object as the pipeline takes it, and a warning for each key that this version does not know. Places in messages are as
 *  kubectl names the object: `mcpservers/files spec.env.TOKEN`. */
export function resourceOf(
  kind: ResourceKind,
  object: KubeObject,
): { readonly resource: Resource; readonly warnings: readonly Issue[] } {
  const { name, labels } = object.metadata;
  const { spec, unknown } = knownSpec(kind, specOf(object));
  const origin: Resource['origin'] = {
    locate: (path) => ({ file: `${kind.directory}/${name}${fieldIn(path)}` }),
  };
  const definition = { kind: kind.name, name };
  return {
    resource: { ...definition, ...(labels !== undefined && { labels }), spec, origin },
    warnings: unknown.map(({ path, message }) => ({
      severity: 'warning',
      code: 'CONFIG_INVALID',
      message: `${kind.name} ${name}: left out, because this version does not know it: ${message}`,
      definition,
      ...origin.locate(path),
    })),
  };
}

function fieldIn(path: readonly (string | number)[]): string {
  if (path.length === 0 || path[0] === 'name') return '';
  return ` spec${path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('')}`;
}
