import type { NoDetails } from 'pegboard';

declare module 'pegboard' {
  interface ErrorCodes {
    /** the operator has denied the tool */
    TOOL_DENIED: NoDetails;
  }
}
