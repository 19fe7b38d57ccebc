import { byteList } from './byteList.ts';
import { daysFromCivil, MONTHS, WEEKDAYS } from './calendar.ts';
import { duration } from './durationMethods.ts';
import type { Env } from './env.ts';
import { CallError } from './errors.ts';
import { GoTime, Location, ZERO_TIME_SECONDS } from './goTime.ts';
import { func } from './signature.ts';
import type { FuncTable, GoFunc } from './signature.ts';
import { formatTime } from './timeFormat.ts';
import { int, int64, NamedInt } from './values.ts';
import type { NamedType, TypedList } from './values.ts';
import { UTC } from './zones.ts';

const MONTH: NamedType = {
  typeName: 'time.Month',
  kindName: 'int',
  print: (value) => MONTHS[Number(value) - 1] ?? `%!Month(${value})`,
};
const WEEKDAY: NamedType = {
  typeName: 'time.Weekday',
  kindName: 'int',
  print: (value) => WEEKDAYS[Number(value)] ?? `%!Weekday(${value})`,
};

const noArgs = (run: (env: Env) => unknown): GoFunc => func([], run);

export function timeMethods(self: GoTime): FuncTable {
  return { ...partsOf(self), ...MANY_RESULTS, ...changesOf(self), ...comparisonsOf(self), ...textsOf(self) };
}

const partsOf = (self: GoTime): FuncTable => ({
  Year: noArgs(() => int(self.civil().year)),
  Month: noArgs(() => new NamedInt(MONTH, BigInt(self.civil().month))),
  Day: noArgs(() => int(self.civil().day)),
  Hour: noArgs(() => int(self.civil().hour)),
  Minute: noArgs(() => int(self.civil().minute)),
  Second: noArgs(() => int(self.civil().second)),
  Nanosecond: noArgs(() => int(self.nanos)),
  YearDay: noArgs(() => int(self.civil().yearDay)),
  Weekday: noArgs(() => new NamedInt(WEEKDAY, BigInt(self.civil().weekday))),
  Unix: noArgs(() => int64(BigInt(self.seconds))),
  UnixMilli: noArgs(() => int64(floorDivide(nanosOf(self), 1_000_000n))),
  UnixMicro: noArgs(() => int64(floorDivide(nanosOf(self), 1_000n))),
  UnixNano: noArgs(() => int64(nanosOf(self))),
  IsZero: noArgs(() => self.seconds === ZERO_TIME_SECONDS && self.nanos === 0),
  IsDST: noArgs(() => isSummerTime(self)),
  Location: noArgs(() => new Location(self.zone)),
});

// Go's methods with several results, which no template may call.
const MANY_RESULTS: FuncTable = {
  Clock: refused('function Clock has 3 return values; should be 1 or 2'),
  Date: refused('function Date has 3 return values; should be 1 or 2'),
  ISOWeek: refused('invalid function signature for ISOWeek: second return value should be error; is int'),
  Zone: refused('invalid function signature for Zone: second return value should be error; is int'),
  ZoneBounds: refused(
    'invalid function signature for ZoneBounds: second return value should be error; is time.Time',
  ),
};

const changesOf = (self: GoTime): FuncTable => ({
  UTC: noArgs(() => self.in(UTC)),
  Local: noArgs((env) => self.in(env.local())),
  In: func(['location'], (_env, location) => {
    if (location) return self.in(location.zone);
    throw new CallError('time: missing Location in call to Time.In');
  }),
  Add: func(['duration'], (_env, nanos) => self.addNanos(nanos)),
  AddDate: func(['int', 'int', 'int'], (_env, years, months, days) => addDate(self, [years, months, days])),
  Round: func(['duration'], (_env, unit) => rounded(self, unit)),
  Truncate: func(['duration'], (_env, unit) => (unit <= 0n ? self : self.addNanos(-self.nanosPast(unit)))),
});

const comparisonsOf = (self: GoTime): FuncTable => ({
  After: func(['time'], (_env, other) => self.nanosSince(other) > 0n),
  Before: func(['time'], (_env, other) => self.nanosSince(other) < 0n),
  Equal: func(['time'], (_env, other) => self.equals(other)),
  Compare: func(['time'], (_env, other) => int(signOf(self.nanosSince(other)))),
  Sub: func(['time'], (_env, other) => duration(self.nanosSince(other))),
});

const textsOf = (self: GoTime): FuncTable => ({
  String: noArgs(() => self.text()),
  GoString: noArgs(() => self.goText()),
  Format: func(['string'], (_env, layout) => formatTime(self.civil(), layout)),
  MarshalText: noArgs((env) => marshal(self, 'MarshalText', env)),
  MarshalJSON: noArgs((env) => marshal(self, 'MarshalJSON', env)),
});

function refused(refusal: string): GoFunc {
  return { params: [], rest: undefined, run: () => undefined, refusal };
}

function nanosOf(time: GoTime): bigint {
  return BigInt(time.seconds) * 1_000_000_000n + BigInt(time.nanos);
}

function floorDivide(value: bigint, unit: bigint): bigint {
  return (value - (((value % unit) + unit) % unit)) / unit;
}

function signOf(value: bigint): number {
  return value > 0n ? 1 : value < 0n ? -1 : 0;
}

// Intl does not say it: the clock is then ahead of what it shows in January or July.
function isSummerTime(time: GoTime): boolean {
  if (time.zone === UTC) return false;
  const { year, offset } = time.civil();
  const offsets = [1, 7].map((month) => time.zone.at(daysFromCivil(year, month, 1) * 86_400).offset);
  return offset > Math.min(...offsets);
}

function rounded(time: GoTime, unit: bigint): GoTime {
  if (unit <= 0n) return time;
  const past = time.nanosPast(unit);
  return time.addNanos(past * 2n < unit ? -past : unit - past);
}

function marshal(time: GoTime, method: string, env: Env): TypedList {
  const { year, offset } = time.civil();
  const fail = (reason: string): never => {
    throw new CallError(`Time.${method}: ${reason}`);
  };
  if (year < 0 || year > 9999) fail('year outside of range [0,9999]');
  if (Math.abs(offset) >= 86_400) fail('timezone hour outside of range [0,23]');
  const text = time.rfc3339();
  return byteList(method === 'MarshalJSON' ? `"${text}"` : text, env);
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
