import type { LogLimits } from './log.ts';
import type { LockLimits } from './lock.ts';
import type { VaultLimits } from './vault.ts';

export interface VaultFileConfig extends LogLimits, LockLimits, VaultLimits {
  readonly sweepMs: number;
}
