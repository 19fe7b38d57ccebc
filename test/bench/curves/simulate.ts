/** A working day of many people at replicas of a gateway, from what `npm run bench -- growth --json` has measured (SCALE.md).
 *  Usage: node build/test/bench/curves/simulate.js growth.json [PEOPLE] */
import { readFileSync } from 'node:fs';
import { exponentOf } from './curve.ts';

/** The assumptions. */
const DAY = {
  /** People come at nine, so many seconds earlier or later (standard deviation). */
  spreadSeconds: 1_800,
  workSeconds: 8 * 3_600,
  sessionsEach: 2,
  callsPerSession: 100,
  grantsEach: 5,
  /** Each grant in use is refreshed between these shares of the life of its token (plugins/auth-client). */
  tokenSeconds: 3_600,
  refreshedFrom: 0.75,
  refreshedTo: 0.9,
  /** Commands to Redis: a lock, the record read and written, the lock given back, the others told. */
  commandsPerRefresh: 5,
  /** One script of the plugin limits. */
  commandsPerCall: 1,
  /** A core is planned to be busy for half of the time. */
  busyShare: 0.5,
};
/** People who are simulated one by one; the counts are multiplied. */
const SAMPLE = 50_000;
const DAY_SECONDS = 86_400;
const NINE = 9 * 3_600;

interface Row {
  readonly curve: string;
  readonly operation: string;
  readonly points: readonly { readonly size: number; readonly cpuMs: number; readonly rssMb: number }[];
}

function cpuMsOf(rows: readonly Row[], curve: string, operation: string): number {
  const point = rows.find((row) => row.curve === curve && row.operation === operation)?.points.at(-1);
  if (point === undefined) throw new Error(`the measurement has no ${curve}: ${operation}`);
  return point.cpuMs;
}

/** The power law through two sizes, at the third, beside what was measured there. */
function printChecks(rows: readonly Row[]): void {
  print('check: the largest size, foretold from the two smaller ones, and measured');
  for (const { curve, operation, points } of rows) {
    const [one, two, three] = points.slice(-3);
    if (one === undefined || two === undefined || three === undefined) continue;
    const foretold = (key: 'cpuMs' | 'rssMb'): string => {
      const exponent = exponentOf([one, two].map((point) => [point.size, point[key]] as const));
      const value = two[key] * (three.size / two.size) ** exponent;
      return `${value.toFixed(1)} / ${three[key].toFixed(1)}`;
    };
    print(
      `  ${`${curve}: ${operation}`.padEnd(42)} CPU ms ${foretold('cpuMs')}  RSS MB ${foretold('rssMb')}`,
    );
  }
}

/** Counts by second of a day. */
function simulate(): Readonly<Record<'sessions' | 'calls' | 'refreshes', Float64Array>> {
  const bySecond = (): Float64Array => new Float64Array(DAY_SECONDS);
  const counts = { sessions: bySecond(), calls: bySecond(), refreshes: bySecond() };
  const count = (what: Float64Array, second: number): void => {
    const at = Math.floor(second);
    what[at] = (what[at] ?? 0) + 1;
  };
  for (let person = 0; person < SAMPLE; person += 1) {
    const comes = NINE + normal() * DAY.spreadSeconds;
    const leaves = comes + DAY.workSeconds;
    for (let at = 0; at < DAY.sessionsEach; at += 1) {
      const begins = at === 0 ? comes : comes + Math.random() * DAY.workSeconds;
      count(counts.sessions, begins);
      for (let call = 0; call < DAY.callsPerSession; call += 1)
        count(counts.calls, begins + Math.random() * (leaves - begins));
    }
    // The tokens of yesterday have ended: the first call refreshes each.
    for (let grant = 0; grant < DAY.grantsEach; grant += 1)
      for (let at = comes; at < leaves; at += DAY.tokenSeconds * between(DAY.refreshedFrom, DAY.refreshedTo))
        count(counts.refreshes, at);
  }
  return counts;
}

function between(from: number, to: number): number {
  return from + Math.random() * (to - from);
}

function normal(): number {
  return Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
}

/** The busiest minute, a second. */
function peakOf(counts: Float64Array): number {
  let most = 0;
  for (let from = 0; from < DAY_SECONDS; from += 60)
    most = Math.max(most, counts.subarray(from, from + 60).reduce((sum, one) => sum + one, 0) / 60);
  return most;
}

function printDay(rows: readonly Row[], people: number): void {
  const { sessions, calls, refreshes } = simulate();
  const factor = people / SAMPLE;
  const coreShares = (each: Float64Array, ms: number): Float64Array => each.map((one) => (one * ms) / 1_000);
  const first = coreShares(sessions, cpuMsOf(rows, 'grants', 'first session of a person'));
  const called = coreShares(calls, cpuMsOf(rows, 'grants', 'call with a grant'));
  const cores = first.map((one, at) => one + (called[at] ?? 0));
  const commands = refreshes.map(
    (one, at) => one * DAY.commandsPerRefresh + (calls[at] ?? 0) * DAY.commandsPerCall,
  );
  const line = (what: string, value: number): void => print(`  ${what.padEnd(42)} ${value.toFixed(0)}`);
  print(`${people} people, ${people * DAY.grantsEach} grants, the busiest minute`);
  line('new sessions a second', peakOf(sessions) * factor);
  line('calls a second', peakOf(calls) * factor);
  line('refreshes a second, all providers', peakOf(refreshes) * factor);
  line('commands to Redis a second', peakOf(commands) * factor);
  line('busy cores', peakOf(cores) * factor);
  line('replicas of one core', (peakOf(cores) * factor) / DAY.busyShare);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

const [file = '', people = '1000000'] = process.argv.slice(2);
const measured = JSON.parse(readFileSync(file, 'utf8')) as readonly Row[];
printChecks(measured);
printDay(measured, Number(people));
