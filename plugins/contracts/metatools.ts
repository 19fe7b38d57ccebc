import type { JsonObject, NoDetails } from 'pegboard';

declare module 'pegboard' {
  interface ErrorCodes {
    /** a stored result has expired or never existed */
    TOOL_RESULT_GONE: NoDetails;
  }
  interface EventMap {
    /** A search was answered. */
    'tools.found': {
      readonly request: InboundRequest;
      /** Absent for a search without words, and for one with `queries`. */
      readonly query?: string | undefined;
      /** The entries of its page, each with its `name`; not a copy. */
      readonly tools: readonly JsonObject[];
    };
  }
}
