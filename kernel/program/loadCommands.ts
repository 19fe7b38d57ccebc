import { validate } from '../config/validate.ts';
import { loadSettings } from '../config/settings.ts';
import { Command } from '../contracts/command.ts';
import { entryOf } from '../contracts/plugin.ts';
import type { Settings } from '../contracts/settings.ts';
import type { Log } from '../log.ts';
import { Kernel } from '../kernel.ts';
import { builtInNames, loadBuiltIn, loadModule } from '../loader.ts';
import type { Wanted } from '../plan.ts';
import { createLog } from './createLog.ts';
import { hasCommands } from './hasCommands.ts';
import { directoryOf } from './options.ts';

/** The verbs of all plugins that provide a Command, built-in ones and those of config.yaml; no other plugin is started.
 *  A config.yaml that cannot be read, and a plugin that
 *  cannot be imported, take only their own verbs away. @throws GatewayError PLUGIN_*, CONFIG_REFERENCE */
export async function loadCommands(argv: readonly string[]): Promise<readonly Command[]> {
  const directory = directoryOf(configPathIn(argv));
  const { settings } = await loadSettings(directory, () => []);
  const log = createLog({
    level: 'warn',
    format: 'text',
    colour: false,
    write: (line) => process.stderr.write(line),
  });
  const kernel = new Kernel({ log });
  await kernel.move(await pluginsWithCommands(directory, settings, log));
  return kernel.registry.all(Command.id) as readonly Command[];
}

async function pluginsWithCommands(
  directory: string,
  settings: Settings | undefined,
  log: Log,
): Promise<Wanted[]> {
  const entries = settings?.plugins ?? {};
  const names = [...new Set([...(await builtInNames()), ...Object.keys(entries)])];
  const loaded = await Promise.all(
    names
      .filter((name) => entries[name] !== false)
      .map(async (name) => {
        const module = settings === undefined ? undefined : entryOf(settings, name).module;
        try {
          return [await (module === undefined ? loadBuiltIn(name) : loadModule(name, module, directory))];
        } catch (error) {
          log.warn('its verbs are missing', { plugin: name, error });
          return [];
        }
      }),
  );
  const plugins = loaded.flat();
  return plugins.filter(hasCommands).map((plugin) => {
    const slice = (settings && (plugin.select?.(settings) ?? entryOf(settings, plugin.name).config)) ?? {};
    return { plugin, config: validate(plugin.configSchema, slice).value };
  });
}

/** Read before the line is parsed: which verbs and flags there are depends on it. */
function configPathIn(line: readonly string[]): string | undefined {
  const argv = line.includes('--') ? line.slice(0, line.indexOf('--')) : line;
  const at = argv.findIndex((word) => /^--config-path(=|$)/.test(word));
  const word = argv[at];
  return word?.includes('=') === true ? word.slice(word.indexOf('=') + 1) : argv[at + 1 || argv.length];
}
