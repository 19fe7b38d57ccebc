import { fillReferences } from 'pegboard';

/** The secret in a file, or why there is none, worded to follow the name of the key. It is read each time, so that it can be replaced. @param directory base of relative paths */
export function secretIn(
  file: string,
  directory: string,
): { readonly secret: string } | { readonly fault: string } {
  // A part of such a name would become a part of the secret.
  if (file === '' || file.includes('}'))
    return { fault: `names the file ${JSON.stringify(file)}, which cannot be used; give it another name` };
  const { values, faults } = fillReferences({ secret: `\${file:${file}}` }, directory);
  const [fault] = faults;
  if (fault !== undefined) return { fault: fault.message };
  const secret = values['secret']?.trim() ?? '';
  if (secret !== '') return { secret };
  return { fault: `names the file ${file}, which is empty; write the secret into it` };
}
