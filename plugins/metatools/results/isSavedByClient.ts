import type { Call } from 'pegboard';
import type { MetatoolsConfig } from '../config.ts';
import type { ResultView } from './examine.ts';

/** Programs that write a long text to a file, which their model reads by lines and searches, with the size in characters from which they
 *  write it as it is. Measured with Claude Code 2.1.197 and 2.1.330: from 50,000 to 100,000 they write JSON with the text on one line. */
const SAVING: ReadonlyMap<string | undefined, number> = new Map([['claude-code', 100_000]]);

/** Whether the client of the call serves its model better with the whole text than with its head and a handle. */
export function isSavedByClient(
  { isLines, text, bytes }: ResultView,
  { client }: Call,
  { maxSavedBytes, callToolEnvelope }: MetatoolsConfig,
): boolean {
  const least = SAVING.get(client?.program) ?? Infinity;
  return isLines && callToolEnvelope === 'native' && text.length > least && bytes <= maxSavedBytes;
}
