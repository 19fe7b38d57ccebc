import type { NoDetails } from 'pegboard';

declare module 'pegboard' {
  interface ErrorCodes {
    /** the operator has denied the tool */
    TOOL_DENIED: NoDetails;
    /** a limit on the number of calls is reached; try again after retryAfter seconds */
    LIMIT_EXCEEDED: {
      /** The key of config.yaml that set the limit. */
      readonly limit?: string;
    };
    /** who has written the workflow may not call a tool of its steps, or not any more */
    WORKFLOW_WRITER: NoDetails;
  }
}
