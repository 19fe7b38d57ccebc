import { CallError } from './errors.ts';
import { MONTHS, WEEKDAYS } from './calendar.ts';
import type { GoTime } from './goTime.ts';
import { buildTime } from './timeBuild.ts';
import type { TimeFields } from './timeBuild.ts';
import { timeQuote } from './duration.ts';
import { splitLayout } from './timeLayout.ts';
import type { LayoutPiece } from './timeLayout.ts';
import type { Zone } from './zones.ts';

/** Go's time.ParseInLocation. @throws CallError with Go's text */
export function parseTime(layout: string, value: string, local: Zone): GoTime {
  const reader = new TimeReader(layout, value);
  return buildTime(reader.read(), value, local);
}

class TimeReader {
  private readonly layout: string;
  private readonly value: string;
  private rest: string;
  private readonly fields: TimeFields = {
    year: 0,
    month: undefined,
    day: undefined,
    yearDay: undefined,
    hour: 0,
    minute: 0,
    second: 0,
    nanos: 0,
    half: undefined,
    isUtc: false,
    offset: undefined,
    zoneName: '',
  };

  constructor(layout: string, value: string) {
    this.layout = layout;
    this.value = value;
    this.rest = value;
  }

  read(): TimeFields {
    // One piece ahead, because a layout may be long and the value end early.
    const pieces = splitLayout(this.layout);
    for (let piece = pieces.next().value as LayoutPiece; ;) {
      const { prefix, token } = piece;
      this.skip(prefix);
      if (token === '') break;
      const before = this.rest;
      piece = pieces.next().value as LayoutPiece;
      if (!this.token(token, piece)) this.cannotParse(before, token);
    }
    if (this.rest !== '') this.fail(`: extra text: ${timeQuote(this.rest)}`);
    return this.fields;
  }

  private fail(reason: string): never {
    throw new CallError(`parsing time ${timeQuote(this.value)}${reason}`);
  }

  private cannotParse(text: string, element: string): never {
    this.fail(` as ${timeQuote(this.layout)}: cannot parse ${timeQuote(text)} as ${timeQuote(element)}`);
  }

  private skip(prefix: string): void {
    for (let at = 0; at < prefix.length;) {
      if (prefix[at] === ' ') {
        if (this.rest !== '' && !this.rest.startsWith(' ')) this.cannotParse(this.rest, prefix.slice(at));
        while (prefix[at] === ' ') at++;
        this.rest = this.rest.replace(/^ +/, '');
        continue;
      }
      if (this.rest === '' || this.rest[0] !== prefix[at]) this.cannotParse(this.rest, prefix.slice(0));
      this.rest = this.rest.slice(1);
      at++;
    }
  }

  private take(pattern: RegExp): string | undefined {
    const text = pattern.exec(this.rest)?.[0];
    if (text !== undefined) this.rest = this.rest.slice(text.length);
    return text;
  }

  private number(pattern: RegExp, max: number, unit: string): number | undefined {
    const text = this.take(pattern);
    if (text === undefined) return undefined;
    const value = Number(text);
    if (value > max || (unit === 'month' && value === 0)) this.fail(`: ${unit} out of range`);
    return value;
  }

  private name(names: readonly string[], length?: number): number | undefined {
    const at = names.findIndex((name) => {
      const wanted = name.slice(0, length);
      return this.rest.slice(0, wanted.length).toLowerCase() === wanted.toLowerCase();
    });
    if (at < 0) return undefined;
    this.rest = this.rest.slice((names[at] ?? '').slice(0, length).length);
    return at;
  }

  private token(token: string, next: { prefix: string; token: string } | undefined): boolean {
    switch (token) {
      case '2006':
        return this.year(this.take(/^\d{4}/), 0);
      case '06':
        return this.year(this.take(/^\d\d/), 1900);
      case 'January':
      case 'Jan':
        return this.month(this.name(MONTHS, token === 'Jan' ? 3 : undefined));
      case '1':
        return this.month(this.number(/^\d\d?/, 12, 'month'), 0);
      case '01':
        return this.month(this.number(/^\d\d/, 12, 'month'), 0);
      case 'Monday':
      case 'Mon':
        return this.name(WEEKDAYS, token === 'Mon' ? 3 : undefined) !== undefined;
      case '2':
      case '_2':
      case '02':
        return this.day(token);
      case '002':
      case '__2':
        return this.yearDay(token);
      case 'PM':
      case 'pm':
        return this.half(token);
      case 'MST':
        return this.zoneName();
      default:
        return this.clockToken(token, next);
    }
  }

