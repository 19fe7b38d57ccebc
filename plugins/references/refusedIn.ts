import type { Finding } from 'pegboard';
import type { Write } from '../contracts/secrets.ts';
import { isMovedBeside, valueAt } from '../kit/definitions/beside.ts';
import type { Path } from '../kit/definitions/beside.ts';
import { referencesIn } from './referencesIn.ts';
import type { ReferenceRules } from './referenceRules.ts';

/** What a write would add in references that are not allowed. */
export function refusedIn({ next, stored }: Write, rules: ReferenceRules): readonly Finding[] {
  return referencesIn(next).flatMap(({ name, path }): Finding[] => {
    if (rules.allows(name) || isKept(path, { next, stored })) return [];
    const place = path.join('.');
    const fix = `write the definition as a file or custom resource, or add ${name} to references.allow in config.yaml`;
    const message = `${place} refers to ${name}, which may not be given through a tool, nor sent elsewhere than before; ${fix}`;
    return [{ path, message }];
  });
}

/** Whether it is stored at the same place, and goes to no other address beside it. */
function isKept(path: Path, { next, stored }: Write): boolean {
  const text = JSON.stringify(valueAt(next, path));
  if (text !== JSON.stringify(valueAt(stored, path))) return false;
  return !isMovedBeside(path, next, stored);
}
