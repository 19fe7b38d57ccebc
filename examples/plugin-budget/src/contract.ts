import { one } from 'pegboard';
import type { NoDetails } from 'pegboard';

declare module 'pegboard' {
  interface ErrorCodes {
    /** the caller has made its calls of today; try again after retryAfter seconds */
    BUDGET_SPENT: {
      /** Calls a day. */
      readonly limit?: number;
    };
    /** no caller with that key has made a call today */
    BUDGET_UNKNOWN: NoDetails;
  }
  interface EventMap {
    /** The last call of a caller's day was made. */
    'budget.spent': { readonly key: string; readonly limit: number };
  }
}

/** Calls a day for each caller. Provided by the plugin `budget`. */
export interface Budget {
  /** Takes one call from the budget of today. @throws GatewayError BUDGET_SPENT */
  spend(key: string): void;
  /** Calls that are left today. @throws GatewayError BUDGET_UNKNOWN when none was made */
  left(key: string): number;
}
export const Budget = one<Budget>('budget/ledger');
