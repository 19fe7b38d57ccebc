import type { Authority } from '../contracts/operators.ts';

/** `operators` of config.yaml, and the entries of `access`; schemas/config/operators.schema.json has meanings and defaults. */
export interface OperatorsConfig {
  readonly operators: OperatorsSection;
  readonly access: readonly AccessEntry[];
}
export interface OperatorsSection {
  readonly groups: readonly string[];
  readonly emails: readonly string[];
  readonly issuers: readonly { readonly issuer: string; readonly subjects: readonly string[] }[];
  /** Whether calls of agents that take `define` are confirmed by the user of this machine. */
  readonly local: 'askIfPossible' | 'ask' | 'define';
  readonly networks: readonly string[];
}
export interface AccessEntry {
  readonly groups: readonly string[];
  readonly operator?: Exclude<Authority, 'use'>;
}
