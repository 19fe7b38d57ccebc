import { formatDuration } from './duration.ts';
import { func } from './signature.ts';
import type { FuncTable } from './signature.ts';
import { float, int64, NamedInt } from './values.ts';
import type { NamedType } from './values.ts';

const MAX = (1n << 63n) - 1n;
const MIN = -(1n << 63n);
const MICROSECOND = 1_000n;
const MILLISECOND = 1_000_000n;
const SECOND = 1_000_000_000n;
const MINUTE = 60n * SECOND;
const HOUR = 60n * MINUTE;

const DURATION: NamedType = { typeName: 'time.Duration', kindName: 'int64', print: formatDuration };

/** A time.Duration; a span that 64 bits do not hold becomes the longest one. */
export function duration(nanos: bigint): NamedInt {
  return new NamedInt(DURATION, nanos > MAX ? MAX : nanos < MIN ? MIN : nanos);
}

export function durationMethods({ value }: NamedInt): FuncTable {
  return {
    Hours: func([], () => float(inUnits(value, HOUR))),
    Minutes: func([], () => float(inUnits(value, MINUTE))),
    Seconds: func([], () => float(inUnits(value, SECOND))),
    Milliseconds: func([], () => int64(value / MILLISECOND)),
    Microseconds: func([], () => int64(value / MICROSECOND)),
    Nanoseconds: func([], () => int64(value)),
    Abs: func([], () => duration(value < 0n ? -value : value)),
    Round: func(['duration'], (_env, unit) => duration(rounded(value, unit))),
    Truncate: func(['duration'], (_env, unit) => duration(unit <= 0n ? value : value - (value % unit))),
    String: func([], () => formatDuration(value)),
  };
}

// Go adds the whole units and the rest as floats, so the last digits depend on it.
function inUnits(nanos: bigint, unit: bigint): number {
  return Number(nanos / unit) + Number(nanos % unit) / Number(unit);
}

function rounded(nanos: bigint, unit: bigint): bigint {
  if (unit <= 0n) return nanos;
  const magnitude = nanos < 0n ? -nanos : nanos;
  const rest = magnitude % unit;
  const result = rest * 2n < unit ? magnitude - rest : magnitude - rest + unit;
  return nanos < 0n ? -result : result;
}
