import type { Command } from 'pegboard';

/** All verbs, in the order of `pegboard help`. */
export const VERBS: readonly Command[] = [];
