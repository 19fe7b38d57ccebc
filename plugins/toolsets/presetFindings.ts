import { messageOf, nearest } from 'pegboard';
import type { Finding } from 'pegboard';
import { unknownPreset } from '../kit/calls/selectors.ts';
import type { PresetDefinition, Rule, ToolsetsConfig } from './config.ts';
import { matchRule } from './match.ts';
import { BUILT_IN } from './presets.ts';

const PRESET_KEYS = ['description', 'include', 'exclude'] as const;
const RULE_KEYS = ['tool', 'pattern', 'server', 'workflow', 'readOnly', 'preset', 'label'] as const;

/** All faults in the presets; each finding names its preset. Source: requirement preset.rules. */
export function presetFindings({ toolsetPresets }: ToolsetsConfig): readonly Finding[] {
  const known = [...Object.keys(BUILT_IN), ...Object.keys(toolsetPresets)];
  const findings = Object.entries(toolsetPresets).flatMap(([name, preset]) =>
    faultsOf(name, preset, known).map(({ path, message }) => finding(name, path, message)),
  );
  const circles = circlesIn(toolsetPresets).map(({ name, message }) => finding(name, [], message));
  return [...findings, ...circles];
}

/** Faults of one preset, with paths within it. @param known names of presets that it may compose; absent: they are not checked */
export function faultsOf(
  name: string,
  preset: PresetDefinition,
  known?: readonly string[],
): readonly Finding[] {
  const faults: Finding[] = [];
  const add = (path: Finding['path'], message: string): void => void faults.push({ path, message });
  if (Object.hasOwn(BUILT_IN, name)) add([], 'it is built in and cannot be redefined; choose another name');
  if (/[\s,]/.test(name) || name === '') add([], 'its name may hold neither a comma nor a space');
  // The schema of config.yaml allows unknown keys, so that this check can name the preset.
  for (const [key, fault] of unknownKeys(preset, PRESET_KEYS)) add([key], fault);
  for (const list of ['include', 'exclude'] as const) {
    preset[list].forEach((rule, at) => {
      const unknown = unknownKeys(rule, RULE_KEYS);
      for (const [key, fault] of unknown) add([list, at, key], `${list}[${at}] has the ${fault}`);
      if (unknown.length > 0) return;
      const fault = faultOf(rule, list, known);
      if (fault !== undefined) add([list, at], `${list}[${at}] ${fault}`);
    });
  }
  return faults;
}

function unknownKeys(value: object, known: readonly string[]): readonly (readonly [string, string])[] {
  const unknown = Object.keys(value).filter((key) => !known.includes(key));
  return unknown.map((key) => {
    const [close] = nearest(key, known, 1);
    const fix = close === undefined ? `known keys: ${known.join(', ')}` : `did you mean "${close}"?`;
    return [key, `unknown key "${key}"; ${fix}`];
  });
}

function faultOf(rule: Rule, list: 'include' | 'exclude', known?: readonly string[]): string | undefined {
  const keys = RULE_KEYS.filter((key) => rule[key] !== undefined);
  if (keys.length === 0) return `has no key; set exactly one of ${RULE_KEYS.join(', ')}`;
  if (keys.length > 1) return `has ${keys.length} keys (${keys.join(', ')}); a rule has exactly one`;
  if (rule.preset !== undefined && list === 'exclude') return 'composes a preset; preset is for include only';
  if (rule.preset !== undefined && known?.includes(rule.preset) === false)
    return unknownPreset(rule.preset, known);
  if (typeof rule.label === 'string' && !/^[^=]+=/.test(rule.label)) return 'label is not key=value';
  if (typeof rule.label === 'object' && Object.keys(rule.label).length === 0)
    return 'label is empty; name a pair';
  return patternFault(rule);
}

function patternFault(rule: Rule): string | undefined {
  try {
    matchRule(rule);
    return undefined;
  } catch (error) {
    return `has the invalid pattern ${JSON.stringify(rule.pattern)}: ${messageOf(error)}`;
  }
}

/** Each cycle once, at the preset that comes first in it. */
export function circlesIn(
  presets: ToolsetsConfig['toolsetPresets'],
): readonly { readonly name: string; readonly message: string }[] {
  const found: { name: string; message: string }[] = [];
  const done = new Set<string>();
  const visit = (name: string, path: readonly string[]): void => {
    const at = path.indexOf(name);
    if (at >= 0) {
      const circle = [...path.slice(at), name].join(' → ');
      found.push({ name, message: `presets include one another in a cycle: ${circle}` });
      return;
    }
    if (done.has(name) || !Object.hasOwn(presets, name)) return;
    for (const { preset } of presets[name]?.include ?? []) {
      if (preset !== undefined && !Object.hasOwn(BUILT_IN, preset)) visit(preset, [...path, name]);
    }
    done.add(name);
  };
  for (const name of Object.keys(presets)) visit(name, []);
  return found;
}

function finding(preset: string, path: readonly (string | number)[], what: string): Finding {
  return {
    path: ['toolsetPresets', preset, ...path],
    message: `toolset preset ${JSON.stringify(preset)}: ${what}`,
  };
}
