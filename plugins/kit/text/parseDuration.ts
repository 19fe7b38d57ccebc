const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};
const PART = /(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/gy;
const DURATION = new RegExp(`^(?:${PART.source})+$`);

/** Reads a Go duration without a sign: `500ms`, `1m30s`, `1.5h`. @returns ms; undefined for any other text. Source: https://pkg.go.dev/time#ParseDuration */
export function parseDuration(text: string): number | undefined {
  if (!DURATION.test(text)) return undefined;
  return [...text.matchAll(PART)].reduce(
    (ms, [, count, unit = '']) => ms + Number(count) * (UNIT_MS[unit] ?? 0),
    0,
  );
}
