import { readdir } from 'node:fs/promises';
import { createRequire, register } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from './contracts/plugin.ts';
import { GatewayError, messageOf } from './errors.ts';
import { isValidSchema } from './config/validate.ts';

const BUILT_IN = new URL('../plugins/', import.meta.url);

/** Names of the plugins that ship with Pegboard. */
export async function builtInNames(): Promise<readonly string[]> {
  const entries = await readdir(BUILT_IN, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

/** Loads `plugins/<name>/index.js` beside the kernel.
 *  @throws GatewayError PLUGIN_MISSING, PLUGIN_IMPORT, PLUGIN_CONTRACT */
export async function loadBuiltIn(name: string): Promise<Plugin> {
  if (!(await builtInNames()).includes(name)) {
    const fix = `a third party's plugin needs plugins.${name}.module`;
    throw new GatewayError('PLUGIN_MISSING', `no built-in plugin is named ${name}; ${fix}`);
  }
  return load(name, new URL(`${name}/index.js`, BUILT_IN).href);
}

/** Loads a third party's plugin. @param module `./path`, `../path`, `/path`, else an npm name
 *  @param directory of config.yaml: paths are relative to it, npm names are looked up from it, then from ours
 *  @throws GatewayError PLUGIN_MISSING, PLUGIN_IMPORT, PLUGIN_CONTRACT */
export async function loadModule(name: string, module: string, directory: string): Promise<Plugin> {
  shareOurselves();
  return load(name, pathToFileURL(findModule(name, module, directory)).href);
}

function findModule(name: string, module: string, directory: string): string {
  const isPath = /^\.{0,2}\//.test(module);
  const wanted = isPath ? resolve(directory, module) : module;
  for (const from of [join(directory, 'config.yaml'), import.meta.url]) {
    try {
      return createRequire(from).resolve(wanted);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? '';
      if (!['MODULE_NOT_FOUND', 'ERR_PACKAGE_PATH_NOT_EXPORTED'].includes(code))
        throw importFailed(name, module, error);
    }
  }
  const fix = isPath
    ? 'check plugins.' + name + '.module'
    : `run: npm install --prefix ${directory} ${module}`;
  throw new GatewayError('PLUGIN_MISSING', `plugin ${name}: module ${wanted} is not there; ${fix}`);
}

async function load(name: string, url: string): Promise<Plugin> {
  let loaded: Record<string, unknown>;
  try {
    loaded = (await import(url)) as Record<string, unknown>;
  } catch (error) {
    throw importFailed(name, url, error);
  }
  return checkContract(name, loaded['plugin'], url);
}

function importFailed(name: string, module: string, cause: unknown): GatewayError {
  const text = `plugin ${name}: importing ${module} failed: ${messageOf(cause)}`;
  return new GatewayError('PLUGIN_IMPORT', text, { cause });
}

function checkContract(name: string, value: unknown, url: string): Plugin {
  const refuse = (what: string): GatewayError =>
    new GatewayError('PLUGIN_CONTRACT', `plugin ${name} (${url}): ${what}; see plugins/README.md`);
  if (typeof value !== 'object' || value === null) throw refuse('the module has no export named "plugin"');
  const plugin = value as Partial<Plugin>;
  if (plugin.api !== 1) throw refuse(`"api" is ${JSON.stringify(plugin.api)}, this Pegboard speaks 1`);
  if (plugin.name !== name)
    throw refuse(`its name is ${JSON.stringify(plugin.name)}; use that key below plugins`);
  if (typeof plugin.apply !== 'function') throw refuse('"apply" is not a function');
  if (plugin.configSchema === undefined) throw refuse('"configSchema" is missing');
  const fault = isValidSchema(plugin.configSchema);
  if (fault !== undefined) throw refuse(`"configSchema" does not compile: ${fault}`);
  return plugin as Plugin;
}

let shared = false;
/** A plugin without its own copy of pegboard gets ours: `import 'pegboard'` then works from any folder. */
function shareOurselves(): void {
  if (shared) return;
  shared = true;
  const ours = { pegboard: new URL('index.js', import.meta.url).href };
  const source = `
    const ours = ${JSON.stringify(ours)};
    export async function resolve(specifier, context, next) {
      try { return await next(specifier, context); }
      catch (error) {
        if (ours[specifier] === undefined) throw error;
        return { url: ours[specifier], shortCircuit: true };
      }
    }`;
  register(`data:text/javascript,${encodeURIComponent(source)}`);
}
