import { isDeepStrictEqual } from 'node:util';
import type { Issue } from '../contracts/config.ts';
import { entryOf } from '../contracts/plugin.ts';
import type { Plugin, Wanted } from '../contracts/plugin.ts';
import type { Finding } from '../contracts/finding.ts';
import type { Origin } from '../contracts/resource.ts';
import type { Env, Settings } from '../contracts/settings.ts';
import { isGatewayError, messageOf } from '../errors.ts';
import { isError } from '../lib/isError.ts';
import { didYouMean } from '../lib/nearest.ts';
import { builtInNames, isBuiltIn, loadBuiltIn, loadModule } from '../loader.ts';
import { sectionFindings, switchesOf } from './sections.ts';
import { validate } from './validate.ts';

export interface PluginContext {
  readonly settings: Settings;
  readonly origin: Origin;
  readonly directory: string;
  readonly env: Env;
  /** Whether parts of the settings are defaults in place of what is wrong. */
  readonly isPartial?: boolean;
  /** The running plugins, and the names of those that no edit may change. */
  readonly inForce?: { readonly required: readonly string[]; readonly running: readonly Wanted[] };
}

/** Returns the plugins that should run, each with its configuration, those that should not, and the issues found. Starts
 *  nothing. */
export async function wantedPlugins(
  context: PluginContext,
): Promise<{ wanted: Wanted[]; off: Plugin[]; issues: Issue[] }> {
  const { settings } = context;
  const names = new Set([...(await builtInNames()), ...Object.keys(settings.plugins)]);
  const found = await Promise.all([...names].map((name) => wantedPlugin(name, context)));
  const wanted = found.flatMap((one) => one.wanted);
  const off = found.flatMap(({ plugin, wanted: [on] }) => (plugin && on === undefined ? [plugin] : []));
  const issues = found.flatMap((one) => one.issues);
  // A plugin that cannot run has an issue of its own.
  if (context.isPartial !== true && !issues.some(isError)) issues.push(...requiredIssues(found, context));
  return { wanted, off, issues };
}

interface Found {
  /** Undefined if it is switched off by name and no built-in one, or cannot be loaded. */
  readonly plugin?: Plugin;
  readonly wanted: readonly Wanted[];
  readonly issues: readonly Issue[];
}

/** Each plugin in `required` must run; once in force, it cannot be switched off, changed or taken off the list. */
function requiredIssues(found: readonly Found[], { settings, origin, inForce }: PluginContext): Issue[] {
  const held = inForce?.required ?? [];
  return [...new Set([...settings.required, ...held])].flatMap((name): Issue[] => {
    const isHeld = held.includes(name);
    const at = settings.required.indexOf(name);
    const { plugin, wanted: [next] = [] } = found.find((one) => one.plugin?.name === name) ?? {};
    const now = isHeld ? inForce?.running.find(({ plugin }) => plugin.name === name) : undefined;
    const isSame = next?.plugin === now?.plugin && isDeepStrictEqual(next?.config, now?.config);
    if (at >= 0 && next !== undefined && (now === undefined || isSame)) return [];
    const [place] = switchesOf(plugin?.configSchema ?? {});
    const how = place === undefined ? 'below plugins' : `by ${[...place, 'enabled'].join('.')}: true`;
    const message = isHeld
      ? `plugin ${name} is required, so it cannot be switched off, changed or taken off the list while Pegboard runs; restart for that`
      : `required plugin ${name} does not run; switch it on ${how}`;
    const path = isHeld && at >= 0 ? ['plugins', name] : ['required', at];
    return [{ severity: 'error', code: 'CONFIG_REFERENCE', message, ...origin.locate(path) }];
  });
}

async function wantedPlugin(name: string, context: PluginContext): Promise<Found> {
  const said = context.settings.plugins[name];
  if (said === false && !isBuiltIn(name)) return { wanted: [], issues: await offIssues(name, context) };
  try {
    const { module } = entryOf(context.settings, name);
    const loading = module === undefined ? loadBuiltIn(name) : loadModule(name, module, context.directory);
    const plugin = await loading;
    const isOff = said === false || !isEnabled(plugin, context);
    const { config, findings } = configFor(plugin, context, isOff);
    const issues = findings.map((finding) => pluginIssue(plugin, finding, context));
    if (isOff && said !== false && context.isPartial !== true) issues.push(...silentlyOff(name, context));
    return { plugin, wanted: isOff ? [] : [{ plugin, config }], issues };
  } catch (error) {
    const code = isGatewayError(error) ? error.code : 'PLUGIN_IMPORT';
    const place = context.origin.locate(['plugins', name]);
    return { wanted: [], issues: [{ severity: 'error', code, message: messageOf(error), ...place }] };
  }
}

