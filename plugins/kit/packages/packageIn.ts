import {
  afterFlags,
  isOfAnotherUser,
  programOf,
  shellLine,
  simpleCommand,
  unwrapped,
} from '../definitions/unwrapped.ts';
import { denoPackage } from './denoPackage.ts';
import { EXACT_NPM, otherRunner, placesIn, replaced, wordAt } from './placesIn.ts';
import type { Place } from './placesIn.ts';

/** Where a package comes from, and what was in it when it was added. */
export interface PackageSource {
  readonly registry: 'npm' | 'pypi' | 'oci';
  readonly name: string;
  /** The exact version; of an image its tag. */
  readonly version: string;
  /** `sha512-<base64>` of npm, `sha256:<hex>` of a file of PyPI, the digest of an image. */
  readonly integrity: string;
  /** Where it was built, if that was verified when it was pinned. */
  readonly repository?: string;
  /** What its host knows the repository and its owner by: a name can be given up and registered by another. */
  readonly repositoryId?: string;
  readonly ownerId?: string;
}

/** The package that a command installs and runs. */
export interface NamedPackage {
  readonly registry: PackageSource['registry'] | 'nuget';
  readonly name: string;
  /** As it is written: a version, a range or a tag; undefined if there is none. */
  readonly version: string | undefined;
  /** The digest of an image. */
  readonly digest: string | undefined;
  /** Whether it is the same package at each start. */
  readonly isExact: boolean;
  /** What it installs besides without an exact version: that of `uvx --with`. */
  readonly besides?: string | undefined;
  /** Why what runs may not be what the registry of the settings has by this name. */
  readonly obstacle?: string | undefined;
  /** The command with the name alone. */
  readonly bare: () => readonly string[];
  /** The command with this version, and for an image its digest. */
  readonly pinned: (source: PackageSource) => readonly string[];
  /** The command with a file in place of the name. */
  readonly ofFile: (file: string) => readonly string[];
}

/** Programs that run what a registry has, with the subcommand that makes them do it. */
const RUNNERS: Readonly<
  Record<string, readonly [registry: 'npm' | 'pypi' | 'oci', ...subcommands: RegExp[]]>
> = {
  npx: ['npm'],
  npm: ['npm', /^(?:exec|x)$/],
  pnpx: ['npm'],
  pnpm: ['npm', /^dlx$/],
  yarn: ['npm', /^dlx$/],
  bunx: ['npm'],
  bun: ['npm', /^x$/],
  uvx: ['pypi'],
  uv: ['pypi', /^tool$/, /^run$/],
  pipx: ['pypi', /^run$/],
  docker: ['oci'],
  podman: ['oci'],
};
/** Those that install from an archive as they would by name. */
const TAKES_ARCHIVE = /^(?:npx|npm|uvx|uv|pipx|docker|podman)$/;
/** Flags of `docker run` without a value. */
const SWITCHES =
  /^(?:-[itdPq]+|--(?:rmi?|init|interactive|tty|detach|privileged|publish-all|read-only(?:-tmpfs)?|quiet|no-[a-z]+|disable-content-trust|oom-kill-disable|sig-proxy|use-api-socket|replace|tls-verify|http-proxy|env-host|passwd))$/;
/** Short ones with the value in the same word: `-v/a:/b`. */
const ATTACHED = /^-[itdPq]*[a-ce-hj-prsu-z]./;

const ANOTHER_USER = 'another user runs it, who cannot read the archive that was checked';
/** Variables by which npm, uv, pip and pipx take their flags. */
const SETTING = /^(?:npm_config|uv|pip|pipx)_\w+=/i;
/** Flags of `dnx` whose value is the next word. */
const NUGET_VALUED = /^(?:--(?:source|add-source|configfile|version|verbosity|framework)|-v)$/;
const NUGET = /^([A-Za-z0-9][\w.-]*)(?:@(.+))?$/;
const NUGET_RUN = /^(?:dnx|exec)$/;
/** What `uv run` installs besides the project. */
const WITH = /^(?:--with|-w)(?:=(.+))?$/s;
/** Flags of `uv run` without a value. */
const UV_SWITCHES =
  /^(?:-[qvmsnU]+|--(?:quiet|verbose|module|script|gui-script|dev|only-dev|exact|active|isolated|locked|frozen|offline|upgrade|refresh|reinstall|compile-bytecode|native-tls|managed-python|all-[a-z]+|no-(?!extra$|group$)[a-z-]+(?<!-package)))$/;

