import { isDeepStrictEqual } from 'node:util';
import type { Finding } from '../contracts/finding.ts';
import type { JsonSchema } from '../contracts/json.ts';
import { entryOf } from '../contracts/plugin.ts';
import type { Plugin } from '../contracts/plugin.ts';
import type { Settings } from '../contracts/settings.ts';
import { isObject } from '../lib/json.ts';

interface Selected {
  /** What the plugin selects of the settings, before defaults are filled in. */
  readonly slice: unknown;
  readonly settings: Settings;
  readonly isOff: boolean;
}

/** Settings of config.yaml without effect: a section that a slip switches off, and keys that are never read. */
export function sectionFindings(plugin: Plugin, selected: Selected): readonly Finding[] {
  return [...unreadEntry(plugin, selected.settings), ...undecided(plugin, selected)];
}

/** The places in a schema of the sections that have a switch `enabled` and are off without it. */
export function switchesOf(
  { properties }: JsonSchema,
  path: readonly string[] = [],
): readonly (readonly string[])[] {
  if (!isObject(properties)) return [];
  const below = Object.entries(properties).flatMap(([key, schema]) =>
    switchesOf(schema as JsonSchema, [...path, key]),
  );
  const { enabled } = properties;
  return isObject(enabled) && enabled['default'] === false ? [path, ...below] : below;
}

/** A section with settings must say whether it is on: a guard that a slip switches off would let everyone in. */
function undecided(plugin: Plugin, { slice, isOff }: Selected): readonly Finding[] {
  return switchesOf(plugin.configSchema).flatMap((path): Finding[] => {
    const section = path.reduce((value: unknown, key) => (isObject(value) ? value[key] : undefined), slice);
    if (!isObject(section) || Object.keys(section).length === 0) return [];
    if (section['enabled'] === false || (section['enabled'] === true && !isOff)) return [];
    const why =
      section['enabled'] === true
        ? `plugins.${plugin.name} is false; remove that line`
        : 'it has no "enabled"; write enabled: true';
    const message = `${path.join('.')} has settings, but is off: ${why}, or write enabled: false if that is intended`;
    return [{ path, message, severity: plugin.guards === true ? 'error' : 'warning' }];
  });
}

/** Finds keys below `plugins` that a plugin with keys elsewhere never reads. */
function unreadEntry(plugin: Plugin, settings: Settings): readonly Finding[] {
  const { name } = plugin;
  const { config = {} } = entryOf(settings, name);
  if (plugin.select === undefined || Object.keys(config).length === 0) return [];
  const without = { ...settings, plugins: { ...settings.plugins, [name]: true } };
  if (!isDeepStrictEqual(plugin.select(settings), plugin.select(without))) return [];
  const message = `plugins.${name}.config is not read: its keys are elsewhere in config.yaml; see schemas/README.md`;
  return [{ path: ['plugins', name, 'config'], message }];
}
