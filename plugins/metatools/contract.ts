import type { NoDetails } from 'pegboard';

declare module 'pegboard' {
  interface ErrorCodes {
    /** a stored result has expired or never existed */
    TOOL_RESULT_GONE: NoDetails;
  }
}
