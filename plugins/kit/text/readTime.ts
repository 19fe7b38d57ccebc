import { GatewayError } from 'pegboard';
import { parseDuration } from './parseDuration.ts';

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;
const DAY = /^\d{4}-\d\d-\d\d$/;
const DAY_AND_TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
const FORMATS = '1h30m (that long ago), 2026-01-31T12:00:00Z, 2026-01-31, 2026-01-31 12:00:00 (both UTC)';

/** @param text a Go duration (counted back from `now`), RFC 3339, or a date with or without a time, in UTC
 *  @returns ms since the epoch @throws GatewayError TOOL_ARGUMENTS. Source: requirement core.events. */
export function readTime(argument: string, text: string, now: number): number {
  const ago = parseDuration(text);
  const ms = ago === undefined ? Date.parse(instantOf(text)) : now - ago;
  if (!Number.isNaN(ms)) return ms;
  const shown = text.length > 80 ? `${text.slice(0, 80)}…` : text;
  throw new GatewayError(
    'TOOL_ARGUMENTS',
    `Invalid '${argument}' time format: unsupported time format '${shown}'. Supported formats: ${FORMATS}`,
  );
}

function instantOf(text: string): string {
  if (DAY.test(text)) return `${text}T00:00:00Z`;
  if (DAY_AND_TIME.test(text)) return `${text.replace(' ', 'T')}Z`;
  return RFC_3339.test(text) ? text : '';
}
