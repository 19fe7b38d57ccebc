import { validate } from '../config/validate.ts';
import { loadSettings } from '../config/settings.ts';
import { Command } from '../contracts/command.ts';
import { entryOf } from '../contracts/plugin.ts';
import type { Wanted } from '../contracts/plugin.ts';
import type { Settings } from '../contracts/settings.ts';
import type { Log } from '../log.ts';
import { Kernel } from '../kernel.ts';
import { builtInNames, loadBuiltIn, loadModule } from '../loader.ts';
import { createLog } from './createLog.ts';
import { hasCommands } from './hasCommands.ts';
import { directoryOf, withFlags } from './options.ts';

export interface Commands {
  readonly found: readonly Command[];
  /** Loads the other plugins too. */
  readonly all: () => Promise<readonly Command[]>;
}

/** Loads plugins that provide a Command, built-in ones first, then those of config.yaml, until one has the verb that was
 *  typed: importing all takes 100 ms. No other plugin is started. A config.yaml that cannot be read, and a plugin that
 *  cannot be imported, take only their own verbs away. @throws GatewayError PLUGIN_*, CONFIG_REFERENCE */
export async function loadCommands(argv: readonly string[]): Promise<Commands> {
  const directory = directoryOf(configPathIn(argv));
  const { settings } = await loadSettings(directory, () => []);
  const log = createLog({
    level: () => 'warn',
    format: 'text',
    colour: false,
    write: (line) => process.stderr.write(line),
  });
  const kernel = new Kernel({ log });
  const found = (): readonly Command[] =>
    (kernel.registry.all(Command.id) as readonly Command[]).map(withFlags);
  const rest = pluginsWithCommands(directory, settings, log);
  const wanted: Wanted[] = [];
  const loadUntil = async (isEnough: () => boolean): Promise<readonly Command[]> => {
    for (let next; !isEnough() && !(next = await rest.next()).done;) {
      wanted.push(next.value);
      await kernel.move([...wanted]);
    }
    return found();
  };
  return {
    found: await loadUntil(() => found().some(({ name }) => name === argv[0])),
    all: () => loadUntil(() => false),
  };
}

async function* pluginsWithCommands(
  directory: string,
  settings: Settings | undefined,
  log: Log,
): AsyncGenerator<Wanted, void> {
  const entries = settings?.plugins ?? {};
  for (const name of new Set([...(await builtInNames()), ...Object.keys(entries)])) {
    if (entries[name] === false) continue;
    const module = settings === undefined ? undefined : entryOf(settings, name).module;
    try {
      const plugin = await (module === undefined ? loadBuiltIn(name) : loadModule(name, module, directory));
      if (!hasCommands(plugin)) continue;
      const slice = (settings && (plugin.select?.(settings) ?? entryOf(settings, name).config)) ?? {};
      yield { plugin, config: validate(plugin.configSchema, slice).value };
    } catch (error) {
      log.warn('its verbs are missing', { plugin: name, error });
    }
  }
}

/** Read before the line is parsed: which verbs and flags there are depends on it. */
function configPathIn(line: readonly string[]): string | undefined {
  const argv = line.includes('--') ? line.slice(0, line.indexOf('--')) : line;
  const at = argv.findIndex((word) => /^--config-path(=|$)/.test(word));
  const word = argv[at];
  return word?.includes('=') === true ? word.slice(word.indexOf('=') + 1) : argv[at + 1 || argv.length];
}
