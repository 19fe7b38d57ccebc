import { compareStrings } from './bytes.ts';
import { CallError } from './errors.ts';
import { Stringer } from './values.ts';

const MAX_VERSION_LENGTH = 256;
const MAX_SEGMENT = (1n << 64n) - 1n;
const IDENTIFIER = /^[0-9A-Za-z-]+$/;
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
  readonly fields: VersionFields;
  /** Whether it is Go's pointer, as a parsed one is; a changed copy is the struct, which has fewer methods. */
  readonly isPointer: boolean;

  constructor(fields: VersionFields, isPointer = false) {
    super();
    this.fields = fields;
    this.isPointer = isPointer;
  }

  get typeName(): string {
    return this.isPointer ? '*semver.Version' : 'semver.Version';
  }

  get kindName(): string {
    return this.isPointer ? 'ptr' : 'struct';
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
    return new Version(
      {
        major: segment(major),
        minor: segment(minor.slice(1)),
        patch: segment(patch.slice(1)),
        prerelease,
        metadata,
        original: text,
      },
      true,
    );
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

  /** The version with one part raised and the lower ones reset. @throws CallError if the part is at its end */
  next(part: 'major' | 'minor' | 'patch'): Version {
    const { major, minor, patch, prerelease } = this.fields;
    const keepsPatch = part === 'patch' && prerelease !== '';
    if (!keepsPatch && this.fields[part] === MAX_SEGMENT) {
      throw new CallError(`${part} version increment would overflow uint64`);
    }
    const plain = { prerelease: '', metadata: '' };
    if (part === 'major') return this.changed({ ...plain, major: major + 1n, minor: 0n, patch: 0n });
    if (part === 'minor') return this.changed({ ...plain, major, minor: minor + 1n, patch: 0n });
    return this.changed({ ...plain, major, minor, patch: keepsPatch ? patch : patch + 1n });
  }

  private changed(fields: Omit<VersionFields, 'original'>): Version {
    const text = new Version({ ...fields, original: '' }).text();
    return new Version({ ...fields, original: (this.fields.original.startsWith('v') ? 'v' : '') + text });
  }

  /** The version with another prerelease. @throws CallError with the library's text */
  withPrerelease(prerelease: string): Version {
    for (const part of prerelease === '' ? [] : prerelease.split('.')) {
      if (!IDENTIFIER.test(part)) throw new CallError('invalid prerelease string');
      if (/^0\d+$/.test(part)) throw new CallError('version segment starts with 0');
    }
    return this.changed({ ...this.fields, prerelease });
  }

  /** The version with other metadata. @throws CallError with the library's text */
  withMetadata(metadata: string): Version {
    const parts = metadata === '' ? [] : metadata.split('.');
    if (parts.some((part) => !IDENTIFIER.test(part))) throw new CallError('invalid metadata string');
    return this.changed({ ...this.fields, metadata });
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
