/** Words of a command, and the one among them that names a package. */
export interface Place {
  readonly words: readonly string[];
  readonly at: number;
  /** What stands before the package in its word: `--package=`. */
  readonly lead: string;
  /** Whether the word is a flag's value, and another names the program. */
  readonly isOfFlag: boolean;
  readonly obstacle?: string | undefined;
}

/** An exact version of npm. */
export const EXACT_NPM = /^[=v]?\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/;

type Runner = 'npm' | 'pypi';

/** Flags of npx, or of uvx and pipx, whose value is the next word. */
const VALUED: Readonly<Record<Runner, ReadonlySet<string>>> = {
  npm: new Set(['--cache', '--prefix', '--loglevel', '--workspace', '--node-options', '-w']),
  pypi: new Set([
    ...['--with', '--with-requirements', '--with-editable', '--python', '--constraints', '--overrides'],
    ...['--build-constraints', '--env-file', '--cache-dir', '--exclude-newer', '--prerelease', '--color'],
    ...['--resolution', '--link-mode', '--refresh-package', '-p', '-w', '-c', '-b'],
  ]),
};
/** Those without a value. */
const PLAIN: Readonly<Record<Runner, RegExp>> = {
  npm: /^(?:-[yqsd]|--(?:yes|quiet|silent|verbose|offline|prefer-(?:off|on)line|ignore-scripts|no(?:-[a-z-]+)?))$/,
  pypi: /^(?:-[qvnU]+|--(?:quiet|verbose|offline|isolated|upgrade|refresh|reinstall|native-tls|no-[a-z-]+(?<!-package)))$/,
};
/** Those that name where packages are from, in place of the settings. */
const ELSEWHERE: Readonly<Record<Runner, RegExp>> = {
  npm: /^--(?:registry|userconfig|globalconfig|@[^=]*:registry)$/,
  pypi: /^(?:-[if]|--(?:(?:extra-)?index-url|(?:default-)?index|no-index|find-links|config-file|directory|project|pip-args))$/,
};
/** Flags that say what runs or where it is from. */
const WHOLE: Readonly<Record<Runner, readonly string[]>> = {
  npm: ['--package', '--call', '--registry', '--userconfig', '--globalconfig'],
  pypi: ['--spec', '--pip-args', '--index-url'],
};
const PACKAGE_FLAG: Readonly<Record<Runner, RegExp>> = {
  npm: /^(?:-p|--package)(=|$)/,
  pypi: /^(?:--from|--spec)(=|$)/,
};

/** The words that name packages. @param from index of the first word after the runner and its subcommand
 *  @param isOpen whether flags of the runner may follow the program, as those of `npm exec` up to `--` */
export function placesIn(
  words: readonly string[],
  from: number,
  registry: Runner,
  isOpen: boolean,
): readonly Place[] {
  const named = namedBefore(words, from, registry);
  let program: Place | undefined;
  // Flags before a subcommand count as well.
  const before = words.slice(1, from).filter((word) => word.startsWith('-'));
  let obstacle = before.map((word) => obstacleOf(word, registry)).find((one) => one !== undefined);
  for (let at = from; at < words.length; at += 1) {
    const word = words[at] ?? '';
    // Behind the program, -p names no package for npm.
    const isForServer = program !== undefined && !/^--package(?:=|$)/.test(word);
    const [lead, sign] = (!isForServer && PACKAGE_FLAG[registry].exec(word)) || [];
    if (lead !== undefined && sign === '=') named.push({ words, at, lead, isOfFlag: true });
    else if (lead !== undefined) named.push({ words, at: (at += 1), lead: '', isOfFlag: true });
    // The line for a shell that follows runs what is named so far.
    else if (registry === 'npm' && /^(?:-c|--call)/.test(word)) break;
    else if (!word.startsWith('-')) {
      program ??= { words, at, lead: '', isOfFlag: false };
      if (!isOpen) break;
    } else if (word === '--') {
      // What npm itself reads ends here.
      if (program !== undefined) break;
      isOpen = false;
    } else {
      // What npm does not know there goes to the server.
      if (program === undefined || ELSEWHERE[registry].test(word.replace(/=.*$/s, '')))
        obstacle ??= obstacleOf(word, registry);
      if (VALUED[registry].has(word) || ELSEWHERE[registry].test(word)) at += 1;
    }
  }
  if (named.length === 0 && program !== undefined) named.push(program);
  if (named.length > 1) obstacle ??= 'the command names several packages';
  return named.map((place) => ({ ...place, obstacle }));
}

/** `pnpm --package=notes dlx serve` */
function namedBefore(words: readonly string[], from: number, registry: Runner): Place[] {
  return words.slice(0, from).flatMap((word, at): readonly Place[] => {
    const [lead, sign] = (at > 0 && PACKAGE_FLAG[registry].exec(word)) || [];
    if (lead === undefined) return [];
    return [
      sign === '=' ? { words, at, lead, isOfFlag: true } : { words, at: at + 1, lead: '', isOfFlag: true },
    ];
  });
}

/** A flag that is not known may have the next word as its value. Values may be secret. */
function obstacleOf(word: string, registry: Runner): string | undefined {
  const flag = word.startsWith('--') ? word.replace(/=.*$/s, '') : word.slice(0, 2);
  if (ELSEWHERE[registry].test(flag))
    return `${flag} names another place than the settings, which is not asked`;
  if (isShortened(flag, registry)) return `the flag ${flag} may be short for another`;
  const isKnown = /^--[^=]+=/.test(word) || VALUED[registry].has(word) || PLAIN[registry].test(word);
  return isKnown ? undefined : `what the flag ${flag} does is not known here`;
}

/** npm and pipx take the beginning of a flag for it: `--pack=notes`. */
function isShortened(flag: string, registry: Runner): boolean {
  return flag.length > 2 && WHOLE[registry].some((one) => one !== flag && one.startsWith(flag));
}

export function wordAt({ words, at, lead }: Place): string {
  return (words[at] ?? '').slice(lead.length);
}

export function replaced({ words, at, lead }: Place, ...by: readonly string[]): readonly string[] {
  const [first = '', ...more] = by;
  return [...words.slice(0, at), `${lead}${first}`, ...more, ...words.slice(at + 1)];
}

/** Why what another program runs cannot be checked. */
export function otherRunner(name: string): string {
  return `${name} cannot be given an archive that was checked; run it with npx -y`;
}
