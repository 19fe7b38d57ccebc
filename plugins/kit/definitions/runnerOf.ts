/** Programs that install another one at its first start, with the subcommands that make them do it; undefined: any word. */
const RUNNERS: Readonly<Record<string, RegExp | undefined>> = {
  npx: undefined,
  pnpx: undefined,
  bunx: undefined,
  uvx: undefined,
  dnx: undefined,
  npm: /^(?:exec|x)$/,
  pnpm: /^dlx$/,
  yarn: /^dlx$/,
  bun: /^x$/,
  deno: /^run$/,
  uv: /^(?:run|tool run)$/,
  pipx: /^run$/,
  docker: /^(?:run|container run|compose run)$/,
  podman: /^(?:run|container run|compose run)$/,
};
/** Subcommands that have subcommands. */
const GROUPS = /^(?:tool|container|compose)$/;

/** Flags whose value is the next word. */
const VALUED: ReadonlySet<string> = new Set([
  ...['--directory', '--project', '--config-file', '--cache-dir', '--color', '--python', '-p'],
  ...['--context', '--host', '--config', '--log-level', '--connection', '--file', '--profile', '--env-file'],
  ...['--cwd', '--prefix', '--dir', '--workspace', '--registry', '--filter', '--loglevel', '--cache'],
  ...['--from', '--with', '--package', '--spec', '--version', '--call'],
  ...['-C', '-H', '-c', '-f', '-F', '-l'],
]);

/** The program that installs the server at its first start: `npx`, `docker run`; undefined if there is none. */
export function runnerOf(command: readonly string[]): string | undefined {
  const { name, words } = programOf(unwrapped(command));
  if (!Object.hasOwn(RUNNERS, name)) return undefined;
  const wanted = RUNNERS[name];
  if (wanted === undefined) return name;
  const [first = '', ...after] = afterFlags(words);
  const subcommand = GROUPS.test(first) ? `${first} ${afterFlags(after)[0] ?? ''}` : first;
  if (!wanted.test(subcommand)) return undefined;
  // Deno runs a file in the same way.
  if (name === 'deno' && !/^(?:npm|jsr):/.test(afterFlags(after)[0] ?? '')) return undefined;
  return `${name} ${first === 'tool' ? first : subcommand}`;
}

/** Flags whose value is the package. */
const PACKAGE = /^(?:-p|--package|--from|--spec)(?:=(.+))?$/;
/** They may be given the package in any word. */
const BY_WORD = /^(?:docker|podman|deno|uv run)\b/;

/** What a command with a runner installs: equal for commands that install the same packages into the same place. */
export function installationOf(command: readonly string[]): string {
  const runner = runnerOf(command);
  if (runner === undefined || BY_WORD.test(runner)) return JSON.stringify(command);
  const { words } = programOf(unwrapped(command));
  const isSubcommand = runner.includes(' ');
  const rest = isSubcommand ? afterFlags(words).slice(1) : words;
  const own = runner === 'uv tool' ? afterFlags(rest).slice(1) : rest;
  const [subject = ''] = afterFlags(own);
  const flags = own.slice(0, own.length - afterFlags(own).length);
  const named = flags.flatMap((word, at) => {
    const found = PACKAGE.exec(word);
    return found === null ? [] : [found[1] ?? flags[at + 1] ?? ''];
  });
  const place = /^npm (?:exec|x)$/.test(runner) ? 'npx' : runner;
  return JSON.stringify([place, ...(named.length > 0 ? named.sort() : [subject])]);
}

interface Program {
  /** The name without folder and ending. */
  readonly name: string;
  readonly words: readonly string[];
}

function programOf([program = '', ...words]: readonly string[]): Program {
  const file = program.toLowerCase().split(/[\\/]/).at(-1) ?? '';
  return { name: file.replace(/\.(?:cmd|exe|bat|ps1)$/, ''), words };
}

/** The command that `env`, or a shell with one simple command, runs. */
function unwrapped(command: readonly string[]): readonly string[] {
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

/** The words of a line for a shell; none if it runs several commands. */
function simpleCommand(line = ''): readonly string[] {
  if (/[;&|\n`]|\$\(/.test(line)) return [];
  const words = line
    .trim()
    .split(/\s+/)
    .map((word) => word.replace(/^"([^"]*)"$|^'([^']*)'$/, '$1$2'));
  const [first, ...rest] = words.slice(words.findIndex((word) => !/^\w+=/.test(word)));
  return first === 'exec' ? rest : first === undefined ? [] : [first, ...rest];
}

/** The words from the first that is neither a flag nor the value of one. */
function afterFlags(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word, index) => !word.startsWith('-') && !VALUED.has(words[index - 1] ?? ''));
  return at < 0 ? [] : words.slice(at);
}
