import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, textOf } from '../support/sources.ts';
import type { Mutant } from './mutants.ts';

/** What keeps a mutant from being a mistake in today's sources; empty if nothing does. */
export function faultsIn({ file, find, replace, tests }: Mutant): readonly string[] {
  const missing = [file, ...tests].filter((path) => !existsSync(join(ROOT, path)));
  if (missing.length > 0) return missing.map((path) => `${path} does not exist`);
  const count = textOf(file).split(find).length - 1;
  const faults = count === 1 ? [] : [`${file} has ${count} times: ${find}`];
  return find === replace ? [...faults, `${file} would not change`] : faults;
}
