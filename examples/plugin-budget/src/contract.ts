import { one } from 'pegboard';
import type { NoDetails } from 'pegboard';

declare module 'pegboard' {
  interface ErrorCodes {
    /** the caller has made its calls of today; try again after retryAfter seconds */
    BUDGET_SPENT: {
      /** Calls per day. */
      readonly limit?: number;
    };
    /** no caller with that key has made a call today */
    BUDGET_UNKNOWN: NoDetails;
  }
  interface EventMap {
    /** A caller has made its last call of the day. */
    'budget.spent': { readonly key: string; readonly limit: number };
  }
}

/** A budget of calls per day for each caller. Provided by the plugin `budget`. */
export interface Budget {
  /** Takes one call from today's budget. @throws GatewayError BUDGET_SPENT */
  spend(key: string): void;
  /** Calls that are left today. @throws GatewayError BUDGET_UNKNOWN if the caller has made none */
  left(key: string): number;
}
export const Budget = one<Budget>('budget/ledger');
