import { CallError } from './errors.ts';
import { toBytes } from './bytes.ts';

const UNITS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['µs', 1_000n],
  ['μs', 1_000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);

/** Quotes as the time package does: every byte that is not printable ASCII is escaped. */
export function timeQuote(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return `"${text.replace(/["\\]/g, '\\$&')}"`;
  let out = '"';
  for (const byte of toBytes(text)) {
    const char = String.fromCharCode(byte);
    if (byte < 0x20 || byte >= 0x7f) out += `\\x${byte.toString(16).padStart(2, '0')}`;
    else out += char === '"' || char === '\\' ? `\\${char}` : char;
  }
  return `${out}"`;
}

const PART = /^(\d*)(?:(\.)(\d*))?([^\d.]*)/;

/** Go's time.ParseDuration, in nanoseconds. @throws CallError with Go's text */
export function parseDuration(text: string): bigint {
  const invalid = (reason: string): CallError => new CallError(`time: ${reason} ${timeQuote(text)}`);
  const isNegative = text.startsWith('-');
  let rest = text.replace(/^[+-]/, '');
  if (rest === '0') return 0n;
  if (rest === '') throw invalid('invalid duration');
  let total = 0n;
  while (rest !== '') {
    const [part = '', whole = '', , fraction = '', unit = ''] = PART.exec(rest) ?? [];
    if ((whole === '' && fraction === '') || whole.length > 19) throw invalid('invalid duration');
    if (unit === '') throw invalid('missing unit in duration');
    const size = UNITS.get(unit);
    if (size === undefined) throw invalid(`unknown unit ${timeQuote(unit)} in duration`);
    total += BigInt(whole) * size + fractionOf(fraction, size);
    if (total > 1n << 63n) throw invalid('invalid duration');
    rest = rest.slice(part.length);
  }
  if (!isNegative && total > (1n << 63n) - 1n) throw invalid('invalid duration');
  return isNegative ? -total : total;
}

function fractionOf(digits: string, unit: bigint): bigint {
  if (digits === '') return 0n;
  const used = digits.slice(0, 18);
  return BigInt(Math.trunc(Number(used) * (Number(unit) / 10 ** used.length)));
}

/** Go's Duration.String of nanoseconds: `1h2m3.5s`. */
export function formatDuration(nanos: bigint): string {
  if (nanos === 0n) return '0s';
  const sign = nanos < 0n ? '-' : '';
  const magnitude = nanos < 0n ? -nanos : nanos;
  if (magnitude < 1_000n) return `${sign}${magnitude}ns`;
  if (magnitude < 1_000_000n) return `${sign}${decimal(magnitude, 3)}µs`;
  if (magnitude < 1_000_000_000n) return `${sign}${decimal(magnitude, 6)}ms`;
  const minutes = magnitude / 60_000_000_000n;
  const seconds = `${decimal(magnitude % 60_000_000_000n, 9)}s`;
  if (minutes === 0n) return sign + seconds;
  if (minutes < 60n) return `${sign}${minutes}m${seconds}`;
  return `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

function decimal(value: bigint, places: number): string {
  const scale = 10n ** BigInt(places);
  const fraction = (value % scale)
    .toString()
    .padStart(places, '0')
    .replace(/(?<!0)0+$/, '');
  return fraction === '' ? `${value / scale}` : `${value / scale}.${fraction}`;
}
