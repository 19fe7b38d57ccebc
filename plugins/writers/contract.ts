import type { NoDetails } from 'pegboard';

declare module 'pegboard' {
  interface ErrorCodes {
    /** who has written the workflow may not call a tool of its steps, or not any more */
    WORKFLOW_WRITER: NoDetails;
  }
}
