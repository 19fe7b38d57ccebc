import type { JsonObject } from 'pegboard';
import type { MetatoolsConfig } from '../config.ts';

/** Source: Claude Code's documentation, "Raise the limit for a specific tool". */
const MAX_RESULT_CHARS = 500_000;

/** Of a tool that every task begins with: Claude Code shows it at once instead of hiding it behind its own tool search. */
export function alwaysLoad({ clientHints }: MetatoolsConfig): JsonObject {
  return clientHints ? { _meta: { 'anthropic/alwaysLoad': true } } : {};
}

/** Of a tool whose caller says how much it wants: Claude Code shows that much instead of putting it into a file. */
export function largePages({ clientHints, maxPageChars }: MetatoolsConfig): JsonObject {
  // As JSON, which is what is counted, most characters take one or two.
  const chars = Math.min(2 * maxPageChars, MAX_RESULT_CHARS);
  return clientHints ? { _meta: { 'anthropic/maxResultSizeChars': chars } } : {};
}
