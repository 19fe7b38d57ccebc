import { existsSync, promises } from 'node:fs';
import { createRequire, register } from 'node:module';
import { extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Capability } from './capabilities.ts';
import type { Plugin } from './contracts/plugin.ts';
import { GatewayError, isGatewayError, messageOf } from './errors.ts';
import { faultPlace } from './faultPlace.ts';
import { isValidSchema } from './config/validate.ts';

const BUILT_IN = new URL('../plugins/', import.meta.url);
/** `.js`; `.ts` if the sources run as they are. */
const EXTENSION = extname(import.meta.url);

/** Names of the plugins that ship with Pegboard. */
export async function builtInNames(): Promise<readonly string[]> {
  const names = await promises.readdir(BUILT_IN);
  return names.filter(isBuiltIn).sort();
}
/** Whether a plugin of that name ships with Pegboard. */
export function isBuiltIn(name: string): boolean {
  return /^[\w-]+$/.test(name) && existsSync(new URL(`${name}/index${EXTENSION}`, BUILT_IN));
}

/** Loads `plugins/<name>/index.js` beside the kernel.
 *  @throws GatewayError PLUGIN_MISSING, PLUGIN_IMPORT, PLUGIN_CONTRACT */
export async function loadBuiltIn(name: string): Promise<Plugin> {
  const known = hooked?.get(name);
  if (known !== undefined) return known;
  if (!isBuiltIn(name)) {
    const fix = `a third party's plugin needs plugins.${name}.module`;
    throw new GatewayError('PLUGIN_MISSING', `no built-in plugin is named ${name}; ${fix}`);
  }
  const plugin = await load(name, new URL(`${name}/index${EXTENSION}`, BUILT_IN).href);
  hooked?.set(name, plugin);
  return plugin;
}

/** Loads a third party's plugin. @param module `./path`, `../path`, `/path`, else an npm name
 *  @param directory of config.yaml: paths are relative to it; npm names are resolved from it, then from Pegboard
 *  @throws GatewayError PLUGIN_MISSING, PLUGIN_IMPORT, PLUGIN_CONTRACT */
export async function loadModule(name: string, module: string, directory: string): Promise<Plugin> {
  hookResolution();
  const isPath = /^\.{0,2}\//.test(module);
  try {
    return await load(name, isPath ? pathUrl(module, directory) : packageUrl(module, directory), module);
  } catch (error) {
    if (!isMissing(error)) throw error;
    const fix = isPath ? `check plugins.${name}.module` : `run: npm install --prefix ${directory} ${module}`;
    const wanted = isPath ? resolve(directory, module) : module;
    throw new GatewayError('PLUGIN_MISSING', `plugin ${name}: module ${wanted} is not there; ${fix}`);
  }
}

/** A file, or a folder with a package.json. */
function pathUrl(module: string, directory: string): string {
  return pathToFileURL(createRequire(join(directory, 'config.yaml')).resolve(resolve(directory, module)))
    .href;
}

function packageUrl(module: string, directory: string): string {
  const parents = [pathToFileURL(join(directory, 'config.yaml')).href, import.meta.url];
  return `${FROM}${encodeURIComponent(JSON.stringify({ module, parents }))}`;
}

