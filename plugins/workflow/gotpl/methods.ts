import { daysFromCivil, MONTHS, WEEKDAYS } from './calendar.ts';
import { formatDuration } from './duration.ts';
import { GoTime, NamedInt, ZERO_TIME_SECONDS } from './goTime.ts';
import { func } from './signature.ts';
import type { FuncTable, GoFunc } from './signature.ts';
import { formatTime } from './timeFormat.ts';
import { int, Int, int64, Stringer } from './values.ts';
import { Version } from './version.ts';
import { UTC } from './zones.ts';

type Methods<T> = (self: T) => FuncTable;

const noArgs = (run: () => unknown): GoFunc => func([], run);

const timeMethods: Methods<GoTime> = (self) => ({
  Year: noArgs(() => int(self.civil().year)),
  Month: noArgs(() => month(self.civil().month)),
  Day: noArgs(() => int(self.civil().day)),
  Hour: noArgs(() => int(self.civil().hour)),
  Minute: noArgs(() => int(self.civil().minute)),
  Second: noArgs(() => int(self.civil().second)),
  Nanosecond: noArgs(() => int(self.nanos)),
  YearDay: noArgs(() => int(self.civil().yearDay)),
  Weekday: noArgs(() => weekday(self.civil().weekday)),
  Unix: noArgs(() => int64(BigInt(self.seconds))),
  UnixMilli: noArgs(() => int64(nanosOf(self) / 1_000_000n)),
  UnixMicro: noArgs(() => int64(nanosOf(self) / 1_000n)),
  UnixNano: noArgs(() => int64(nanosOf(self))),
  IsZero: noArgs(() => self.seconds === ZERO_TIME_SECONDS && self.nanos === 0),
  UTC: noArgs(() => self.in(UTC)),
  String: noArgs(() => self.text()),
  GoString: noArgs(() => self.goText()),
  Format: func(['string'], (_env, layout) => formatTime(self.civil(), layout)),
  AddDate: func(['int', 'int', 'int'], (_env, years, months, days) => addDate(self, [years, months, days])),
  After: func(['time'], (_env, other) => self.nanosSince(other) > 0n),
  Before: func(['time'], (_env, other) => self.nanosSince(other) < 0n),
  Equal: func(['time'], (_env, other) => self.equals(other)),
  Compare: func(['time'], (_env, other) => int(signOf(self.nanosSince(other)))),
  Sub: func(['time'], (_env, other) => durationValue(self.nanosSince(other))),
});

const versionMethods: Methods<Version> = (self) => ({
  Major: noArgs(() => new Int('uint64', self.fields.major)),
  Minor: noArgs(() => new Int('uint64', self.fields.minor)),
  Patch: noArgs(() => new Int('uint64', self.fields.patch)),
  Prerelease: noArgs(() => self.fields.prerelease),
  Metadata: noArgs(() => self.fields.metadata),
  Original: noArgs(() => self.fields.original),
  String: noArgs(() => self.text()),
  IncMajor: noArgs(() => self.next('major')),
  IncMinor: noArgs(() => self.next('minor')),
  IncPatch: noArgs(() => self.next('patch')),
  Compare: func(['version'], (_env, other) => int(self.compare(other))),
  Equal: func(['version'], (_env, other) => self.compare(other) === 0),
  LessThan: func(['version'], (_env, other) => self.compare(other) < 0),
  LessThanEqual: func(['version'], (_env, other) => self.compare(other) <= 0),
  GreaterThan: func(['version'], (_env, other) => self.compare(other) > 0),
  GreaterThanEqual: func(['version'], (_env, other) => self.compare(other) >= 0),
});

/** A method of a time, a version or a named integer; plain data has none. */
export function findMethod(value: unknown, name: string): GoFunc | undefined {
  if (!(value instanceof Stringer)) return undefined;
  const table = methodsOf(value);
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** Whether Go's struct of a time or version has this unexported field, which templates may not read. */
export function isPrivateField(value: unknown, name: string): boolean {
  if (value instanceof GoTime) return ['wall', 'ext', 'loc'].includes(name);
  return (
    value instanceof Version && ['major', 'minor', 'patch', 'pre', 'metadata', 'original'].includes(name)
  );
}

function methodsOf(value: Stringer): FuncTable {
  if (value instanceof GoTime) return timeMethods(value);
  if (value instanceof Version) return versionMethods(value);
  return { String: noArgs(() => value.text()) };
}

function nanosOf(time: GoTime): bigint {
  return BigInt(time.seconds) * 1_000_000_000n + BigInt(time.nanos);
}

function signOf(value: bigint): number {
  return value > 0n ? 1 : value < 0n ? -1 : 0;
}

function month(number: number): NamedInt {
  return new NamedInt({ typeName: 'time.Month', kindName: 'int' }, BigInt(number), MONTHS[number - 1] ?? '');
}

function weekday(number: number): NamedInt {
  return new NamedInt({ typeName: 'time.Weekday', kindName: 'int' }, BigInt(number), WEEKDAYS[number] ?? '');
}

function durationValue(nanos: bigint): NamedInt {
  return new NamedInt({ typeName: 'time.Duration', kindName: 'int64' }, nanos, formatDuration(nanos));
}

function addDate(time: GoTime, [years, months, days]: readonly [number, number, number]): GoTime {
  const { year, month: current, day, offset } = time.civil();
  const monthIndex = current - 1 + months;
  const base = daysFromCivil(
    year + years + Math.floor(monthIndex / 12),
    (((monthIndex % 12) + 12) % 12) + 1,
    1,
  );
  const clock = (((time.seconds + offset) % 86_400) + 86_400) % 86_400;
  const wall = (base + day - 1 + days) * 86_400 + clock;
  return new GoTime(wall - time.zone.at(wall - offset).offset, time.nanos, time.zone);
}
