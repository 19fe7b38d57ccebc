import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from 'pegboard';
import type { Expectation, ResultCondition } from '../definition/model.ts';
import { INTEGERS, isInteger } from '../definition/integers.ts';
import { navigate } from '../definition/paths.ts';

/** The result that an expectation is compared with. */
export interface Observed {
  /** Undefined if nothing ran, which is neither a success nor a failure. */
  readonly ok: boolean | undefined;
  readonly value: unknown;
}
export interface Matching {
  /** Renders templates in expected values. */
  readonly expected: (value: unknown) => Promise<unknown>;
  /** Evaluates a key that is a template, with the root `.result`. */
  readonly keyed: (template: string, result: unknown) => Promise<unknown>;
}

/** True if the result meets `expect` and does not meet `expectNot`. Source: requirement workflow.condition. */
export async function passes(
  { expect, expectNot }: ResultCondition,
  observed: Observed,
  matching: Matching,
): Promise<boolean> {
  if (expect !== undefined && !(await matches(expect, observed, matching))) return false;
  return expectNot === undefined || !(await matches(expectNot, observed, matching));
}

async function matches(
  { success, jsonPath }: Expectation,
  { ok, value }: Observed,
  matching: Matching,
): Promise<boolean> {
  const paths = Object.entries(jsonPath);
  const wanted = success ?? (paths.length > 0 ? true : undefined);
  if (wanted !== undefined && ok !== wanted) return false;
  for (const [key, expected] of paths)
    if (!(await matchesPath(key, expected, { value, matching }))) return false;
  return true;
}

async function matchesPath(
  key: string,
  expected: unknown,
  { value, matching }: { value: unknown; matching: Matching },
): Promise<boolean> {
  const wanted = await matching.expected(expected);
  try {
    return isAlike(key.includes('{{') ? await matching.keyed(key, value) : navigate(value, key), wanted);
  } catch {
    return false;
  }
}

/** Whether values are deeply equal, or scalars with the same text: `3` and `"3"`. */
export function isAlike(found: unknown, wanted: unknown): boolean {
  if (isDeepStrictEqual(found, wanted)) return true;
  if (isContainer(found) || isContainer(wanted)) return false;
  return printed(found) === printed(wanted);
}

function isContainer(value: unknown): value is JsonObject | readonly unknown[] {
  return typeof value === 'object' && value !== null && !isInteger(value);
}
function printed(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null ? '<nil>' : (INTEGERS.digitsOf(value) ?? JSON.stringify(value));
}
