/** `npm run bench -- growth`: how time, CPU and memory grow with what a gateway holds. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { stopAll } from '../processes.ts';
import { exponentOf } from './curve.ts';
import type { Curve, Point } from './curve.ts';
import { definitionsCurve } from './definitions.ts';
import { grantsCurve } from './grants.ts';
import { rulesCurve } from './rules.ts';
import { runsCurve } from './runs.ts';
import { serversCurve } from './servers.ts';
import { sessionsCurve } from './sessions.ts';
import { toolsCurve } from './tools.ts';
import { workersCurve } from './workers.ts';

const CURVES: readonly Curve[] = [
  toolsCurve,
  sessionsCurve,
  serversCurve,
  definitionsCurve,
  grantsCurve,
  runsCurve,
  rulesCurve,
  workersCurve,
];
const NAMES = CURVES.map(({ name }) => name);
const SHORT_SIZE = 10_000;
const USAGE = `npm run bench -- growth [--json] [--short] [--only NAME,...]

  --json   one JSON document on standard output instead of tables
  --short  sizes up to ${SHORT_SIZE}
  --only   curves among ${NAMES.join(', ')}
`;
const VALUES = { 'p50 ms': 'ms', 'CPU ms': 'cpuMs', 'RSS MB': 'rssMb' } as const;
const COLUMN = 10;

interface Row {
  readonly curve: string;
  readonly operation: string;
  readonly points: readonly Point[];
  /** The exponent of each value, by its name; near 0 where it does not grow. */
  readonly exponents: Readonly<Record<string, number>>;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    args: process.argv.slice(2),
    options: {
      json: { type: 'boolean' },
      short: { type: 'boolean' },
      help: { type: 'boolean' },
      only: { type: 'string' },
    },
  });
  if (values.help === true) return void process.stdout.write(USAGE);
  const only = values.only?.split(',') ?? NAMES;
  const unknown = only.find((name) => !NAMES.includes(name));
  if (unknown !== undefined) throw new Error(`--only: no ${unknown}; there are ${NAMES.join(', ')}`);
  const rows: Row[] = [];
  for (const curve of CURVES.filter(({ name }) => only.includes(name))) {
    process.stderr.write(`measuring ${curve.name}\n`);
    const measured = await rowsOf(curve, values.short === true);
    rows.push(...measured);
    if (values.json !== true) process.stdout.write(measured.map(table).join(''));
  }
  if (values.json === true) process.stdout.write(`${JSON.stringify(rows, undefined, 2)}\n`);
}

async function rowsOf(curve: Curve, isShort: boolean): Promise<readonly Row[]> {
  const byOperation = new Map<string, Point[]>();
  const makeDirectory = (): string => mkdtempSync(join(root, 'curve-'));
  const sizes = curve.sizes.filter((size) => !isShort || size <= SHORT_SIZE);
  for await (const point of curve.measure(sizes, makeDirectory))
    byOperation.set(point.operation, [...(byOperation.get(point.operation) ?? []), point]);
  return [...byOperation].map(([operation, points]) => {
    const exponents = Object.values(VALUES).flatMap((key) => {
      const pairs = points.map((point) => [point.size, point[key]] as const);
      const isWhole = pairs.every((pair): pair is [number, number] => pair[1] !== undefined && pair[1] > 0);
      return isWhole && pairs.length > 1 ? [[key, exponentOf(pairs)] as const] : [];
    });
    return { curve: curve.name, operation, points, exponents: Object.fromEntries(exponents) };
  });
}

function table({ curve, operation, points, exponents }: Row): string {
  const line = (head: string, cells: readonly (number | undefined)[], digits: number): string =>
    `  ${head.padEnd(10)}${cells.map((cell) => (cell?.toFixed(digits) ?? '–').padStart(COLUMN)).join('')}\n`;
  const keys = Object.values(VALUES);
  const head = `  ${'size'.padEnd(10)}${Object.keys(VALUES)
    .map((name) => name.padStart(COLUMN))
    .join('')}\n`;
  const lines = points.map((point) =>
    line(
      String(point.size),
      keys.map((key) => point[key]),
      2,
    ),
  );
  return `${curve}: ${operation}\n${head}${lines.join('')}${line(
    'exponent',
    keys.map((key) => exponents[key]),
    2,
  )}\n`;
}

const root = mkdtempSync(join(tmpdir(), 'pegboard-curves-'));
try {
  await main();
} catch (error) {
  process.stderr.write(`bench growth: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  await stopAll();
  rmSync(root, { recursive: true, force: true });
}
