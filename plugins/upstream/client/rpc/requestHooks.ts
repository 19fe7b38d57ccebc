import type { Call, CallResult, GatewayError } from 'pegboard';
import type { RequestLimits } from '../options.ts';
import type { DialectParts } from './dialect.ts';
import type { IncomingHooks } from './incoming.ts';
import type { Alarms } from './liveness.ts';
import type { LateLimits } from './lateCalls.ts';
import type { Round } from './pending.ts';

export interface RequestHooks extends IncomingHooks, DialectParts {
  limits(tool?: string): RequestLimits;
  lateLimits(): LateLimits;
  /** A result of a call has arrived. */
  received?(call: Call, chars: number): void;
  /** Why a call cannot wait for a connection now; undefined if it can. */
  refusal(): GatewayError | undefined;
  /** A result that is not complete: its call needs another round. */
  incomplete(json: string, round: Round): Promise<CallResult>;
  upkeep(): Alarms;
  /** The era must be agreed again over the same wire. @param isProven whether the server has answered well since the last time */
  lost(error: GatewayError, isProven: boolean): void;
}
