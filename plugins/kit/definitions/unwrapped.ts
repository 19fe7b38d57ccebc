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

/** Programs that run the command behind their own flags, as they were given it. */
interface Prefix {
  /** Flags whose value is the next word. */
  readonly valued: RegExp;
  /** Words of its own before the command. */
  readonly operands?: number;
  /** Whether the command may be behind `--` alone. */
  readonly isBehindDashes?: boolean;
}

const SECRETS: Prefix = { valued: /^$/, isBehindDashes: true };
const PREFIXES: Readonly<Record<string, Prefix>> = {
  env: { valued: /^(?:-[uC]|--unset|--chdir)$/ },
  'cross-env': { valued: /^$/ },
  nice: { valued: /^(?:-n|--adjustment)$/ },
  ionice: { valued: /^(?:-[cn]|--class|--classdata)$/ },
  nohup: { valued: /^$/ },
  setsid: { valued: /^$/ },
  time: { valued: /^-[fo]$/ },
  stdbuf: { valued: /^(?:-[ioe]|--(?:input|output|error))$/ },
  timeout: { valued: /^(?:-[ks]|--kill-after|--signal)$/, operands: 1 },
  sudo: {
    valued:
      /^(?:-[ughpCrtTUDR]|--(?:user|group|host|prompt|close-from|role|type|command-timeout|other-user|chdir|chroot))$/,
  },
  doas: { valued: /^-[uC]$/ },
  'xvfb-run': {
    valued: /^(?:-[nsefpw]|--(?:server-num|server-args|error-file|auth-file|xauth-protocol|wait))$/,
  },
  // A subcommand, and flags of its own, are before the dashes.
  dotenv: { ...SECRETS, valued: /^-[efvp]$/ },
  ...Object.fromEntries(
    ['dotenvx', 'op', 'doppler', 'infisical', 'aws-vault', 'chamber', 'mise'].map((name) => [name, SECRETS]),
  ),
};
/** What `env` splits into words. */
const SPLIT = /^(?:-[iv]*S|--split-string)(?:=|$)/;
const ASSIGNED = /^\w+=/;

/** The command behind a prefix such as `nice`; undefined if there is none. */
function behindPrefix(command: readonly string[]): readonly string[] | undefined {
  const { name, words } = programOf(command);
  const { valued, operands = 0, isBehindDashes } = (Object.hasOwn(PREFIXES, name) && PREFIXES[name]) || {};
  if (valued === undefined) return undefined;
  const dashes = words.indexOf('--');
  if (isBehindDashes === true && dashes >= 0) return words.slice(dashes + 1);
  // Those with a subcommand have to have the dashes.
  if (isBehindDashes === true && name !== 'dotenv') return undefined;
  let at = 0;
  const isOwn = (word: string): boolean => word.startsWith('-') || ASSIGNED.test(word);
  while (isOwn(words[at] ?? '')) {
    const word = words[at] ?? '';
    at += valued.test(word) ? 2 : 1;
    if (word === '--') break;
  }
  at += operands;
  while (ASSIGNED.test(words[at] ?? '')) at += 1;
  if (name === 'dotenv' && words[at] === 'run') at += 1;
  return at < words.length ? words.slice(at) : undefined;
}

/** The command that `env` or another prefix, or a shell with one simple command, runs. */
export function unwrapped(command: readonly string[]): readonly string[] {
  const { name, words } = programOf(command);
  const behind = behindPrefix(command);
  if (behind !== undefined) return unwrapped(behind);
  if (name === 'cmd') {
    // On Windows, npx is run by `cmd /c`.
    const rest = words.slice(words.findIndex((word) => !/^\/[a-z]$/i.test(word)));
    return unwrapped(rest.length === 1 ? simpleCommand(rest[0]) : rest);
  }
  if (!/^(?:ba|da|z)?sh$/.test(name)) return command;
  const at = words.findIndex((word) => /^-[a-z]*c$/.test(word));
  return at < 0 ? command : unwrapped(simpleCommand(words[at + 1]));
}

/** The line that a command gives to a shell, or that `env -S` splits; undefined if it runs none. */
export function shellLine(command: readonly string[]): string | undefined {
  const { name, words } = programOf(command);
  const split = name === 'env' ? words.findIndex((word) => SPLIT.test(word)) : -1;
  // Several words would be `-S` as it is written in a shebang.
  if (split >= 0 && /\s/.test(words[split + 1] ?? '')) return words[split + 1];
  const behind = behindPrefix(command);
  if (behind !== undefined) return shellLine(behind);
  if (name === 'cmd') {
    const rest = words.slice(words.findIndex((word) => !/^\/[a-z]$/i.test(word)));
    return rest.length === 1 ? rest[0] : shellLine(rest);
  }
  if (!/^(?:ba|da|z)?sh$/.test(name)) return undefined;
  const at = words.findIndex((word) => /^-[a-z]*c$/.test(word));
  return at < 0 ? undefined : words[at + 1];
}

/** Whether another user runs the command of these words, who has other settings. */
export function isOfAnotherUser(lead: readonly string[]): boolean {
  return lead.some((word) => /^(?:sudo|doas)$/.test(programOf([word]).name));
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
