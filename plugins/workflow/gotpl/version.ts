import { compareStrings } from './bytes.ts';
import { CallError } from './errors.ts';
import { Stringer } from './values.ts';

const MAX_VERSION_LENGTH = 256;
const LOOSE =
  /^v?(\d+)(\.\d+)?(\.\d+)?(-([0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*))?(\+([0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*))?$/;

interface VersionFields {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  readonly prerelease: string;
  readonly metadata: string;
  readonly original: string;
}

/** A semantic version, as Masterminds/semver reads it. */
export class Version extends Stringer {
  readonly typeName = '*semver.Version';
  readonly kindName = 'ptr';
  readonly fields: VersionFields;

  constructor(fields: VersionFields) {
    super();
    this.fields = fields;
  }

  /** @throws CallError with the library's text */
  static parse(text: string): Version {
    if (text.length > MAX_VERSION_LENGTH) {
      throw new CallError(`version string is too long (max ${MAX_VERSION_LENGTH} bytes)`);
    }
    const match = LOOSE.exec(text);
    if (!match) throw new CallError('invalid semantic version');
    const [, major = '0', minor = '.0', patch = '.0', , prerelease = '', , , metadata = ''] = match;
    for (const part of prerelease === '' ? [] : prerelease.split('.')) {
      if (/^0\d+$/.test(part)) throw new CallError('version segment starts with 0');
    }
    return new Version({
      major: segment(major),
      minor: segment(minor.slice(1)),
      patch: segment(patch.slice(1)),
      prerelease,
      metadata,
      original: text,
    });
  }

  text(): string {
    const { major, minor, patch, prerelease, metadata } = this.fields;
    const before = prerelease === '' ? '' : `-${prerelease}`;
    return `${major}.${minor}.${patch}${before}${metadata === '' ? '' : `+${metadata}`}`;
  }

  goText(): string {
    return this.text();
  }

  compare(other: Version): number {
    const a = this.fields;
    const b = other.fields;
    for (const key of ['major', 'minor', 'patch'] as const) {
      if (a[key] !== b[key]) return a[key] < b[key] ? -1 : 1;
    }
    return comparePrerelease(a.prerelease, b.prerelease);
  }

  /** The version with one part raised and the lower ones reset. */
  next(part: 'major' | 'minor' | 'patch'): Version {
    const { major, minor, patch, prerelease, original } = this.fields;
    const raisedPatch = prerelease === '' ? patch + 1n : patch;
    const numbers =
      part === 'major'
        ? { major: major + 1n, minor: 0n, patch: 0n }
        : { major, minor: part === 'minor' ? minor + 1n : minor, patch: part === 'minor' ? 0n : raisedPatch };
    const plain = new Version({ ...numbers, prerelease: '', metadata: '', original: '' });
    return new Version({ ...plain.fields, original: (original.startsWith('v') ? 'v' : '') + plain.text() });
  }
}

function segment(text: string): bigint {
  const value = BigInt(text);
  if (value < 1n << 64n) return value;
  throw new CallError(
    `error parsing version segment: strconv.ParseUint: parsing "${text}": value out of range`,
  );
}

/** Compares prereleases; a version without one is higher. */
export function comparePrerelease(a: string, b: string): number {
  if (a === b) return 0;
  if (a === '') return 1;
  if (b === '') return -1;
  const left = a.split('.');
  const right = b.split('.');
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const order = comparePart(left[i], right[i]);
    if (order !== 0) return order;
  }
  return 0;
}

// Numbers sort below words, and a missing part below every other.
function comparePart(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  if (a === undefined) return -1;
  if (b === undefined) return 1;
  const isNumber = /^\d+$/.test(a);
  if (isNumber !== /^\d+$/.test(b)) return isNumber ? -1 : 1;
  if (isNumber) return BigInt(a) === BigInt(b) ? 0 : BigInt(a) < BigInt(b) ? -1 : 1;
  return Math.sign(compareStrings(a, b));
}
