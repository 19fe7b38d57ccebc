/** Where a package comes from, and what was in it when it was added. */
export interface PackageSource {
  readonly registry: 'npm' | 'pypi' | 'oci';
  readonly name: string;
  /** The exact version; of an image its tag. */
  readonly version: string;
  /** `sha512-<base64>` of npm, `sha256:<hex>` of a file of PyPI, the digest of an image. */
  readonly integrity: string;
}

/** The package that a command installs and runs. */
export interface NamedPackage {
  readonly registry: PackageSource['registry'];
  readonly name: string;
  /** As it is written: a version, a range or a tag; undefined if there is none. */
  readonly version: string | undefined;
  /** The digest of an image. */
  readonly digest: string | undefined;
  /** Whether it is the same package at each start. */
  readonly isExact: boolean;
  /** Why what runs may not be what the registry of the settings has by this name. */
  readonly obstacle?: string | undefined;
  /** The command with the name alone. */
  readonly bare: () => readonly string[];
  /** The command with this version, and for an image its digest. */
  readonly pinned: (source: PackageSource) => readonly string[];
  /** The command with a file in place of the name. */
  readonly ofFile: (file: string) => readonly string[];
}

/** Words of a command, and the one among them that names the package. */
interface Place {
  readonly words: readonly string[];
  readonly at: number;
  /** What stands before the package in its word: `--package=`. */
  readonly lead: string;
  /** Whether the word is a flag's value, and another names the program. */
  readonly isOfFlag: boolean;
  readonly obstacle?: string | undefined;
}

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
const PACKAGE_FLAG: Readonly<Record<Runner, RegExp>> = {
  npm: /^(?:-p|--package)(=|$)/,
  pypi: /^(?:--from|--spec)(=|$)/,
};
/** Flags of `docker run` without a value. */
const SWITCHES =
  /^(?:-[itdPq]+|--(?:rm|init|interactive|tty|detach|privileged|publish-all|read-only|quiet|no-healthcheck))$/;
/** Short ones with the value in the same word: `-v/a:/b`. */
const ATTACHED = /^-[itdPq]*[a-ce-hj-prsu-z]./;

