/** Flags whose value is the next word. */
const VALUED: ReadonlySet<string> = new Set([
  ...['--directory', '--project', '--config-file', '--cache-dir', '--color', '--python', '-p'],
  ...['--context', '--host', '--config', '--log-level', '--connection', '--file', '--profile', '--env-file'],
  ...['--cwd', '--prefix', '--dir', '--workspace', '--registry', '--filter', '--loglevel', '--cache'],
  ...['--from', '--with', '--package', '--spec', '--version', '--call'],
  ...['-C', '-H', '-c', '-f', '-F', '-l'],
]);

interface Program {
  /** The name without folder and ending. */
  readonly name: string;
  readonly words: readonly string[];
}

/** The program of a command, and its words. */
export function programOf([program = '', ...words]: readonly string[]): Program {
  const file = program.toLowerCase().split(/[\\/]/).at(-1) ?? '';
  return { name: file.replace(/\.(?:cmd|exe|bat|ps1)$/, ''), words };
}

/** The command that `env`, or a shell with one simple command, runs. */
export function unwrapped(command: readonly string[]): readonly string[] {
  const { name, words } = programOf(command);
  if (name === 'env') {
    const at = words.findIndex((word) => !/^-[iS]$|^--$|^\w+=/.test(word));
    return at < 0 ? command : unwrapped(words.slice(at));
  }
  if (name === 'cmd') {
    // On Windows, npx is run by `cmd /c`.
    const rest = words.slice(words.findIndex((word) => !/^\/[a-z]$/i.test(word)));
    return unwrapped(rest.length === 1 ? simpleCommand(rest[0]) : rest);
  }
  if (!/^(?:ba|da|z)?sh$/.test(name)) return command;
  const at = words.findIndex((word) => /^-[a-z]*c$/.test(word));
  return at < 0 ? command : unwrapped(simpleCommand(words[at + 1]));
}

/** The line that a command gives to a shell; undefined if it runs none. */
export function shellLine(command: readonly string[]): string | undefined {
  const { name, words } = programOf(command);
  if (name === 'env') {
    const at = words.findIndex((word) => !/^-[iS]$|^--$|^\w+=/.test(word));
    return at < 0 ? undefined : shellLine(words.slice(at));
  }
  if (name === 'cmd') {
    const rest = words.slice(words.findIndex((word) => !/^\/[a-z]$/i.test(word)));
    return rest.length === 1 ? rest[0] : shellLine(rest);
  }
  if (!/^(?:ba|da|z)?sh$/.test(name)) return undefined;
  const at = words.findIndex((word) => /^-[a-z]*c$/.test(word));
  return at < 0 ? undefined : words[at + 1];
}

/** The words of a line for a shell; none if it runs several commands. */
export function simpleCommand(line = ''): readonly string[] {
  if (/[;&|\n`]|\$\(/.test(line)) return [];
  const words = line
    .trim()
    .split(/\s+/)
    .map((word) => word.replace(/^"([^"]*)"$|^'([^']*)'$/, '$1$2'));
  const [first, ...rest] = words.slice(words.findIndex((word) => !/^\w+=/.test(word)));
  return first === 'exec' ? rest : first === undefined ? [] : [first, ...rest];
}

/** The words from the first that is neither a flag nor the value of one. */
export function afterFlags(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word, index) => !word.startsWith('-') && !VALUED.has(words[index - 1] ?? ''));
  return at < 0 ? [] : words.slice(at);
}
