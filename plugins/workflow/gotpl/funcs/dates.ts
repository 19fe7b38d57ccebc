import { formatDuration, parseDuration } from '../duration.ts';
import type { Env } from '../env.ts';
import { CallError } from '../errors.ts';
import { GoTime, zeroTime } from '../goTime.ts';
import { parseIntText } from '../numbers.ts';
import { func } from '../signature.ts';
import type { FuncTable } from '../signature.ts';
import { formatTime } from '../timeFormat.ts';
import { parseTime } from '../timeParse.ts';
import { Int, isFlexible } from '../values.ts';
import { loadZone, UTC } from '../zones.ts';
import type { Zone } from '../zones.ts';

const HTML_DATE = '2006-01-02';
const SECOND = 1_000_000_000n;

const dateInZone = func(['string', 'any', 'string'], (env, layout, value, zone) =>
  format(env, layout, value, zone),
);
const dateModify = func(['string', 'time'], (_env, text, time) => orElse(() => modify(text, time), time));
const mustDateModify = func(['string', 'time'], (_env, text, time) => modify(text, time));

export const DATES: FuncTable = {
  now: func([], (env) => now(env)),
  ago: func(['any'], (env, value) => ago(env, value)),
  date: func(['string', 'any'], (env, layout, value) => format(env, layout, value, 'Local')),
  dateInZone,
  date_in_zone: dateInZone,
  htmlDate: func(['any'], (env, value) => format(env, HTML_DATE, value, 'Local')),
  htmlDateInZone: func(['any', 'string'], (env, value, zone) => format(env, HTML_DATE, value, zone)),
  dateModify,
  date_modify: dateModify,
  mustDateModify,
  must_date_modify: mustDateModify,
  duration: func(['any'], (env, value) => formatDuration(BigInt.asIntN(64, seconds(env, value) * SECOND))),
  durationRound: func(['any'], (env, value) => roundDuration(nanos(env, value))),
  toDate: func(['string', 'string'], (env, layout, text) =>
    orElse(() => parseTime(layout, text, local(env)), zeroTime()),
  ),
  mustToDate: func(['string', 'string'], (env, layout, text) => parseTime(layout, text, local(env))),
  unixEpoch: func(['time'], (_env, time) => String(time.seconds)),
};

function orElse(compute: () => GoTime, fallback: GoTime): GoTime {
  try {
    return compute();
  } catch (cause) {
    if (cause instanceof CallError) return fallback;
    throw cause;
  }
}

function modify(text: string, time: GoTime): GoTime {
  return time.addNanos(parseDuration(text));
}

function local(env: Env): Zone {
  return env.local();
}

function now(env: Env): GoTime {
  return GoTime.fromDate(env.now(), local(env));
}

// A value that is not a time, int or int64 is treated as now.
function toTime(env: Env, value: unknown): GoTime {
  if (value instanceof GoTime) return value;
  if (value instanceof Int && (value.typeName === 'int' || value.typeName === 'int64')) {
    return new GoTime(Number(value.value), 0, local(env));
  }
  if (isFlexible(value, env.lenient)) return new GoTime(value, 0, local(env));
  return now(env);
}

function format(env: Env, layout: string, value: unknown, zone: string): string {
  env.checkString(layout.length * 4);
  const shown = zone === 'Local' ? local(env) : (loadZone(zone) ?? UTC);
  const time = toTime(env, value).in(shown);
  return formatTime(time.civil(), layout);
}

function ago(env: Env, value: unknown): string {
  const passed = now(env).nanosSince(toTime(env, value));
  const half = passed < 0n ? -SECOND / 2n : SECOND / 2n;
  return formatDuration(((passed + half) / SECOND) * SECOND);
}

function seconds(env: Env, value: unknown): bigint {
  if (typeof value === 'string') return parseIntText(value, 10, 64) ?? 0n;
  if (value instanceof Int && value.typeName === 'int64') return value.value;
  return isFlexible(value, env.lenient) ? BigInt(value) : 0n;
}

function nanos(env: Env, value: unknown): bigint {
  if (typeof value === 'string') return parseOrZero(value);
  if (value instanceof Int && value.typeName === 'int64') return value.value;
  if (value instanceof GoTime) return now(env).nanosSince(value);
  return isFlexible(value, env.lenient) ? BigInt(value) : 0n;
}

function parseOrZero(text: string): bigint {
  try {
    return parseDuration(text);
  } catch (cause) {
    if (cause instanceof CallError) return 0n;
    throw cause;
  }
}

const HOUR = 3600n * SECOND;
const UNITS: readonly (readonly [size: bigint, name: string])[] = [
  [HOUR * 24n * 365n, 'y'],
  [HOUR * 24n * 30n, 'mo'],
  [HOUR * 24n, 'd'],
  [HOUR, 'h'],
  [60n * SECOND, 'm'],
  [SECOND, 's'],
];

function roundDuration(duration: bigint): string {
  const magnitude = duration < 0n ? -duration : duration;
  const unit = UNITS.find(([size]) => magnitude > size);
  return unit ? `${magnitude / unit[0]}${unit[1]}` : '0s';
}
