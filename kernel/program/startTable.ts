import { setTimeout as pause } from 'node:timers/promises';
import type { StartupReport } from '../contracts/startupReport.ts';

const POLL_MS = 50;

/** Waits until nothing is starting, but at most `atMostMs`. @returns undefined if `signal` ended the wait */
export async function settledReports(
  reports: () => readonly StartupReport[],
  { atMostMs, signal }: { readonly atMostMs: number; readonly signal: AbortSignal },
): Promise<readonly StartupReport[] | undefined> {
  const end = performance.now() + atMostMs;
  const isStarting = (): boolean => reports().some((report) => report.items().some((one) => one.isStarting));
  while (isStarting() && performance.now() < end) {
    if (signal.aborted) return undefined;
    await pause(POLL_MS);
  }
  return signal.aborted ? undefined : reports();
}

/** One line per item: name, state, number of tools, ms from the start to this state. Empty without items.
 *  @param startedAt ms since the epoch */
export function startTable(report: StartupReport, startedAt: number): string {
  const rows = report.items().map(({ name, state, tools, since, error }) => {
    const ms = since - startedAt;
    return [name, state, String(tools), ms >= 0 ? String(ms) : '', error ?? ''];
  });
  if (rows.length === 0) return '';
  const table = [[report.subject, 'state', 'tools', 'ms', ''], ...rows];
  const widths = [0, 1, 2, 3].map((at) => Math.max(...table.map((row) => row[at]?.length ?? 0)));
  return table
    .map(([name = '', state = '', tools = '', ms = '', error = '']) => {
      const [a = 0, b = 0, c = 0, d = 0] = widths;
      return `  ${name.padEnd(a)}  ${state.padEnd(b)}  ${tools.padStart(c)}  ${ms.padStart(d)}  ${error}`.trimEnd();
    })
    .join('\n')
    .concat('\n');
}

/** The words of the ready line: name → `running, 3 tools`. */
export function readyWords(report: StartupReport): Readonly<Record<string, string>> {
  const words = report
    .items()
    .map(({ name, state, tools }) => [name, tools > 0 ? `${state}, ${tools} tools` : state]);
  return Object.fromEntries(words) as Readonly<Record<string, string>>;
}
