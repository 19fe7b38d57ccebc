import { daysFromCivil } from './calendar.ts';
import { timeQuote } from './duration.ts';
import { CallError } from './errors.ts';
import { GoTime } from './goTime.ts';
import { fixedZone, UTC } from './zones.ts';
import type { Zone } from './zones.ts';

/** The fields parsed by a layout; undefined if the layout does not contain the field. */
export interface TimeFields {
  year: number;
  month: number | undefined;
  day: number | undefined;
  yearDay: number | undefined;
  hour: number;
  minute: number;
  second: number;
  nanos: number;
  half: 'am' | 'pm' | undefined;
  isUtc: boolean;
  offset: number | undefined;
  zoneName: string;
}

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

function daysIn(month: number, year: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** Builds a time from parsed fields. @throws CallError if the date does not exist */
export function buildTime(fields: TimeFields, value: string, local: Zone): GoTime {
  const fail = (reason: string): never => {
    throw new CallError(`parsing time ${timeQuote(value)}: ${reason}`);
  };
  let { month, day } = fields;
  if (fields.yearDay !== undefined) {
    if (fields.yearDay < 1 || fields.yearDay > (isLeap(fields.year) ? 366 : 365))
      fail('day-of-year out of range');
    const found = dayOfYear(fields.year, fields.yearDay);
    if (month !== undefined && month !== found.month) fail('day-of-year does not match month');
    if (day !== undefined && day !== found.day) fail('day-of-year does not match day');
    ({ month, day } = found);
  }
  month ??= 1;
  day ??= 1;
  if (day < 1 || day > daysIn(month, fields.year)) fail('day out of range');
  const days = daysFromCivil(fields.year, month, day);
  return inZone(days * 86_400 + clockSeconds(fields), fields, local);
}

function dayOfYear(year: number, yearDay: number): { month: number; day: number } {
  let month = 1;
  let day = yearDay;
  while (day > daysIn(month, year)) day -= daysIn(month++, year);
  return { month, day };
}

function clockSeconds({ hour, minute, second, half }: TimeFields): number {
  let hours = hour;
  if (half === 'pm' && hour < 12) hours += 12;
  if (half === 'am' && hour === 12) hours = 0;
  return hours * 3600 + minute * 60 + second;
}

function inZone(wall: number, fields: TimeFields, local: Zone): GoTime {
  const { nanos, offset, zoneName } = fields;
  if (fields.isUtc) return new GoTime(wall, nanos, UTC);
  if (offset !== undefined) {
    const rule = local.at(wall - offset);
    const isLocal = rule.offset === offset && (zoneName === '' || rule.abbreviation === zoneName);
    return new GoTime(wall - offset, nanos, isLocal ? local : fixedZone(zoneName, offset));
  }
  const guess = toUtc(wall, local);
  if (zoneName === '' || local.at(guess).abbreviation === zoneName) return new GoTime(guess, nanos, local);
  const hours = zoneName.startsWith('GMT') ? Number(zoneName.slice(3)) : 0;
  return new GoTime(wall - hours * 3600, nanos, fixedZone(zoneName, hours * 3600));
}

// The offset depends on the UTC time being computed, so the first result is only an estimate.
function toUtc(wall: number, zone: Zone): number {
  const first = wall - zone.at(wall).offset;
  return wall - zone.at(first).offset;
}
