import type { Issue, JsonObject, Resource, ResourceKind } from 'pegboard';
import { NAMESPACE_LABEL } from '../../contracts/secrets.ts';
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

/** The labels of an object. @param team its namespace, if that is a further one: its writers cannot choose that label */
export function labelsOf({ metadata: { labels } }: KubeObject, team: string | undefined): Resource['labels'] {
  if (team !== undefined) return { ...labels, [NAMESPACE_LABEL]: team };
  if (labels?.[NAMESPACE_LABEL] === undefined) return labels;
  return Object.fromEntries(Object.entries(labels).filter(([key]) => key !== NAMESPACE_LABEL));
}

/** The name of an object as kubectl takes it: `mcpservers/files`, `-n team-a mcpservers/files`. */
export function kubectlName({ directory }: ResourceKind, name: string, team: string | undefined): string {
  return `${team === undefined ? '' : `-n ${team} `}${directory}/${name}`;
}

/** An object as the pipeline takes it, and a warning for each key that this version does not know. Places in messages are as
 *  kubectl names the object: `mcpservers/files spec.env.TOKEN`. @param team its namespace, if that is a further one */
export function resourceOf(
  kind: ResourceKind,
  object: KubeObject,
  team?: string,
): { readonly resource: Resource; readonly warnings: readonly Issue[] } {
  const { name } = object.metadata;
  const labels = labelsOf(object, team);
  const { spec, unknown } = knownSpec(kind, specOf(object));
  const origin: Resource['origin'] = {
    locate: (path) => ({ file: `${kubectlName(kind, name, team)}${fieldIn(path)}` }),
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
