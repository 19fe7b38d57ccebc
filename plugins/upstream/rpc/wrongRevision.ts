import { GatewayError, hiddenIn } from 'pegboard';
import { MODERN_REVISION } from './dialect.ts';

/** Newest first: the first is requested, any of them is accepted. */
export const LEGACY_REVISIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const SUPPORTED = [MODERN_REVISION, ...LEGACY_REVISIONS].join(', ');
const MAX_REVISION_CHARS = 40;

/** The error for a server that speaks no supported revision; a later attempt cannot succeed.
 *  @param given what the server sent as its revision or revisions */
export function wrongRevision(given: unknown, ownWords: (text: string) => string): GatewayError {
  const clean = hiddenIn(given ?? null, ownWords);
  const shown = (Array.isArray(clean) ? clean.join(', ') : JSON.stringify(clean)).slice(
    0,
    MAX_REVISION_CHARS,
  );
  const text = `the server speaks MCP revision ${shown}; supported are ${SUPPORTED}`;
  return new GatewayError('UPSTREAM_PROTOCOL', text, { details: { isFinal: true } });
}

/** Whether a later attempt to connect cannot succeed. */
export function isFinal(error: GatewayError): boolean {
  return error.code === 'UPSTREAM_PROTOCOL' && error.details.isFinal === true;
}
