import type { JsonObject } from 'pegboard';
import type { MetatoolsConfig } from '../config.ts';

/** Shown at once by a client that else hides the tools of MCP servers behind a search of its own.
 *  Source: Claude Code 2.1.330, which reads it in `_meta` of a tool's entry. */
export function alwaysLoad({ clientHints }: MetatoolsConfig): JsonObject {
  return clientHints ? { _meta: { 'anthropic/alwaysLoad': true } } : {};
}
