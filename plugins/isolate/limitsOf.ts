import type { Grants } from '../contracts/servers.ts';
import { withinLimit } from '../kit/definitions/withinLimit.ts';
import type { IsolateConfig } from './config.ts';

export type Limits = Readonly<Record<'memoryMb' | 'processes' | 'openFiles', number>>;

/** What holds of a process; 0: unlimited. */
export function limitsOf(how: 'sandbox' | 'container', grants: Grants, config: IsolateConfig): Limits {
  // There the kernel counts none, so a definition takes away nothing that held.
  const isUncounted = how === 'sandbox' && grants.processes === 0 && process.getuid?.() === 0;
  return {
    memoryMb: withinLimit(grants.memoryMb, config.memoryMb),
    processes: isUncounted ? 0 : withinLimit(grants.processes, config.processes),
    openFiles: withinLimit(grants.openFiles, config.openFiles),
  };
}
