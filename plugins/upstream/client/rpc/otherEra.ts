import type { JsonObject } from 'pegboard';
import type { Era } from '../options.ts';

/** MCP 2026-07-28, Error Codes. */
export const UNSUPPORTED_VERSION = -32022;
export const METHOD_NOT_FOUND = -32601;

/** Whether an error means that the server no longer speaks the era of the request.
 *  @param method of the request; a server of the modern era whose tools are listed has tools/call, but others also answer so to
 *  the name of a tool that they do not have */
export function isOtherEra(era: Era, method: string, { code }: JsonObject): boolean {
  if (code === UNSUPPORTED_VERSION) return true;
  return era === 'modern' && code === METHOD_NOT_FOUND && method === 'tools/call';
}
