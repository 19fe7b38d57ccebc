import { GatewayError } from 'pegboard';

const UNIT_MS = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;
const DURATION = /^(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h))+$/;
const PART = /(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g;
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;
const DAY = /^\d{4}-\d\d-\d\d$/;
const DAY_AND_TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
const FORMATS = '1h30m (that long ago), 2026-01-31T12:00:00Z, 2026-01-31, 2026-01-31 12:00:00 (both UTC)';

/** @param text a Go duration (counted back from `now`), RFC 3339, or a date with or without a time, in UTC
 *  @returns ms since the epoch @throws GatewayError TOOL_ARGUMENTS. Source: aggregator.md 4.5 */
export function readTime(argument: string, text: string, now: number): number {
  if (DURATION.test(text)) {
    const parts = [...text.matchAll(PART)];
    return parts.reduce(
      (ms, [, count, unit]) => ms - Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS],
      now,
    );
  }
  const ms = Date.parse(instantOf(text));
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
