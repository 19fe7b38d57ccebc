import type { NoDetails } from 'pegboard';

declare module 'pegboard' {
  interface ErrorCodes {
    /** the sign-in of the caller is not for the API server */
    STORE_AUDIENCE: NoDetails;
  }
}
