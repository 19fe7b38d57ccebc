import type { Resource, ReviewFacts, ReviewFinding } from 'pegboard';
import { unknownPreset, selectorParts } from '../kit/calls/selectors.ts';
import type { AccessRule } from '../kit/authority/toolsetFor.ts';
import { accessKind } from './accessKind.ts';
import type { PresetDefinition, ToolsetsConfig } from './config.ts';
import { presetKind } from './presetKind.ts';
import { idleRules } from './presetReferences.ts';
import { BUILT_IN } from './presets.ts';

/** What a person who writes a definition of access may take for a restriction. */
export const WITHOUT_ACCESS =
  'definitions of the kind Access have no effect, because config.yaml has no access: every caller sees every tool; write access: with at least one entry';

/** Definitions of teams that have no effect, or less than they seem to. */
export function definitionFindings({
  config,
  settings,
  resources,
  ...facts
}: ReviewFacts<ToolsetsConfig>): readonly ReviewFinding[] {
  const of = (kind: string): readonly Resource[] => resources.filter((one) => one.kind === kind);
  const own = of(presetKind.name);
  const known = [
    ...Object.keys(BUILT_IN),
    ...Object.keys(config.toolsetPresets),
    ...own.map(({ name }) => name),
  ];
  const warning = (
    resource: Resource,
    path: readonly (string | number)[],
    message: string,
  ): ReviewFinding => ({
    resource,
    path,
    message,
    severity: 'warning',
  });
  const ofPresets = own.flatMap((resource) => {
    const preset = resource.model as PresetDefinition;
    const idle = idleRules(preset, { resources, ...facts }).map(({ path, message }) =>
      warning(resource, path, message),
    );
    const missing = preset.include.flatMap(({ preset: composed }, at) =>
      composed === undefined || known.includes(composed)
        ? []
        : [warning(resource, ['include', at], `include[${at}] ${unknownPreset(composed, known)}`)],
    );
    const isHidden = Object.hasOwn(config.toolsetPresets, resource.name);
    const hidden = warning(resource, ['name'], 'it has no effect: config.yaml has a preset of that name');
    return [...idle, ...missing, ...(isHidden ? [hidden] : [])];
  });
  const ofAccess = of(accessKind.name).flatMap((resource) => {
    const { toolset } = resource.model as AccessRule;
    const missing = toolset.flatMap((selector, at) => {
      const [kind, name] = selectorParts(selector);
      return kind !== 'preset' || known.includes(name)
        ? []
        : [warning(resource, ['toolset', at], `toolset ${unknownPreset(name, known)}`)];
    });
    return settings['access'] === undefined ? [warning(resource, [], WITHOUT_ACCESS)] : missing;
  });
  return [...ofPresets, ...ofAccess];
}
