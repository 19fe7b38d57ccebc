import type {} from 'pegboard';

declare module 'pegboard' {
  interface ErrorCodes {
    /** as many calls as a limit allows have come; try again after retryAfter seconds */
    LIMIT_EXCEEDED: {
      /** The key of config.yaml that set the limit. */
      readonly limit?: string;
    };
  }
}
