import type { Capability } from '../../kernel/index.ts';

/** The tokens that modules export, by name. */
export function tokensOf(...modules: readonly object[]): (readonly [string, Capability<unknown>])[] {
  return modules
    .flatMap((module) => Object.entries(module as Readonly<Record<string, unknown>>))
    .filter((entry): entry is [string, Capability<unknown>] => isToken(entry[1]));
}

function isToken(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'cardinality' in value && 'id' in value;
}
