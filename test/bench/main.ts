/** `npm run bench`: the cost of a forwarded call, beside the same hop written by hand. */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { CASES } from './cases.ts';
import { HAS_REDIS, NO_REDIS } from '../support/redis.ts';
import { FIGURE_NAMES, measureFigure } from './figures.ts';
import type { Figure } from './figures.ts';
import { missingTool } from './load.ts';
import { readOptions, USAGE } from './options.ts';
import type { BenchOptions } from './options.ts';
import { stopAll } from './processes.ts';
import { jsonReport, missesIn, textReport } from './report.ts';
import type { BenchResult } from './report.ts';
import { measureCase } from './rounds.ts';
import type { CaseResult } from './rounds.ts';

const MIN_ROUNDS_TO_JUDGE = 5;
const WARM_UP_CALLS = { short: 5_000, full: 25_000 } as const;
const BUSY_LOAD = 0.7;
const FIXED_LIMIT_SECONDS = 420;
const EXIT = { done: 0, failed: 1, usage: 64, interrupted: 130 } as const;
const state = { isLeaving: false };
const directory = mkdtempSync(join(tmpdir(), 'pegboard-bench-'));

async function main(): Promise<number> {
  let options: BenchOptions;
  try {
    options = readOptions(process.argv.slice(2));
  } catch (error) {
    return complain(textOf(error), EXIT.usage);
  }
  if (options.help) {
    process.stdout.write(USAGE);
    return EXIT.done;
  }
  const missing = missingTool() ?? (availableParallelism() < 2 ? 'the bench needs two cores' : undefined);
  if (missing !== undefined) return complain(missing, EXIT.failed);
  if (!HAS_REDIS) progress(NO_REDIS);
  const [busy = 0] = loadavg();
  if (busy > BUSY_LOAD) progress(`the machine is busy (load ${busy.toFixed(1)}): the figures will be noisy`);
  const limit = setTimeout(
    () => void leave('the run exceeded its time limit', EXIT.failed),
    limitMs(options),
  );
  process.once('SIGINT', () => void leave('interrupted', EXIT.interrupted));
  process.once('SIGTERM', () => void leave('interrupted', EXIT.interrupted));
  const result = await measure(options).finally(() => clearTimeout(limit));
  if (state.isLeaving) return EXIT.interrupted;
  const hasColour = process.stdout.isTTY && process.env['NO_COLOR'] === undefined;
  process.stdout.write(options.json ? jsonReport(result) : textReport(result, hasColour));
  return judge(result, options);
}

async function measure(options: BenchOptions): Promise<BenchResult> {
  const { targets, rounds, seconds, short } = options;
  const cases: CaseResult[] = [];
  const figures: Figure[] = [];
  const failures: string[] = [];
  const settings = {
    targets,
    rounds,
    seconds,
    warmUpCalls: WARM_UP_CALLS[short ? 'short' : 'full'],
    directory,
    progress,
  };
  const attempt = async (name: string, run: () => Promise<unknown>): Promise<void> => {
    if (!options.only.includes(name) || state.isLeaving) return;
    progress(`measuring ${name}`);
    await run().catch((error: unknown) => failures.push(`${name}: ${textOf(error)}`));
  };
  for (const one of CASES) await attempt(one.name, async () => cases.push(await measureCase(one, settings)));
  for (const name of FIGURE_NAMES) {
    const starts = short ? 1 : 5;
    await attempt(name, async () => figures.push(...(await measureFigure(name, { directory, starts }))));
  }
  return { cases, figures, failures };
}

/** A single round is mostly noise: only the medians of enough rounds may fail the run. */
function judge(result: BenchResult, { short, rounds }: BenchOptions): number {
  const misses = missesIn(result);
  for (const miss of misses) progress(`missed: ${miss}`);
  for (const failure of result.failures) progress(`failed: ${failure}`);
  if (result.failures.length > 0) return EXIT.failed;
  return misses.length === 0 || short || rounds < MIN_ROUNDS_TO_JUDGE ? EXIT.done : EXIT.failed;
}

function limitMs({ rounds, seconds, targets }: BenchOptions): number {
  const perCase = targets.length * (rounds * seconds * 2 + 30);
  return (FIXED_LIMIT_SECONDS + CASES.length * perCase) * 1_000;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}

function complain(text: string, code: number): number {
  progress(`bench: ${text}`);
  return code;
}

/** Ends every child, also during a wait. */
async function leave(why: string, code: number): Promise<never> {
  state.isLeaving = true;
  progress(`bench: ${why}; stopping its processes`);
  await cleanUp();
  process.exit(code);
}

async function cleanUp(): Promise<void> {
  await stopAll();
  rmSync(directory, { recursive: true, force: true });
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!state.isLeaving) process.exitCode = complain(textOf(error), EXIT.failed);
} finally {
  if (!state.isLeaving) await cleanUp();
}
