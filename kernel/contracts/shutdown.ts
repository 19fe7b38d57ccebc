import { one } from '../capabilities.ts';

/** Ends the process in an orderly way, as SIGTERM does; provided by the kernel. */
export interface Shutdown {
  /** @param reason for the log */
  request(reason: string): void;
}
export const Shutdown = one<Shutdown>('shutdown');
