const UNITS = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const;

/** `in 23 minutes`, `2 hours ago`. @param time ISO 8601 */
export function inWords(time: string, now = Date.now()): string {
  const seconds = Math.round((Date.parse(time) - now) / 1_000);
  const size = Math.abs(seconds);
  const [unit, name] = UNITS.find(([each]) => size >= each) ?? [1, 'second'];
  const count = Math.floor(size / unit);
  const words = `${count} ${name}${count === 1 ? '' : 's'}`;
  return seconds < 0 ? `${words} ago` : `in ${words}`;
}