const EXACT_NPM = /^\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/;
const NPM = /^((?:@[\w.~-]+\/)?[\w~-][\w.~-]*)(?:@([^@/:]+))?$/;
const PYPI = /^([A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)(\[[\w,.-]+\])?(?:(==|@)([\w.!+-]+))?$/;
const IMAGE =
  /^((?:[\w.-]+(?::\d+)?\/)?[a-z0-9][a-z0-9._/-]*)(?::([\w][\w.-]*))?(?:@(sha256:[0-9a-f]{64}))?$/;

/** The package that a command runs; undefined if it runs none, or one from elsewhere: a folder, git, an address. */
export function packageIn(command: readonly string[]): NamedPackage | undefined {
  const [program = '', first, second] = command;
  const runner = (program.split(/[\\/]/).at(-1) ?? '').replace(/\.(?:cmd|exe)$/i, '');
  if (runner === 'npx') return npmPackage(placeIn(command, 1, 'npm'));
  if (runner === 'uvx') return pypiPackage(placeIn(command, 1, 'pypi'));
  if (runner === 'uv' && first === 'tool' && second === 'run')
    return pypiPackage(placeIn(command, 3, 'pypi'));
  if (runner === 'pipx' && first === 'run') return pypiPackage(placeIn(command, 2, 'pypi'));
  if (/^(?:docker|podman)$/.test(runner)) return image(command);
  return undefined;
}

/** Why a command does not run what its `source` says; undefined if it does. */
export function sourceFault(command: readonly string[], source: PackageSource): string | undefined {
  const found = packageIn(command);
  if (found === undefined) return `source names ${source.name}, but the command runs no package`;
  if (found.obstacle !== undefined) return `source cannot be checked: ${found.obstacle}`;
  const isSame =
    found.registry === source.registry &&
    found.name === source.name &&
    (found.version ?? source.version) === source.version;
  const hasDigest = found.registry !== 'oci' || found.digest === source.integrity;
  if (isSame && hasDigest && (found.isExact || found.registry === 'oci')) return undefined;
  const runs = [found.name, found.version ?? 'any version', found.digest].filter(Boolean).join(' ');
  return `source is ${source.name} ${source.version}, but the command runs ${runs}`;
}

/** The word that names the package. */
function placeIn(words: readonly string[], from: number, registry: Runner): Place | undefined {
  let named: Place | undefined;
  let obstacle: string | undefined;
  for (let at = from; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const [lead, sign] = PACKAGE_FLAG[registry].exec(word) ?? [];
    // Of several packages none is the one.
    if (lead !== undefined && named !== undefined) return undefined;
    if (lead !== undefined && sign === '=') named = { words, at, lead, isOfFlag: true };
    else if (lead !== undefined) named = { words, at: (at += 1), lead: '', isOfFlag: true };
    else if (registry === 'npm' && /^(?:-c|--call)/.test(word)) return undefined;
    else if (!word.startsWith('-'))
      return { ...(named ?? { words, at, lead: '', isOfFlag: false }), obstacle };
    else if (word !== '--') {
      obstacle ??= obstacleOf(word, registry);
      if (VALUED[registry].has(word) || ELSEWHERE[registry].test(word)) at += 1;
    }
  }
  return undefined;
}

/** A flag that is not known may have the next word as its value. Values may be secret. */
function obstacleOf(word: string, registry: Runner): string | undefined {
  const flag = word.startsWith('--') ? word.replace(/=.*$/s, '') : word.slice(0, 2);
  if (ELSEWHERE[registry].test(flag))
    return `${flag} names another place than the settings, which is not asked`;
  const isKnown = /^--[^=]+=/.test(word) || VALUED[registry].has(word) || PLAIN[registry].test(word);
  return isKnown ? undefined : `what the flag ${flag} does is not known here`;
}

function wordAt({ words, at, lead }: Place): string {
  return (words[at] ?? '').slice(lead.length);
}

function replaced({ words, at, lead }: Place, ...by: readonly string[]): readonly string[] {
  const [first = '', ...more] = by;
  return [...words.slice(0, at), `${lead}${first}`, ...more, ...words.slice(at + 1)];
}

function npmPackage(place: Place | undefined): NamedPackage | undefined {
  const [, name, version] = (place && NPM.exec(wordAt(place))) ?? [];
  if (place === undefined || name === undefined || name.startsWith('.')) return undefined;
  return {
    registry: 'npm',
    name,
    version,
    digest: undefined,
    isExact: EXACT_NPM.test(version ?? ''),
    obstacle: place.obstacle,
    bare: () => replaced(place, name),
    pinned: (source) => replaced(place, `${name}@${source.version}`),
    ofFile: (file) => replaced(place, `file:${file}`),
  };
}

function pypiPackage(place: Place | undefined): NamedPackage | undefined {
  const [, name, extras = '', , version] = (place && PYPI.exec(wordAt(place))) ?? [];
  if (place === undefined || name === undefined) return undefined;
  return {
    registry: 'pypi',
    name,
    version,
    digest: undefined,
    isExact: /^\d/.test(version ?? ''),
    obstacle: place.obstacle,
    bare: () => replaced(place, `${name}${extras}`),
    pinned: (source) => replaced(place, `${name}${extras}==${source.version}`),
    ofFile: (file) => {
      const flag = /pipx/.test(place.words[0] ?? '') ? '--spec' : '--from';
      return place.isOfFlag
        ? replaced(place, `${file}${extras}`)
        : replaced(place, flag, `${file}${extras}`, name);
    },
  };
}

function image(words: readonly string[]): NamedPackage | undefined {
  const start = words.indexOf('run') + 1;
  if (start === 0 || words.slice(1, start).some((word) => /^(?:compose|mcp)$/.test(word))) return undefined;
  let at = start;
  while (words[at]?.startsWith('-') === true)
    at += [SWITCHES, /=/, ATTACHED].some((one) => one.test(words[at] ?? '')) ? 1 : 2;
  const [, name, version, digest] = IMAGE.exec(words[at] ?? '') ?? [];
  if (name === undefined) return undefined;
  const place: Place = { words, at, lead: '', isOfFlag: false };
  return {
    registry: 'oci',
    name,
    version,
    digest,
    isExact: digest !== undefined || (version !== undefined && version !== 'latest'),
    bare: () => replaced(place, name),
    pinned: (source) => replaced(place, `${name}:${source.version}@${source.integrity}`),
    ofFile: () => words,
  };
}
