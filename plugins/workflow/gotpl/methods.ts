import { durationMethods } from './durationMethods.ts';
import { GoTime, Location } from './goTime.ts';
import { func } from './signature.ts';
import type { FuncTable, GoFunc } from './signature.ts';
import { timeMethods } from './timeMethods.ts';
import { NamedInt, Stringer } from './values.ts';
import { Version } from './version.ts';
import { versionMethods } from './versionMethods.ts';

/** A method of a time, a location, a version or a named integer; plain data has none. */
export function findMethod(value: unknown, name: string): GoFunc | undefined {
  if (!(value instanceof Stringer)) return undefined;
  const table = methodsOf(value);
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

const PRIVATE_OF_VERSION: readonly string[] = ['major', 'minor', 'patch', 'pre', 'metadata', 'original'];
const PRIVATE_OF_LOCATION: readonly string[] = [
  'name',
  'zone',
  'tx',
  'extend',
  'cacheStart',
  'cacheEnd',
  'cacheZone',
];

/** Whether Go's struct of a time, location or version has this unexported field, which templates may not read. */
export function isPrivateField(value: unknown, name: string): boolean {
  if (value instanceof GoTime) return ['wall', 'ext', 'loc'].includes(name);
  if (value instanceof Location) return PRIVATE_OF_LOCATION.includes(name);
  return value instanceof Version && PRIVATE_OF_VERSION.includes(name);
}

function methodsOf(value: Stringer): FuncTable {
  if (value instanceof GoTime) return timeMethods(value);
  if (value instanceof Version) return versionMethods(value);
  if (value instanceof NamedInt && value.typeName === 'time.Duration') return durationMethods(value);
  return { String: func([], () => value.text()) };
}
