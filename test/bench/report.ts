/** Tables for people, one JSON document for machines, and the missed goals. */
import { cpus, release } from 'node:os';
import { MAX_CPU_RATIO, MIN_GUARDED_RATIO } from './cases.ts';
import type { Figure } from './figures.ts';
import type { CaseResult } from './rounds.ts';
import { TARGET_NAMES } from './targets.ts';
import type { TargetName } from './targets.ts';

export interface BenchResult {
  readonly cases: readonly CaseResult[];
  readonly figures: readonly Figure[];
  /** Measurements that were not possible, with the reason. */
  readonly failures: readonly string[];
}

const HEAD = [
  'case',
  'target',
  'calls/s',
  'p50 ms',
  'p99 ms',
  'CPU µs/call',
  'RSS MB',
  'of floor',
  'rounds',
  'CPU of floor',
  'goal',
];
const TEXT_COLUMNS = new Set(['case', 'target', 'rounds', 'goal']);

export function jsonReport(result: BenchResult): string {
  const figures = result.figures.map((figure) => ({ ...figure, isMet: isFigureMet(figure) }));
  const cases = result.cases.map((one) => ({
    ...one,
    maxCpuRatio: MAX_CPU_RATIO,
    isMet: missesOf(one).length === 0,
  }));
  return `${JSON.stringify({ machine: machineFacts(), cases, figures, misses: missesIn(result), failures: result.failures }, null, 2)}\n`;
}

export function textReport(result: BenchResult, hasColour: boolean): string {
  const parts = [machineText()];
  if (result.cases.length > 0) {
    parts.push(table([HEAD, ...result.cases.flatMap(caseRows)]));
    parts.push(
      `calls/s, latencies, CPU and RSS are medians of the rounds; "of floor" is the median of the rounds' ratios\n`,
    );
  }
  if (result.figures.length > 0) parts.push(table(result.figures.map(figureRow)));
  const text = parts.join('\n');
  if (!hasColour) return text;
  return text.replace(/\bmet$/gm, '\u001b[32m$&\u001b[0m').replace(/\bmissed$/gm, '\u001b[31m$&\u001b[0m');
}

/** One sentence per goal that was not reached. */
export function missesIn({ cases, figures }: BenchResult): readonly string[] {
  return [...cases.flatMap(missesOf), ...figures.filter((figure) => !isFigureMet(figure)).map(figureMiss)];
}

function missesOf(one: CaseResult): readonly string[] {
  return TARGET_NAMES.flatMap((target) => missesOfTarget(one, target));
}

function missesOfTarget({ name, ratios, minRatio }: CaseResult, target: TargetName): readonly string[] {
  const ratio = ratios[target];
  if (ratio === undefined) return [];
  const least = isGuarded(target) ? MIN_GUARDED_RATIO : minRatio;
  const misses: string[] = [];
  if (!(ratio.calls >= least))
    misses.push(`${name}, ${target}: ${ratio.calls.toFixed(2)} of the floor, below ${least}`);
  if (!isGuarded(target) && !(ratio.cpu <= MAX_CPU_RATIO)) {
    misses.push(
      `${name}, ${target}: CPU per call ${ratio.cpu.toFixed(2)} times the floor's, above ${MAX_CPU_RATIO}`,
    );
  }
  return misses;
}

function isGuarded(target: TargetName): boolean {
  return target === 'guarded' || target === 'signedIn';
}

function caseRows(one: CaseResult): string[][] {
  return Object.entries(one.samples).map(([name, sample], at) => {
    const target = name as TargetName;
    const ratio = one.ratios[target];
    const least = isGuarded(target)
      ? `≥ ${MIN_GUARDED_RATIO}`
      : `≥ ${one.minRatio.toFixed(2)}, CPU ≤ ${MAX_CPU_RATIO}`;
    const goal = `${least} ${missesOfTarget(one, target).length === 0 ? 'met' : 'missed'}`;
    return [
      at === 0 ? one.name : '',
      name,
      String(Math.round(sample.callsPerSecond)),
      sample.p50Ms.toFixed(2),
      sample.p99Ms.toFixed(2),
      sample.cpuUsPerCall.toFixed(1),
      sample.rssMb.toFixed(0),
      ratio?.calls.toFixed(2) ?? '',
      ratio === undefined
        ? ''
        : `${Math.min(...ratio.rounds).toFixed(2)}–${Math.max(...ratio.rounds).toFixed(2)}`,
      ratio?.cpu.toFixed(2) ?? '',
      ratio === undefined ? '' : goal,
    ];
  });
}

function figureRow(figure: Figure): string[] {
  const { text, value, unit, below } = figure;
  const goal = below === undefined ? '' : `< ${below} ${unit} ${isFigureMet(figure) ? 'met' : 'missed'}`;
  return [text, `${value.toFixed(value < 10 ? 2 : 0)} ${unit}`, goal];
}

function isFigureMet({ value, below }: Figure): boolean {
  return below === undefined || value < below;
}

function figureMiss({ text, value, unit, below }: Figure): string {
  return `${text}: ${value.toFixed(2)} ${unit}, not below ${below ?? ''}`;
}

function table(rows: readonly (readonly string[])[]): string {
  const [head = []] = rows;
  const widths = head.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const isText = (at: number): boolean => TEXT_COLUMNS.has(HEAD[at] ?? '') || head.length !== HEAD.length;
  const cell = (text: string, at: number): string =>
    isText(at) ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0);
  return rows.map((row) => `${row.map(cell).join('  ').trimEnd()}\n`).join('');
}

function machineFacts() {
  const [first] = cpus();
  return { node: process.version, cpu: first?.model ?? 'unknown', cores: cpus().length, kernel: release() };
}

function machineText(): string {
  const { node, cpu, cores, kernel } = machineFacts();
  return `node ${node}, ${cores} cores ${cpu}, linux ${kernel}; gateway on core 0, load and upstream on core 1\n`;
}
