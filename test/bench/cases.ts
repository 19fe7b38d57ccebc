/** The measured cases and their goals. */
import type { CallKind } from './call.ts';
import type { UpstreamKind } from './targets.ts';

export interface Case {
  readonly name: string;
  readonly upstream: UpstreamKind;
  readonly connections: number;
  readonly kind: CallKind;
  /** Minimum calls/s of Pegboard, as a share of the floor's; with limits and audit, see MIN_GUARDED_RATIO. */
  readonly minRatio: number;
}

/** Maximum CPU per call of Pegboard, as a multiple of the floor's. */
export const MAX_CPU_RATIO = 1.15;
/** Minimum calls/s of Pegboard with the plugins limits and audit, or with sign-in, as a share of the floor's. */
export const MIN_GUARDED_RATIO = 0.85;

export const CASES: readonly Case[] = [
  { name: 'http1', upstream: 'http', connections: 1, kind: 'echo', minRatio: 0.92 },
  { name: 'http32', upstream: 'http', connections: 32, kind: 'echo', minRatio: 0.92 },
  { name: 'http10k', upstream: 'http', connections: 32, kind: 'big', minRatio: 0.92 },
  { name: 'stdio1', upstream: 'stdio', connections: 1, kind: 'echo', minRatio: 0.88 },
  { name: 'stdio32', upstream: 'stdio', connections: 32, kind: 'echo', minRatio: 0.88 },
  { name: 'stdio10k', upstream: 'stdio', connections: 32, kind: 'big', minRatio: 0.88 },
];
