import type { Issue } from '../contracts/config.ts';
import type { Plugin } from '../contracts/plugin.ts';
import type { Finding } from '../contracts/finding.ts';
import type { Origin } from '../contracts/resource.ts';
import type { Env, PluginEntry, Settings } from '../contracts/settings.ts';
import { isGatewayError, messageOf } from '../errors.ts';
import { nearest } from '../lib/nearest.ts';
import { builtInNames, loadBuiltIn, loadModule } from '../loader.ts';
import type { Wanted } from '../plan.ts';
import { validate } from './validate.ts';

export interface PluginContext {
  readonly settings: Settings;
  readonly origin: Origin;
  readonly directory: string;
  readonly env: Env;
}

/** Which plugins shall run with which configuration, and what is wrong with that. Starts nothing. */
export async function wantedPlugins(context: PluginContext): Promise<{ wanted: Wanted[]; issues: Issue[] }> {
  const { settings } = context;
  const names = new Set([...(await builtInNames()), ...Object.keys(settings.plugins)]);
  const found = await Promise.all([...names].map((name) => wantedPlugin(name, context)));
  return { wanted: found.flatMap(({ wanted }) => wanted), issues: found.flatMap(({ issues }) => issues) };
}

async function wantedPlugin(
  name: string,
  context: PluginContext,
): Promise<{ wanted: Wanted[]; issues: Issue[] }> {
  const nothing = { wanted: [], issues: [] };
  if (context.settings.plugins[name] === false) return { wanted: [], issues: await offIssues(name, context) };
  try {
    const plugin = await loadFor(name, context);
    if (!isEnabled(plugin, context)) return nothing;
    const { config, findings } = configFor(plugin, context.settings);
    return {
      wanted: [{ plugin, config }],
      issues: findings.map((finding) => pluginIssue(plugin, finding, context)),
    };
  } catch (error) {
    const code = isGatewayError(error) ? error.code : 'PLUGIN_IMPORT';
    const place = context.origin.locate(['plugins', name]);
    return { wanted: [], issues: [{ severity: 'error', code, message: messageOf(error), ...place }] };
  }
}

/** A third party's plugin may be off without being named further; a typo must not look like that. */
async function offIssues(name: string, { origin }: PluginContext): Promise<Issue[]> {
  const known = await builtInNames();
  if (known.includes(name)) return [];
  const [close] = nearest(name, known, 1);
  const fix =
    close === undefined ? "remove the line, unless it is a third party's" : `did you mean ${close}?`;
  const message = `plugins.${name}: false switches nothing off: no built-in plugin has that name; ${fix}`;
  return [{ severity: 'warning', code: 'CONFIG_REFERENCE', message, ...origin.locate(['plugins', name]) }];
}

function loadFor(name: string, { settings, directory }: PluginContext): Promise<Plugin> {
  const { module } = entryOf(name, settings);
  return module === undefined ? loadBuiltIn(name) : loadModule(name, module, directory);
}

function isEnabled(plugin: Plugin, { settings, env }: PluginContext): boolean {
  const named = settings.plugins[plugin.name] === true || entryOf(plugin.name, settings).module !== undefined;
  return named || (plugin.enabled?.(settings, env) ?? true);
}

function configFor(plugin: Plugin, settings: Settings): { config: unknown; findings: readonly Finding[] } {
  const slice = plugin.select?.(settings) ?? entryOf(plugin.name, settings).config ?? {};
  const { value: config, findings } = validate(plugin.configSchema, slice);
  if (findings.length > 0) return { config, findings };
  return { config, findings: plugin.check?.(config, settings) ?? [] };
}

function entryOf(name: string, settings: Settings): PluginEntry {
  const entry = settings.plugins[name];
  return typeof entry === 'object' ? entry : {};
}

/** A plugin that selects sections of the settings names its findings from the root of config.yaml. */
export function pluginIssue(
  plugin: Plugin,
  { path, message, severity = 'error' }: Finding,
  { settings, origin }: Pick<PluginContext, 'settings' | 'origin'>,
): Issue {
  const isSection = plugin.select !== undefined && String(path[0]) in settings;
  const place = origin.locate(isSection ? path : ['plugins', plugin.name, 'config', ...path]);
  return { severity, code: 'CONFIG_INVALID', message: `plugin ${plugin.name}: ${message}`, ...place };
}
