import { civilFromDays, daysFromCivil, MONTHS } from './calendar.ts';
import type { Civil } from './calendar.ts';
import { formatTime } from './timeFormat.ts';
import { Stringer } from './values.ts';
import { UTC } from './zones.ts';
import type { Zone } from './zones.ts';

const SECONDS_PER_DAY = 86_400;

/** Go's time.Time: seconds since 1970, nanoseconds, and the zone it is shown in. */
export class GoTime extends Stringer {
  readonly typeName = 'time.Time';
  readonly kindName = 'struct';
  readonly seconds: number;
  readonly nanos: number;
  readonly zone: Zone;

  constructor(seconds: number, nanos: number, zone: Zone) {
    super();
    this.seconds = seconds;
    this.nanos = nanos;
    this.zone = zone;
  }

  static fromDate(date: Date, zone: Zone): GoTime {
    const seconds = Math.floor(date.getTime() / 1000);
    return new GoTime(seconds, Math.round(date.getTime() - seconds * 1000) * 1_000_000, zone);
  }

  in(zone: Zone): GoTime {
    return new GoTime(this.seconds, this.nanos, zone);
  }

  addNanos(nanos: bigint): GoTime {
    const total = BigInt(this.seconds) * 1_000_000_000n + BigInt(this.nanos) + nanos;
    const rest = ((total % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
    return new GoTime(Number((total - rest) / 1_000_000_000n), Number(rest), this.zone);
  }

  /** Nanoseconds since the last multiple of `unit`, counted from Go's zero time. */
  nanosPast(unit: bigint): bigint {
    const total = BigInt(this.seconds - ZERO_TIME_SECONDS) * 1_000_000_000n + BigInt(this.nanos);
    return ((total % unit) + unit) % unit;
  }

  nanosSince(other: GoTime): bigint {
    return BigInt(this.seconds - other.seconds) * 1_000_000_000n + BigInt(this.nanos - other.nanos);
  }

  equals(other: GoTime): boolean {
    return this.seconds === other.seconds && this.nanos === other.nanos;
  }

  civil(): Civil {
    const { offset, abbreviation } = this.zone.at(this.seconds);
    const local = this.seconds + offset;
    const days = Math.floor(local / SECONDS_PER_DAY);
    const rest = local - days * SECONDS_PER_DAY;
    const date = civilFromDays(days);
    return {
      ...date,
      hour: Math.floor(rest / 3600),
      minute: Math.floor((rest % 3600) / 60),
      second: rest % 60,
      nanos: this.nanos,
      weekday: (((days + 4) % 7) + 7) % 7,
      yearDay: days - daysFromCivil(date.year, 1, 1) + 1,
      offset,
      abbreviation,
    };
  }

  text(): string {
    return formatTime(this.civil(), '2006-01-02 15:04:05.999999999 -0700 MST');
  }

  goText(): string {
    const { year, month, day, hour, minute, second } = this.civil();
    const zone = zoneCode(this.zone);
    const clock = `${hour}, ${minute}, ${second}, ${this.nanos}`;
    return `time.Date(${year}, time.${MONTHS[month - 1] ?? ''}, ${day}, ${clock}, ${zone})`;
  }

  fields(): readonly bigint[] {
    return [
      BigInt(this.nanos),
      BigInt(this.seconds - ZERO_TIME_SECONDS),
      this.zone === UTC ? 0n : 0xc000000000n,
    ];
  }

  rfc3339(): string {
    return formatTime(this.civil(), '2006-01-02T15:04:05.999999999Z07:00');
  }
}

function zoneCode(zone: Zone): string {
  if (zone === UTC) return 'time.UTC';
  return zone.isLocal === true ? 'time.Local' : `time.Location(${JSON.stringify(zone.name)})`;
}

/** Go's *time.Location: the zone in which a time is shown. */
export class Location extends Stringer {
  readonly typeName = '*time.Location';
  readonly kindName = 'ptr';
  readonly zone: Zone;

  constructor(zone: Zone) {
    super();
    this.zone = zone;
  }

  text(): string {
    return this.zone.name;
  }

  goText(): string {
    return `&time.Location{name:${JSON.stringify(this.zone.name)}}`;
  }
}

/** Go's zero time. */
export const ZERO_TIME_SECONDS = -62_135_596_800;

export function zeroTime(): GoTime {
  return new GoTime(ZERO_TIME_SECONDS, 0, UTC);
}