/** Turns the reason why a set of plugins cannot run into an issue at the line of config.yaml that causes it. */
export async function setIssue(error: unknown, { settings, origin }: Places): Promise<Issue> {
  const severity = 'error';
  if (!isGatewayError(error)) return { severity, code: 'PLUGIN_START', message: messageOf(error) };
  const { code, message, details } = error;
  const off = details.capability === undefined ? [] : await offProvider(details.capability, settings);
  const said = details.plugins?.find((name) => settings.plugins[name] !== undefined);
  if (off.length === 0) return { severity, code, message, ...origin.locate(['plugins', said ?? '']) };
  const text = `${message}; ${off.join('.')}: ${off.length === 1} keeps the built-in one out`;
  return { severity, code, message: text, ...origin.locate(off) };
}

/** The key of config.yaml that disables the built-in provider of the capability; empty if there is none. */
async function offProvider(capability: string, settings: Settings): Promise<readonly string[]> {
  const plugins = await Promise.all((await builtInNames()).map(loadBuiltIn));
  const providers = plugins.filter(({ provides = [] }) => provides.some(({ id }) => id === capability));
  const off = providers.find(({ name }) => settings.plugins[name] === false);
  return off === undefined ? [] : ['plugins', off.name];
}

/** Reports `false` for an unknown name, because a typo would switch nothing off. */
async function offIssues(name: string, { origin }: PluginContext): Promise<Issue[]> {
  const fix = didYouMean(name, await builtInNames(), "remove the line, unless it is a third party's");
  const message = `plugins.${name}: false switches nothing off: no built-in plugin has that name; ${fix}`;
  return [{ severity: 'warning', code: 'CONFIG_REFERENCE', message, ...origin.locate(['plugins', name]) }];
}

/** Warns about a configured plugin that disables itself; else its absence shows only when it is needed. */
function silentlyOff(name: string, { settings, origin }: PluginContext): Issue[] {
  if (settings.plugins[name] === undefined) return [];
  const message = `plugin ${name} is configured, but it does not run with these settings; if that is intended, write ${name}: false`;
  return [{ severity: 'warning', code: 'CONFIG_REFERENCE', message, ...origin.locate(['plugins', name]) }];
}

function isEnabled(plugin: Plugin, { settings, env }: PluginContext): boolean {
  const named = settings.plugins[plugin.name] === true || entryOf(settings, plugin.name).module !== undefined;
  return named || (plugin.enabled?.(settings, env) ?? true);
}

/** A plugin that is off has its keys and types checked too: a typo may be why it is off. What is missing as a whole counts only while it runs. */
function configFor(
  plugin: Plugin,
  { settings, isPartial = false }: PluginContext,
  isOff: boolean,
): { config: unknown; findings: readonly Finding[] } {
  const slice = plugin.select?.(settings) ?? entryOf(settings, plugin.name).config ?? {};
  const { value: config, findings } = validate(plugin.configSchema, slice);
  const faults = isOff ? findings.filter(({ path }) => path.length > 0) : findings;
  if (faults.length > 0) return { config, findings: faults };
  const slips = sectionFindings(plugin, { slice, settings, isOff });
  // A check with a second parameter looks at other sections, which may be wrong.
  if (isOff || (isPartial && (plugin.check?.length ?? 0) > 1)) return { config, findings: slips };
  return { config, findings: [...slips, ...(plugin.check?.(config, settings) ?? [])] };
}

type Places = Pick<PluginContext, 'settings' | 'origin'>;

/** A plugin that selects sections of the settings returns findings whose path starts at the root of config.yaml. */
export function pluginIssue(
  plugin: Plugin,
  { path, message, severity = 'error' }: Finding,
  { settings, origin }: Places,
): Issue {
  const isSection = plugin.select !== undefined && String(path[0]) in settings;
  const place = origin.locate(isSection ? path : ['plugins', plugin.name, 'config', ...path]);
  return { severity, code: 'CONFIG_INVALID', message: `plugin ${plugin.name}: ${message}`, ...place };
}
