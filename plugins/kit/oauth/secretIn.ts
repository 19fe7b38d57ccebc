import { fillReferences } from '../secrets/references.ts';
import type { ClientSecret } from './exchangeTarget.ts';

/** A secret, or why there is none. */
export type ReadSecret = { readonly secret: string } | { readonly fault: string };

/** The secret in a file, or why there is none, worded to follow the name of the key. It is read each time, so that it can be replaced. @param directory base of relative paths */
export function secretIn(file: string, directory: string): ReadSecret {
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

/** The secret of a client at an identity provider. @param directory base of relative paths */
export function clientSecretOf(source: ClientSecret, directory: string): ReadSecret {
  if ('file' in source) return secretIn(source.file, directory);
  const { values, faults } = fillReferences({ secret: source.text }, directory);
  const [fault] = faults;
  return fault === undefined ? { secret: values['secret'] ?? '' } : { fault: fault.message };
}
