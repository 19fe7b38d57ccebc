const NAME = /^[a-z0-9]([-a-z0-9._]*[a-z0-9])?$/i;
const MAX_NAME_CHARS = 128;

/** @returns what is wrong with a definition's name, or undefined; a valid name is safe as a file name */
export function definitionNameFault(name: string): string | undefined {
  if (name.length > MAX_NAME_CHARS)
    return `the name is over ${MAX_NAME_CHARS} characters long; choose a shorter one`;
  if (NAME.test(name) && !name.includes('..')) return undefined;
  return `the name ${JSON.stringify(name)} is not allowed; use letters, digits, "-", "_" and single ".", beginning and ending with a letter or digit`;
}
