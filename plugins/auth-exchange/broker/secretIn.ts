import { fillReferences } from 'pegboard';

/** The secret in a file, or why there is none. It is read each time, so that it can be replaced. @param directory base of relative paths */
export function secretIn(
  file: string,
  directory: string,
): { readonly secret: string } | { readonly fault: string } {
  const { values, faults } = fillReferences({ secret: `\${file:${file}}` }, directory);
  const [fault] = faults;
  if (fault !== undefined) return { fault: fault.message };
  const secret = values['secret']?.trim() ?? '';
  return secret === '' ? { fault: `${file} is empty; write the secret into it` } : { secret };
}
