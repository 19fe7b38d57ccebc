import type { LogLimits } from './sealedLog.ts';
import type { LockLimits } from './lock.ts';
import type { VaultLimits } from './fileVault.ts';

export interface VaultFileConfig extends LogLimits, LockLimits, VaultLimits {
  readonly sweepMs: number;
}