  private clockToken(token: string, next: { prefix: string; token: string } | undefined): boolean {
    const digits = token.startsWith('0') ? /^\d\d/ : /^\d\d?/;
    switch (token) {
      case '15':
        return this.set('hour', this.number(/^\d\d?/, 23, 'hour'));
      case '3':
      case '03':
        return this.set('hour', this.number(digits, 12, 'hour'));
      case '4':
      case '04':
        return this.set('minute', this.number(digits, 59, 'minute'));
      case '5':
      case '05':
        return this.set('second', this.number(digits, 59, 'second')) && this.looseFraction(next);
      default:
        return /^[.,]/.test(token) ? this.fraction(token) : this.offset(token);
    }
  }

  private set(field: 'hour' | 'minute' | 'second', value: number | undefined): boolean {
    if (value !== undefined) this.fields[field] = value;
    return value !== undefined;
  }

  private year(text: string | undefined, century: number): boolean {
    if (text === undefined) return false;
    const year = Number(text);
    this.fields.year = century === 0 ? year : year >= 69 ? year + 1900 : year + 2000;
    return true;
  }

  private month(month: number | undefined, shift = 1): boolean {
    if (month !== undefined) this.fields.month = month + shift;
    return month !== undefined;
  }

  private day(token: string): boolean {
    if (token === '_2') this.take(/^ /);
    const text = this.take(token === '02' ? /^\d\d/ : /^\d\d?/);
    if (text !== undefined) this.fields.day = Number(text);
    return text !== undefined;
  }

  private yearDay(token: string): boolean {
    if (token === '__2') this.take(/^ {1,2}/);
    const text = this.take(token === '002' ? /^\d{3}/ : /^\d{1,3}/);
    if (text !== undefined) this.fields.yearDay = Number(text);
    return text !== undefined;
  }

  private half(token: string): boolean {
    const text = this.take(token === 'PM' ? /^[AP]M/ : /^[ap]m/);
    if (text !== undefined) this.fields.half = text.toLowerCase() === 'pm' ? 'pm' : 'am';
    return text !== undefined;
  }

  // Go accepts a fraction after the seconds even if the layout has none.
  private looseFraction(next: { prefix: string; token: string } | undefined): boolean {
    if (next?.prefix === '' && /^[.,]/.test(next.token)) return true;
    const text = this.take(/^[.,]\d+/);
    if (text !== undefined) this.fields.nanos = nanosOf(text);
    return true;
  }

  private fraction(token: string): boolean {
    if (token.includes('9')) {
      const text = this.take(/^[.,]\d+/);
      if (text !== undefined) this.fields.nanos = nanosOf(text);
      return true;
    }
    const text = this.rest.slice(0, token.length);
    if (text.length < token.length || !/^[.,]\d+$/.test(text)) return false;
    this.rest = this.rest.slice(token.length);
    this.fields.nanos = nanosOf(text);
    return true;
  }

  private offset(token: string): boolean {
    if (token.startsWith('Z') && this.take(/^Z/) !== undefined) {
      this.fields.isUtc = true;
      return true;
    }
    const pattern = token.slice(1).replace(/\d\d/g, '(\\d\\d)');
    const match = new RegExp(`^([+-])${pattern}`).exec(this.rest);
    if (!match) return false;
    this.rest = this.rest.slice(match[0].length);
    const [, sign, hours = '0', minutes = '0', seconds = '0'] = match;
    if (Number(hours) > 24) this.fail(': time zone offset hour out of range');
    if (Number(minutes) > 60) this.fail(': time zone offset minute out of range');
    if (Number(seconds) > 60) this.fail(': time zone offset second out of range');
    const magnitude = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
    this.fields.offset = sign === '-' ? -magnitude : magnitude;
    return true;
  }

  private zoneName(): boolean {
    if (this.take(/^UTC/) !== undefined) {
      this.fields.isUtc = true;
      return true;
    }
    const name = this.take(
      /^(?:ChST|MeST|GMT(?:[+-](?:2[0-3]|[01]?\d)(?!\d))?|[+-](?:2[0-3]|[01]?\d)(?!\d)|[A-Z]{4}T(?![A-Z])|(?:[A-Z]{3}T|WITA)(?![A-Z])|[A-Z]{3}(?![A-Z]))/,
    );
    if (name !== undefined) this.fields.zoneName = name;
    return name !== undefined;
  }
}

function nanosOf(text: string): number {
  return Number(text.slice(1, 10).padEnd(9, '0'));
}