const EXACT_NUGET = /^\d+(?:\.\d+){1,3}(?:[-+][\w.+-]+)?$/;
const NPM = /^((?:@[\p{L}\w.~-]+\/)?[\p{L}\w~-][\p{L}\w.~-]*)(?:@(npm:.+|[^/:]+))?$/u;
const PYPI = /^([A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)(\[[\w,.-]+\])?(?:(===?|@|[<>~!]=?)(.+))?$/;
const EXACT_PYPI = /^\d[\w.!+-]*$/;
const IMAGE =
  /^((?:[\w.-]+(?::\d+)?\/)?[a-z0-9][a-z0-9._/-]*)(?::([\w][\w.-]*))?(?:@(sha256:[0-9a-f]{64}))?$/;

/** The package that a command runs, itself or by a shell; undefined if it runs none, or one from elsewhere: a folder, git, an address. */
export function packageIn(command: readonly string[]): NamedPackage | undefined {
  const line = shellLine(command);
  if (line !== undefined) return packageInLine(line, command);
  const words = unwrapped(command);
  const lead = command.slice(0, command.length - words.length);
  const found = packageOf(words);
  const setting = lead.find((word) => SETTING.test(word))?.replace(/=.*$/s, '');
  const obstacle =
    found?.obstacle ??
    (isOfAnotherUser(lead) ? ANOTHER_USER : setting && `${setting} may name another place or package`);
  return found && { ...wrapped(found, (own) => [...lead, ...own]), obstacle };
}

function wrapped(found: NamedPackage, around: (words: readonly string[]) => readonly string[]): NamedPackage {
  return {
    ...found,
    bare: () => around(found.bare()),
    pinned: (source) => around(found.pinned(source)),
    ofFile: (file) => around(found.ofFile(file)),
  };
}

/** What a line for a shell runs: of several the first that is not exact. */
function packageInLine(line: string, command: readonly string[]): NamedPackage | undefined {
  const all = line.split(/[;&|\n`()]/).flatMap((part) => packageOf(unwrapped(simpleCommand(part))) ?? []);
  const found = all.find(({ isExact }) => !isExact) ?? all[0];
  const obstacle = 'a shell runs it, from a line that is not rewritten here; write its words as the command';
  return found && { ...wrapped(found, () => command), obstacle };
}

function packageOf(words: readonly string[]): NamedPackage | undefined {
  const { name } = programOf(words);
  if (name === 'deno') {
    const found = denoPackage(words);
    return found && { ...fixed(words), ...found };
  }
  if (name === 'dnx') return nugetPackage(words, 1);
  if (name === 'dotnet') return nugetPackage(words, words.findIndex((word) => NUGET_RUN.test(word)) + 1);
  if (name === 'uv' && afterFlags(words.slice(1))[0] === 'run') return withPackage(words);
  const [registry, ...subcommands] = (Object.hasOwn(RUNNERS, name) ? RUNNERS[name] : undefined) ?? [];
  if (registry === undefined) return undefined;
  if (registry === 'oci') return image(words);
  let from = 1;
  for (const subcommand of subcommands) {
    const rest = afterFlags(words.slice(from));
    if (!subcommand.test(rest[0] ?? '')) return undefined;
    from = words.length - rest.length + 1;
  }
  const places = placesIn(words, from, registry, name === 'npm');
  const all = places.flatMap((place) => (registry === 'npm' ? npmPackage(place) : pypiPackage(place)) ?? []);
  const found = all.find(({ isExact }) => !isExact) ?? all[0];
  if (found !== undefined && registry === 'pypi')
    return { ...found, besides: installedWith(words, from).find(({ isExact }) => !isExact)?.name };
  if (found === undefined || TAKES_ARCHIVE.test(name)) return found;
  return { ...found, obstacle: otherRunner(name) };
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

function npmPackage(place: Place): NamedPackage | undefined {
  const [, name, version] = NPM.exec(wordAt(place)) ?? [];
  if (name === undefined || name.startsWith('.')) return undefined;
  const isAlias = version?.startsWith('npm:') === true;
  const aliased = isAlias ? version.slice(version.lastIndexOf('@') + 1) : version;
  return {
    registry: 'npm',
    name,
    version: EXACT_NPM.test(version ?? '') ? version?.replace(/^[=v]/, '') : version,
    digest: undefined,
    isExact: EXACT_NPM.test(aliased ?? ''),
    obstacle: place.obstacle ?? (isAlias ? 'it has the name of another' : undefined),
    bare: () => replaced(place, name),
    pinned: (source) => replaced(place, `${name}@${source.version}`),
    ofFile: (file) => replaced(place, `file:${file}`),
  };
}

function pypiPackage(place: Place): NamedPackage | undefined {
  const [, name, extras = '', sign = '', written] = PYPI.exec(wordAt(place).replaceAll(/\s/g, '')) ?? [];
  // `notes @ https://…` is from elsewhere.
  if (name === undefined || (sign === '@' && written?.includes(':') === true)) return undefined;
  const version = /^(?:===?|@|)$/.test(sign) ? written : `${sign}${written}`;
  return {
    registry: 'pypi',
    name,
    version,
    digest: undefined,
    isExact: EXACT_PYPI.test(version ?? ''),
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
    // A tag can be moved by all that may push.
    isExact: digest !== undefined,
    bare: () => replaced(place, name),
    pinned: (source) => replaced(place, `${name}:${source.version}@${source.integrity}`),
    ofFile: () => words,
  };
}

/** `dnx Notes@1.0.0 --yes`, of NuGet. @param from index behind the subcommand; 0 if there is none */
function nugetPackage(words: readonly string[], from: number): NamedPackage | undefined {
  const isGroup = words.slice(1, from - 1).every((word) => word === 'tool');
  if (from === 0 || !isGroup) return undefined;
  const isValue = (at: number): boolean => NUGET_VALUED.test(words[at - 1] ?? '');
  const at = words.findIndex((word, index) => index >= from && !word.startsWith('-') && !isValue(index));
  const [, name, behind] = NUGET.exec(words[at] ?? '') ?? [];
  if (name === undefined) return undefined;
  // Behind `--` are the words of the server.
  const own = words.slice(from, words.includes('--') ? words.indexOf('--') : undefined);
  const flag = own.find((word) => word.startsWith('--version='))?.slice('--version='.length);
  const version =
    behind ?? flag ?? (own.includes('--version') ? own[own.indexOf('--version') + 1] : undefined);
  return {
    ...fixed(words),
    registry: 'nuget',
    name,
    version,
    isExact: EXACT_NUGET.test(version ?? ''),
    obstacle: 'NuGet is not asked here',
  };
}

/** `uv run --with notes serve`: the first that is not exact of what it installs. */
function withPackage(words: readonly string[]): NamedPackage | undefined {
  const all = installedWith(words, words.indexOf('run') + 1);
  const found = all.find(({ isExact }) => !isExact) ?? all[0];
  const obstacle = 'uv run cannot be given an archive that was checked; run it with uvx --from';
  return found && { ...found, ...fixed(words), obstacle };
}

/** What `--with` adds. @param from index of the first word after the subcommand */
function installedWith(words: readonly string[], from: number): readonly NamedPackage[] {
  const own = ownWords(words, from);
  const named = own.flatMap((word, at) => {
    const found = WITH.exec(word);
    const text = found && (found[1] ?? own[at + 1]);
    // Of several in one word each begins with a letter, as no version does.
    return text ? text.split(/,(?=\s*[A-Za-z])/) : [];
  });
  return named.flatMap((one) => pypiPackage({ words: [one.trim()], at: 0, lead: '', isOfFlag: true }) ?? []);
}

/** The words before the program of `uv run`, whose own may be `--with` as well. */
function ownWords(words: readonly string[], from: number): readonly string[] {
  let at = from;
  while (words[at]?.startsWith('-') === true && words[at] !== '--') {
    const word = words[at] ?? '';
    at += word.includes('=') || UV_SWITCHES.test(word) ? 1 : 2;
  }
  return words.slice(0, at);
}

/** What is not rewritten. */
function fixed(words: readonly string[]): Pick<NamedPackage, 'digest' | 'bare' | 'pinned' | 'ofFile'> {
  return { digest: undefined, bare: () => words, pinned: () => words, ofFile: () => words };
}
