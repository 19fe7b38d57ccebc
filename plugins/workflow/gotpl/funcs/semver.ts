import { RE2JS } from 're2js';
import { CallError } from '../errors.ts';
import { quote } from '../quote.ts';
import { func } from '../signature.ts';
import type { FuncTable } from '../signature.ts';
import { comparePrerelease, Version } from '../version.ts';

export const SEMVER: FuncTable = {
  semver: func(['string'], (_env, text) => Version.parse(text)),
  semverCompare: func(['string', 'string'], (_env, constraint, version) => {
    const groups = parseConstraints(constraint);
    const parsed = Version.parse(version);
    return groups.some((group) => matchesGroup(group, parsed));
  }),
};

interface Constraint {
  readonly operator: string;
  readonly version: Version;
  /** A part is a wildcard or missing: any part, the minor, or the patch part. */
  readonly isDirty: boolean;
  readonly isMinorDirty: boolean;
  readonly isPatchDirty: boolean;
}

const MAX_LENGTH = 512;
const MAX_GROUPS = 32;

// Constraints are untrusted and the grammar is ambiguous about spaces, so a linear-time engine matches them.
const VERSION = String.raw`v?([0-9|x|X|\*]+)(\.[0-9|x|X|\*]+)?(\.[0-9|x|X|\*]+)?(-([0-9A-Za-z\-]+(\.[0-9A-Za-z\-]+)*))?(\+([0-9A-Za-z\-]+(\.[0-9A-Za-z\-]+)*))?`;
const OPERATORS = String.raw`=||!=|>|<|>=|=>|<=|=<|~|~>|\^`;
const one = onceUsed(`^\\s*(${OPERATORS})\\s*(${VERSION})\\s*$`);
const range = onceUsed(`\\s*(${VERSION})\\s+-\\s+(${VERSION})\\s*`);
const each = onceUsed(`(${OPERATORS})\\s*(${VERSION})`);
const all = onceUsed(
  `^(\\s*(${OPERATORS})\\s*(${VERSION})\\s*)((?:\\s+|,\\s*)(${OPERATORS})\\s*(${VERSION})\\s*)*$`,
);

/** Compiled on first use: together they take 40 ms, and few templates need them. */
function onceUsed(pattern: string): () => RE2JS {
  let compiled: RE2JS | undefined;
  return () => (compiled ??= RE2JS.compile(pattern));
}

function parseConstraints(text: string): Constraint[][] {
  if (text.length > MAX_LENGTH)
    throw new CallError(`constraint string is too long (max ${MAX_LENGTH} bytes)`);
  const groups = rewriteRanges(text).split('||');
  if (groups.length > MAX_GROUPS) throw new CallError(`too many constraint groups (max ${MAX_GROUPS})`);
  return groups.map(parseGroup);
}

function parseGroup(text: string): Constraint[] {
  if (!all().matcher(text).find()) throw improper(text);
  const constraints: Constraint[] = [];
  const matcher = each().matcher(text);
  while (matcher.find()) constraints.push(parseOne(matcher.group(0) ?? ''));
  return constraints;
}

function improper(text: string): CallError {
  return new CallError(`improper constraint: ${quote(text)}`);
}

// `1.2 - 1.4.5` is short for `>= 1.2, <= 1.4.5`.
function rewriteRanges(text: string): string {
  let result = text;
  const matcher = range().matcher(text);
  while (matcher.find()) {
    const [whole, low, high] = [matcher.group(0), matcher.group(1), matcher.group(11)];
    result = result.replace(whole ?? '', () => `>= ${low ?? ''}, <= ${high ?? ''} `);
  }
  return result;
}

