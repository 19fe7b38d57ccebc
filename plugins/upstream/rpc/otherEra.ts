import type { JsonObject } from 'pegboard';

/** MCP 2026-07-28, Error Codes. */
export const UNSUPPORTED_VERSION = -32022;
export const METHOD_NOT_FOUND = -32601;

/** Whether an error means that the server no longer speaks the era that it agreed to.
 *  @param method of the request; a server whose tools are listed has tools/call */
export function isOtherEra(method: string, { code }: JsonObject): boolean {
  return code === UNSUPPORTED_VERSION || (code === METHOD_NOT_FOUND && method === 'tools/call');
}
