import { MONTHS, WEEKDAYS } from './calendar.ts';
import type { Civil } from './calendar.ts';
import { splitLayout } from './timeLayout.ts';

/** Go's Time.Format. */
export function formatTime(civil: Civil, layout: string): string {
  let text = '';
  for (const { prefix, token } of splitLayout(layout)) text += prefix + formatToken(civil, token);
  return text;
}

function pad(value: number, width: number, fill = '0'): string {
  const sign = value < 0 ? '-' : '';
  return sign + String(Math.abs(value)).padStart(width, fill);
}

function formatToken(civil: Civil, token: string): string {
  const hour12 = civil.hour % 12 === 0 ? 12 : civil.hour % 12;
  switch (token) {
    case '':
      return '';
    case '2006':
      return pad(civil.year, 4);
    case '06':
      return pad(Math.abs(civil.year) % 100, 2);
    case 'January':
      return MONTHS[civil.month - 1] ?? '';
    case 'Jan':
      return (MONTHS[civil.month - 1] ?? '').slice(0, 3);
    case '1':
      return String(civil.month);
    case '01':
      return pad(civil.month, 2);
    case 'Monday':
      return WEEKDAYS[civil.weekday] ?? '';
    case 'Mon':
      return (WEEKDAYS[civil.weekday] ?? '').slice(0, 3);
    case '2':
      return String(civil.day);
    case '_2':
      return pad(civil.day, 2, ' ');
    case '02':
      return pad(civil.day, 2);
    case '__2':
      return pad(civil.yearDay, 3, ' ');
    case '002':
      return pad(civil.yearDay, 3);
    case '15':
      return pad(civil.hour, 2);
    case '3':
      return String(hour12);
    case '03':
      return pad(hour12, 2);
    default:
      return formatClockToken(civil, token);
  }
}

function formatClockToken(civil: Civil, token: string): string {
  switch (token) {
    case '4':
      return String(civil.minute);
    case '04':
      return pad(civil.minute, 2);
    case '5':
      return String(civil.second);
    case '05':
      return pad(civil.second, 2);
    case 'PM':
      return civil.hour >= 12 ? 'PM' : 'AM';
    case 'pm':
      return civil.hour >= 12 ? 'pm' : 'am';
    case 'MST':
      return civil.abbreviation === '' ? formatOffset(civil.offset, '-0700') : civil.abbreviation;
    default:
      return /^[.,]/.test(token) ? formatFraction(civil.nanos, token) : formatOffset(civil.offset, token);
  }
}

function formatOffset(offset: number, token: string): string {
  if (token.startsWith('Z') && offset === 0) return 'Z';
  const magnitude = Math.abs(offset);
  const fields = [Math.floor(magnitude / 3600), Math.floor((magnitude % 3600) / 60), magnitude % 60];
  const count = token.replace(/[^0-9]/g, '').length / 2;
  const text = fields.slice(0, count).map((field) => pad(field, 2));
  return (offset < 0 ? '-' : '+') + text.join(token.includes(':') ? ':' : '');
}

function formatFraction(nanos: number, token: string): string {
  const digits = pad(nanos, 9).slice(0, token.length - 1);
  if (token.includes('0')) return (token[0] ?? '.') + digits.padEnd(token.length - 1, '0');
  const trimmed = digits.replace(/(?<!0)0+$/, '');
  return trimmed === '' ? '' : (token[0] ?? '.') + trimmed;
}
