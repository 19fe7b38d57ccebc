import type { JsonObject } from 'pegboard';
import type { MetatoolsConfig } from '../config.ts';

/** Source: Claude Code's documentation, "Raise the limit for a specific tool". */
const MAX_RESULT_CHARS = 500_000;

/** The hint of a tool that every task starts with: Claude Code then shows it at once, not only through its tool search. */
export function alwaysLoad({ clientHints }: MetatoolsConfig): JsonObject {
  return clientHints ? { _meta: { 'anthropic/alwaysLoad': true } } : {};
}

/** The hint of a tool whose caller chooses the size: Claude Code then shows large results instead of writing them to a file. */
export function largePages({ clientHints, maxPageChars }: MetatoolsConfig): JsonObject {
  // The limit counts JSON text, in which most characters take one or two.
  const chars = Math.min(2 * maxPageChars, MAX_RESULT_CHARS);
  return clientHints ? { _meta: { 'anthropic/maxResultSizeChars': chars } } : {};
}
