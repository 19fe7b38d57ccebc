import { readSchema } from 'pegboard';
import type { Resource, ResourceFinding, ResourceKind } from 'pegboard';
import type { PresetDefinition, ToolsetsConfig } from './config.ts';
import { circlesIn, faultsOf } from './presetFindings.ts';

/** A preset that a team keeps in a file or custom resource of its own. */
export const presetKind: ResourceKind = {
  name: 'ToolsetPreset',
  directory: 'toolsetpresets',
  schema: readSchema('kinds/toolsetpreset'),
  // A preset that it composes may come later, or from config.yaml: until then it selects nothing.
  read: (spec, name) => ({ model: spec, findings: faultsOf(name, spec as unknown as PresetDefinition) }),
  relate: refuseCircles,
};

/** Those of config.yaml hide definitions of the same name: who may edit definitions need not be the operator. */
export function withDefined(
  { toolsetPresets }: ToolsetsConfig,
  definitions: readonly Resource[],
): ToolsetsConfig {
  return { toolsetPresets: { ...byName(definitions), ...toolsetPresets } };
}

function refuseCircles(definitions: readonly Resource[]): readonly ResourceFinding[] {
  const circles = circlesIn(byName(definitions));
  return definitions.flatMap((resource) =>
    circles
      .filter(({ name }) => name === resource.name)
      .map(({ message }) => ({ resource, path: ['include'], message })),
  );
}

function byName(definitions: readonly Resource[]): ToolsetsConfig['toolsetPresets'] {
  return Object.fromEntries(definitions.map(({ name, model }) => [name, model as PresetDefinition]));
}
