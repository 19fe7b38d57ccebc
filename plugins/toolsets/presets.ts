import type { BUILT_IN_PRESETS, ToolsetPreset } from '../contracts/toolsets.ts';
import type { PresetDefinition, ToolsetsConfig } from './config.ts';
import { isReadOnly, matchRule } from './match.ts';
import type { Match } from './match.ts';

interface BuiltIn {
  readonly description: string;
  readonly matches: Match;
}

const NOTHING: Match = () => false;

export const BUILT_IN: Readonly<Record<(typeof BUILT_IN_PRESETS)[number], BuiltIn>> = {
  'read-only': {
    description: 'Tools that only read, by their own annotations; resources and prompts',
    matches: isReadOnly,
  },
  none: { description: 'Nothing at all', matches: NOTHING },
  full: { description: 'Everything', matches: () => true },
};

/** Compiled presets; they select from the catalogue at the time of the request. */
export interface Presets {
  find(name: string): Match | undefined;
  readonly listed: readonly ToolsetPreset[];
  readonly names: readonly string[];
}

/** @param config after presetFindings has reported its faults */
export function compilePresets({ toolsetPresets }: ToolsetsConfig): Presets {
  const compiled = new Map(Object.entries(BUILT_IN).map(([name, { matches }]) => [name, matches]));
  const compile = (name: string): Match => {
    const known = compiled.get(name);
    if (known !== undefined) return known;
    const definition = Object.hasOwn(toolsetPresets, name) ? toolsetPresets[name] : undefined;
    if (definition === undefined) return NOTHING;
    // A former version of a definition that is broken now may close a circle, which then selects nothing.
    compiled.set(name, NOTHING);
    const match = compileOne(definition, compile);
    compiled.set(name, match);
    return match;
  };
  for (const name of Object.keys(toolsetPresets)) compile(name);
  return { find: (name) => compiled.get(name), listed: listed(toolsetPresets), names: [...compiled.keys()] };
}

/** Exclude wins over include. */
function compileOne({ include, exclude }: PresetDefinition, compile: (name: string) => Match): Match {
  const included = include.map((rule) =>
    rule.preset === undefined ? matchRule(rule) : compile(rule.preset),
  );
  const excluded = exclude.map(matchRule);
  return (item) => included.some((match) => match(item)) && !excluded.some((match) => match(item));
}

function listed(presets: ToolsetsConfig['toolsetPresets']): readonly ToolsetPreset[] {
  const builtIn = Object.entries(BUILT_IN).map(([name, { description }]) => ({
    name,
    description,
    built_in: true,
  }));
  const own = Object.entries(presets).map(([name, { description }]) => ({
    name,
    description,
    built_in: false,
  }));
  return [...builtIn, ...own.sort((a, b) => (a.name < b.name ? -1 : 1))];
}
