import type { Issue } from '../contracts/config.ts';
import type { Plugin } from '../contracts/plugin.ts';
import type { Finding, Origin } from '../contracts/resource.ts';
import type { Env, PluginEntry, Settings } from '../contracts/settings.ts';
import { isGatewayError, messageOf } from '../errors.ts';
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
  const wanted: Wanted[] = [];
  const issues: Issue[] = [];
  for (const name of names) {
    if (settings.plugins[name] === false) continue;
    try {
      const plugin = await loadFor(name, context);
      if (!isEnabled(plugin, context)) continue;
      const { config, findings } = configFor(plugin, settings);
      issues.push(...findings.map((finding) => toIssue(name, finding, context.origin)));
      wanted.push({ plugin, config });
    } catch (error) {
      const code = isGatewayError(error) ? error.code : 'PLUGIN_IMPORT';
      const place = context.origin.locate(['plugins', name]);
      issues.push({ severity: 'error', code, message: messageOf(error), ...place });
    }
  }
  return { wanted, issues };
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

/** A path that exists below `plugins.<name>.config` is meant there; another one comes from a selected section. */
function toIssue(name: string, { path, message, severity = 'error' }: Finding, origin: Origin): Issue {
  const place = origin.locate(['plugins', name, 'config', ...path]);
  return { severity, code: 'CONFIG_INVALID', message: `plugin ${name}: ${message}`, ...place };
}