function parseOne(text: string): Constraint {
  const matcher = one().matcher(text);
  if (!matcher.find()) throw improper(text);
  const group = (number: number): string => matcher.group(number) ?? '';
  const isWild = (part: string): boolean => ['', 'x', 'X', '*'].includes(part);
  const [major, minor, patch, prerelease] = [group(3), group(4), group(5), group(6)];
  const operator = group(1);
  const base = { operator, isMinorDirty: false, isPatchDirty: false, isDirty: true };
  if (isWild(major)) return { ...base, version: versionOf(`0.0.0${prerelease}`) };
  if (isWild(minor.slice(1)))
    return { ...base, isMinorDirty: true, version: versionOf(`${major}.0.0${prerelease}`) };
  if (isWild(patch.slice(1))) {
    return { ...base, isPatchDirty: true, version: versionOf(`${major}${minor}.0${prerelease}`) };
  }
  return { ...base, isDirty: false, version: versionOf(group(2)) };
}

function versionOf(text: string): Version {
  try {
    return Version.parse(text);
  } catch (cause) {
    if (cause instanceof CallError) throw new CallError('constraint parser error');
    throw cause;
  }
}

// A prerelease matches only if some constraint beside it names one.
function matchesGroup(group: readonly Constraint[], version: Version): boolean {
  const allowsPrerelease = group.some((constraint) => constraint.version.fields.prerelease !== '');
  if (version.fields.prerelease !== '' && !allowsPrerelease) return false;
  return group.every((constraint) => matches(constraint, version));
}

function matches(constraint: Constraint, version: Version): boolean {
  const order = version.compare(constraint.version);
  switch (constraint.operator) {
    case '!=':
      return isNotEqual(constraint, version);
    case '>':
      return isGreater(constraint, version);
    case '<':
      return order < 0;
    case '>=':
    case '=>':
      return order >= 0;
    case '<=':
    case '=<':
      return isLessOrEqual(constraint, version);
    case '~':
    case '~>':
      return matchesTilde(constraint, version);
    case '^':
      return matchesCaret(constraint, version);
    default:
      return constraint.isDirty ? matchesTilde(constraint, version) : order === 0;
  }
}

function isNotEqual(constraint: Constraint, version: Version): boolean {
  const want = constraint.version.fields;
  const have = version.fields;
  if (!constraint.isDirty) return version.compare(constraint.version) !== 0;
  if (want.major !== have.major) return true;
  if (constraint.isMinorDirty) return false;
  if (want.minor !== have.minor) return true;
  if (!constraint.isPatchDirty) return version.compare(constraint.version) !== 0;
  return comparePrerelease(have.prerelease, want.prerelease) !== 0;
}

function isGreater(constraint: Constraint, version: Version): boolean {
  const want = constraint.version.fields;
  const have = version.fields;
  if (!constraint.isDirty) return version.compare(constraint.version) > 0;
  if (have.major !== want.major) return have.major > want.major;
  if (constraint.isMinorDirty) return false;
  return constraint.isPatchDirty ? have.minor > want.minor : version.compare(constraint.version) > 0;
}

function isLessOrEqual(constraint: Constraint, version: Version): boolean {
  const want = constraint.version.fields;
  const have = version.fields;
  if (!constraint.isDirty) return version.compare(constraint.version) <= 0;
  if (have.major > want.major) return false;
  return !(have.major === want.major && have.minor > want.minor && !constraint.isMinorDirty);
}

function matchesTilde(constraint: Constraint, version: Version): boolean {
  const want = constraint.version.fields;
  const have = version.fields;
  if (version.compare(constraint.version) < 0) return false;
  const isZero = want.major === 0n && want.minor === 0n && want.patch === 0n;
  if (isZero && !constraint.isMinorDirty && !constraint.isPatchDirty) return true;
  return have.major === want.major && (have.minor === want.minor || constraint.isMinorDirty);
}

function matchesCaret(constraint: Constraint, version: Version): boolean {
  const want = constraint.version.fields;
  const have = version.fields;
  if (version.compare(constraint.version) < 0) return false;
  if (want.major > 0n || constraint.isMinorDirty) return have.major === want.major;
  if (have.major > 0n) return false;
  if (want.minor > 0n || constraint.isPatchDirty) return have.minor === want.minor;
  return have.minor === 0n && have.patch === want.patch;
}
