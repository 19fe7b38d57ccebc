import type { Era } from '../options.ts';

/** What servers of both eras say when a tool asks in the way of the older one while it is called in the newer one: FastMCP, the
 *  SDKs for Python, TypeScript, Rust and Go, and mcp-go. The request that could not be sent is the first thing that failed. */
const ONLY_OLDER =
  /(?:server-initiated|server-to-client) requests (?:is|are) (?:unavailable|not (?:supported|available|allowed))|no back-channel for server-initiated requests|cannot be sent while serving a request on (?:protocol version|that revision)/i;
/** Their words about a tool that returns `input_required` in the older one. */
const ONLY_NEWER =
  /input.?required\W?result\b[^]{0,200}(?:only exists at MCP 2026-07-28|no input_required vocabulary)/i;
/** The SDK for Python does not say what is invalid. */
const MAYBE_NEWER = /^Handler returned an invalid result$/;

export interface Unable {
  /** The era in which the server could ask. */
  readonly era: Era;
  /** Whether the call may be sent again in any case: a tool that returns `input_required` is made to be run again. */
  readonly isRepeatable: boolean;
}

/** Why a server could not ask its client in the era of a call; undefined if its answer does not say so. @param said its words */
export function unableToAsk(era: Era, said: string): Unable | undefined {
  if (era === 'modern') return ONLY_OLDER.test(said) ? { era: 'legacy', isRepeatable: false } : undefined;
  if (ONLY_NEWER.test(said)) return { era: 'modern', isRepeatable: true };
  return MAYBE_NEWER.test(said) ? { era: 'modern', isRepeatable: false } : undefined;
}
