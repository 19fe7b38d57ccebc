import type {} from 'pegboard';

declare module 'pegboard' {
  interface ErrorCodes {
    /** a limit on the number of calls is reached; try again after retryAfter seconds */
    LIMIT_EXCEEDED: {
      /** The key of config.yaml that set the limit. */
      readonly limit?: string;
    };
  }
}
