import { one } from '../capabilities.ts';

/** Ends the process in an orderly way, as SIGTERM does; provided by the kernel. */
export interface Shutdown {
  /** @param reason for the log */
  request(reason: string): void;
  /** Calls `listener` once a shutdown has been requested, immediately if it already has: for what waits while it starts.
   *  @returns removes the listener */
  onRequest(listener: (reason: string) => void): () => void;
}
export const Shutdown = one<Shutdown>('shutdown');
