import { one } from 'pegboard';
import type { JsonObject } from 'pegboard';

/** One call that has ended, as figures count it. */
export interface EndedCall {
  /** ms since the epoch */
  readonly at: number;
  readonly server: string | undefined;
  readonly isError: boolean;
  /** Undefined: it was refused before it ran. */
  readonly ms: number | undefined;
}

/** The calls of the last day, for operators; provided by the plugin `call-history`. */
export interface CallHistory {
  /** Those that ended within a time, in ms since the epoch. */
  ended(since: number, until: number): Promise<readonly EndedCall[]>;
  /** The arguments of a call of that tool as they are kept, with secrets replaced by HIDDEN; undefined if they are not kept
   *  whole, or not any more. */
  argumentsOf(id: string, tool: string): Promise<JsonObject | undefined>;
}
export const CallHistory = one<CallHistory>('call-history');
