/** Offset from UTC in seconds and the zone's short name at a moment. */
interface ZoneRule {
  readonly offset: number;
  readonly abbreviation: string;
}

export interface Zone {
  readonly name: string;
  /** Set for the zone that Go calls Local, which differs from UTC even where its clock does not. */
  readonly isLocal?: true;
  at(seconds: number): ZoneRule;
}

export const UTC: Zone = { name: 'UTC', at: () => ({ offset: 0, abbreviation: 'UTC' }) };

const MAX_UNNAMED_HOURS = 14;
const MIN_UNNAMED_HOURS = -12;
// As in Go, two zones without a name are the same one if their offset is a whole hour.
const UNNAMED: readonly Zone[] = Array.from({ length: MAX_UNNAMED_HOURS - MIN_UNNAMED_HOURS + 1 }, (_, at) =>
  zoneOf('', (MIN_UNNAMED_HOURS + at) * 3600),
);

export function fixedZone(abbreviation: string, offset: number): Zone {
  const shared = abbreviation === '' ? UNNAMED[offset / 3600 - MIN_UNNAMED_HOURS] : undefined;
  return shared ?? zoneOf(abbreviation, offset);
}

function zoneOf(abbreviation: string, offset: number): Zone {
  const rule = { offset, abbreviation };
  return { name: abbreviation, at: () => rule };
}

/** The zone that Go calls Local, by its IANA name; UTC if that is unknown. */
export function localZone(name: string): Zone {
  return { ...(loadZone(name) ?? UTC), isLocal: true };
}

/** Finds a zone by its IANA name; undefined if it is unknown. */
export function loadZone(name: string): Zone | undefined {
  if (name === '' || name === 'UTC') return UTC;
  if (!/^[A-Za-z][\w+\-/]*$/.test(name)) return undefined;
  try {
    return namedZone(name);
  } catch (cause) {
    if (cause instanceof RangeError) return undefined;
    throw cause;
  }
}

const NUMERIC = { year: 'numeric', month: 'numeric', day: 'numeric' } as const;
const CLOCK = {
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
  hourCycle: 'h23',
  era: 'short',
} as const;

function namedZone(timeZone: string): Zone {
  const format = new Intl.DateTimeFormat('en-US', { ...NUMERIC, ...CLOCK, timeZone, timeZoneName: 'long' });
  return {
    name: timeZone,
    at: (seconds) => {
      const parts = new Map(format.formatToParts(seconds * 1000).map((part) => [part.type, part.value]));
      const offset = localSeconds(parts) - seconds;
      return { offset, abbreviation: abbreviate(parts.get('timeZoneName') ?? '', offset) };
    },
  };
}

function localSeconds(parts: ReadonlyMap<string, string>): number {
  const field = (name: string): number => Number(parts.get(name) ?? 0);
  const year = parts.get('era') === 'BC' ? 1 - field('year') : field('year');
  const date = new Date(0);
  date.setUTCFullYear(year, field('month') - 1, field('day'));
  date.setUTCHours(field('hour'), field('minute'), field('second'));
  return Math.floor(date.getTime() / 1000);
}

// Abbreviations of the tz database; zones without one show their offset, as in the database.
const ABBREVIATIONS: ReadonlyMap<string, string> = new Map([
  ['Coordinated Universal Time', 'UTC'],
  ['Greenwich Mean Time', 'GMT'],
  ['British Summer Time', 'BST'],
  ['Irish Standard Time', 'IST'],
  ['Central European Standard Time', 'CET'],
  ['Central European Summer Time', 'CEST'],
  ['Eastern European Standard Time', 'EET'],
  ['Eastern European Summer Time', 'EEST'],
  ['Western European Standard Time', 'WET'],
  ['Western European Summer Time', 'WEST'],
  ['Moscow Standard Time', 'MSK'],
  ['Eastern Standard Time', 'EST'],
  ['Eastern Daylight Time', 'EDT'],
  ['Central Standard Time', 'CST'],
  ['Central Daylight Time', 'CDT'],
  ['Mountain Standard Time', 'MST'],
  ['Mountain Daylight Time', 'MDT'],
  ['Pacific Standard Time', 'PST'],
  ['Pacific Daylight Time', 'PDT'],
  ['Alaska Standard Time', 'AKST'],
  ['Alaska Daylight Time', 'AKDT'],
  ['Hawaii-Aleutian Standard Time', 'HST'],
  ['Atlantic Standard Time', 'AST'],
  ['Atlantic Daylight Time', 'ADT'],
  ['Newfoundland Standard Time', 'NST'],
  ['Newfoundland Daylight Time', 'NDT'],
  ['Japan Standard Time', 'JST'],
  ['Korean Standard Time', 'KST'],
  ['China Standard Time', 'CST'],
  ['Hong Kong Standard Time', 'HKT'],
  ['India Standard Time', 'IST'],
  ['Pakistan Standard Time', 'PKT'],
  ['Israel Standard Time', 'IST'],
  ['Israel Daylight Time', 'IDT'],
  ['South Africa Standard Time', 'SAST'],
  ['East Africa Time', 'EAT'],
  ['West Africa Standard Time', 'WAT'],
  ['Central Africa Time', 'CAT'],
  ['Australian Eastern Standard Time', 'AEST'],
  ['Australian Eastern Daylight Time', 'AEDT'],
  ['Australian Central Standard Time', 'ACST'],
  ['Australian Central Daylight Time', 'ACDT'],
  ['Australian Western Standard Time', 'AWST'],
  ['New Zealand Standard Time', 'NZST'],
  ['New Zealand Daylight Time', 'NZDT'],
  ['Western Indonesia Time', 'WIB'],
  ['Philippine Standard Time', 'PST'],
]);

function abbreviate(longName: string, offset: number): string {
  const known = ABBREVIATIONS.get(longName);
  if (known !== undefined) return known;
  const minutes = Math.abs(Math.trunc(offset / 60));
  const hours = String(Math.floor(minutes / 60)).padStart(2, '0');
  const rest = minutes % 60 === 0 ? '' : String(minutes % 60).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${hours}${rest}`;
}
