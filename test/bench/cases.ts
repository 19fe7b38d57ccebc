/** What is measured, and what must come out. Source: the speed goals of the project. */
import type { CallKind } from './call.ts';
import type { UpstreamKind } from './targets.ts';

export interface Case {
  readonly name: string;
  readonly upstream: UpstreamKind;
  readonly connections: number;
  readonly kind: CallKind;
  /** The least calls/s of Pegboard, as a share of the floor's. */
  readonly minRatio: number;
}

/** The most CPU a call of Pegboard may cost, as a multiple of the floor's. */
export const MAX_CPU_RATIO = 1.25;

export const CASES: readonly Case[] = [
  { name: 'http1', upstream: 'http', connections: 1, kind: 'echo', minRatio: 0.8 },
  { name: 'http32', upstream: 'http', connections: 32, kind: 'echo', minRatio: 0.8 },
  { name: 'http10k', upstream: 'http', connections: 32, kind: 'big', minRatio: 0.9 },
  { name: 'stdio1', upstream: 'stdio', connections: 1, kind: 'echo', minRatio: 0.85 },
  { name: 'stdio32', upstream: 'stdio', connections: 32, kind: 'echo', minRatio: 0.85 },
  { name: 'stdio10k', upstream: 'stdio', connections: 32, kind: 'big', minRatio: 0.9 },
];
