import { setTimeout as pause } from 'node:timers/promises';
import type { ServiceRecord } from '../contracts/managedService.ts';

const POLL_MS = 50;

/** Waits until no server is starting, or for `atMostMs`. @returns undefined when `signal` ended the wait */
export async function settledServers(
  records: () => readonly ServiceRecord[],
  { atMostMs, signal }: { readonly atMostMs: number; readonly signal: AbortSignal },
): Promise<readonly ServiceRecord[] | undefined> {
  const end = performance.now() + atMostMs;
  while (records().some(({ state }) => state === 'starting') && performance.now() < end) {
    if (signal.aborted) return undefined;
    await pause(POLL_MS);
  }
  return signal.aborted ? undefined : records();
}

/** One line per server: name, state, number of tools, ms from the start to this state. Empty without servers.
 *  @param startedAt ms since the epoch */
export function serverTable(records: readonly ServiceRecord[], startedAt: number): string {
  const rows = records.map(({ name, state, metadata, error }) => {
    const since = Date.parse(String(metadata['since'])) - startedAt;
    const tools = typeof metadata['tools'] === 'number' ? String(metadata['tools']) : '';
    return [name, state, tools, since >= 0 ? String(since) : '', error ?? ''];
  });
  if (rows.length === 0) return '';
  const table = [['server', 'state', 'tools', 'ms', ''], ...rows];
  const widths = [0, 1, 2, 3].map((at) => Math.max(...table.map((row) => row[at]?.length ?? 0)));
  return table
    .map(([server = '', state = '', tools = '', ms = '', error = '']) => {
      const [a = 0, b = 0, c = 0, d = 0] = widths;
      return `  ${server.padEnd(a)}  ${state.padEnd(b)}  ${tools.padStart(c)}  ${ms.padStart(d)}  ${error}`.trimEnd();
    })
    .join('\n')
    .concat('\n');
}