function isMissing(error: unknown): boolean {
  if (!isGatewayError(error)) return (error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND';
  return (error.cause as NodeJS.ErrnoException | undefined)?.code === MISSING;
}

async function load(name: string, url: string, shown = url): Promise<Plugin> {
  const loaded = (await import(url).catch(async (error: unknown) => {
    const place = await faultPlace(error, url);
    const at = place === undefined ? '' : ` at ${place}`;
    const text = `plugin ${name}: importing ${shown} failed${at}: ${messageOf(error).replace(REQUIRED, CURE)}`;
    throw new GatewayError('PLUGIN_IMPORT', text, { cause: error });
  })) as Record<string, unknown>;
  return checkContract(name, loaded['plugin'], shown);
}

/** The error that Node throws for `require('pegboard')`, for which it asks no hook. */
const REQUIRED = /^Cannot find module ('pegboard(?:\/\w+)?')\nRequire stack:\n- (.+)(?:\n- .+)*/;
const CURE = `$2 has require($1), which CommonJS does not find; write import … from $1 in a file named .mjs, or below a package.json with "type": "module" (in TypeScript: module nodenext), or await import($1) in a function`;

function checkContract(name: string, value: unknown, module: string): Plugin {
  const refuse = (what: string): GatewayError =>
    new GatewayError('PLUGIN_CONTRACT', `plugin ${name} (${module}): ${what}; see plugins/README.md`);
  if (typeof value !== 'object' || value === null) throw refuse('the module has no export named "plugin"');
  const plugin = value as Partial<Plugin>;
  if (plugin.api !== 1) throw refuse(`"api" is ${JSON.stringify(plugin.api)}, this Pegboard speaks 1`);
  if (plugin.name !== name)
    throw refuse(`its name is ${JSON.stringify(plugin.name)}; use that key below plugins`);
  if (typeof plugin.apply !== 'function') throw refuse('"apply" is not a function');
  for (const list of ['requires', 'uses', 'asks', 'provides'] as const) {
    const odd = (plugin[list] ?? []).find((one: unknown) => !isCapability(one));
    if (odd !== undefined)
      throw refuse(`"${list}" must hold capabilities such as RequestGate, not ${JSON.stringify(odd)}`);
  }
  if (plugin.configSchema === undefined) throw refuse('"configSchema" is missing');
  const fault = module.startsWith(BUILT_IN.href) ? undefined : isValidSchema(plugin.configSchema);
  if (fault !== undefined) throw refuse(`"configSchema" does not compile: ${fault}`);
  return plugin as Plugin;
}

function isCapability(value: unknown): boolean {
  const { id, cardinality } = Object(value) as Partial<Capability<unknown>>;
  return typeof id === 'string' && (cardinality === 'one' || cardinality === 'many');
}

const FROM = 'pegboard-from:';
const MISSING = 'PEGBOARD_MISSING';
/** Built-in plugins that were loaded since there is a module hook: each import() asks its thread, and waits for it. The hook belongs
 *  to the whole process and cannot be removed, and so does this. */
let hooked: Map<string, Plugin> | undefined;
/** Adds two rules to node's resolution: a plugin without its own copy of pegboard gets this one, so that `import 'pegboard'`,
 *  `'pegboard/contracts'`, `'pegboard/kit'` and `'pegboard/net'` work from any folder; and `pegboard-from:` resolves an npm name from
 *  the configuration directory by the rules of ES modules. */
function hookResolution(): void {
  if (hooked !== undefined) return;
  hooked = new Map();
  const ours = {
    pegboard: new URL(`index${EXTENSION}`, import.meta.url).href,
    'pegboard/contracts': new URL(`contracts${EXTENSION}`, BUILT_IN).href,
    'pegboard/kit': new URL(`kit${EXTENSION}`, BUILT_IN).href,
    'pegboard/net': new URL(`kit/net/index${EXTENSION}`, BUILT_IN).href,
  };
  const source = `
    const ours = ${JSON.stringify(ours)};
    const absent = ['ERR_MODULE_NOT_FOUND', 'ERR_PACKAGE_PATH_NOT_EXPORTED'];
    async function from({ module, parents }, context, next) {
      for (const parentURL of parents) {
        try { return await next(module, { ...context, parentURL }); }
        catch (error) { if (!absent.includes(error.code)) throw error; }
      }
      throw Object.assign(new Error(module + ' is not there'), { code: ${JSON.stringify(MISSING)} });
    }
    export async function resolve(specifier, context, next) {
      if (specifier.startsWith(${JSON.stringify(FROM)})) {
        return from(JSON.parse(decodeURIComponent(specifier.slice(${FROM.length}))), context, next);
      }
      try { return await next(specifier, context); }
      catch (error) {
        if (ours[specifier] === undefined) throw error;
        return { url: ours[specifier], shortCircuit: true };
      }
    }`;
  register(`data:text/javascript,${encodeURIComponent(source)}`);
}
