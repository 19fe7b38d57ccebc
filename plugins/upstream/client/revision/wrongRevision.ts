import { GatewayError } from 'pegboard';
import { hiddenIn } from 'pegboard/kit';
import { MODERN_REVISION } from '../rpc/dialect.ts';

/** Newest first: the first is requested, any of them is accepted. */
export const LEGACY_REVISIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const SUPPORTED: readonly unknown[] = [MODERN_REVISION, ...LEGACY_REVISIONS];
const MAX_REVISION_CHARS = 40;

/** The error for a server that does not speak the revision it was asked for; if it speaks no supported one either, a later
 *  attempt cannot succeed. @param given what the server sent as its revision or revisions */
export function wrongRevision(
  given: unknown,
  asked: string | undefined,
  ownWords: (text: string) => string,
): GatewayError {
  const clean = hiddenIn(given ?? null, ownWords);
  const shown = (Array.isArray(clean) ? clean.join(', ') : JSON.stringify(clean)).slice(
    0,
    MAX_REVISION_CHARS,
  );
  const text = `the server speaks MCP revision ${shown}`;
  if ([given].flat().some((one) => SUPPORTED.includes(one)))
    return new GatewayError('UPSTREAM_PROTOCOL', `${text}, not ${asked ?? ''}`);
  return new GatewayError('UPSTREAM_PROTOCOL', `${text}; supported are ${SUPPORTED.join(', ')}`, {
    details: { isFinal: true },
  });
}

/** Whether a later attempt to connect cannot succeed. */
export function isFinal(error: GatewayError): boolean {
  return error.code === 'UPSTREAM_PROTOCOL' && error.details.isFinal === true;
}
