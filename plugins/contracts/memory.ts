import { one } from 'pegboard';
import type { Call, NoDetails } from 'pegboard';

declare module 'pegboard' {
  interface ErrorCodes {
    /** large messages take all the memory that they may; try again after retryAfter seconds */
    MEMORY_FULL: NoDetails;
  }
}

/** Up to here a message is never counted, so that small calls go on in a flood. */
export const SMALL_BYTES = 65_536;

/** What takes memory: a label of the metrics. */
export type MemoryUse = 'request' | 'answer' | 'result' | 'run' | 'page';

/** The memory that messages above SMALL_BYTES take, in sum over all callers and servers. */
export interface MemoryBudget {
  /** Opens a share for something that grows while it is read or made.
   *  @param owner whose share it counts against: a caller as `sharerOf` gives it, or a server */
  open(use: MemoryUse, owner: string): MemoryShare;
  /** Counts the bytes of a result, until its call settles, and the meta-tool above it, which shows or stores it. Never refuses. */
  hold(call: Call, bytes: number): void;
}
export interface MemoryShare {
  /** @param bytes its size by now, or as announced; 0 gives all back @returns false if it must not grow before room() */
  size(bytes: number): boolean;
  /** Resolves when it may take the size that it asked for. @throws GatewayError MEMORY_FULL if that takes too long, or never fits */
  room(): Promise<void>;
}
export const MemoryBudget = one<MemoryBudget>('memory-budget');
