// A module hook (mutate.mjs) that replaces a text of one source.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { withoutTypes } from './stripTypes.mjs';

let mutant;

export function initialize(given) {
  const { file, find, replace } = JSON.parse(given);
  mutant = { path: fileURLToPath(new URL(`../${file}`, import.meta.url)), find, replace };
}

export async function load(url, context, next) {
  if (!url.startsWith('file:') || fileURLToPath(url) !== mutant.path) return next(url, context);
  const text = await readFile(mutant.path, 'utf8');
  return withoutTypes(
    url,
    text.replace(mutant.find, () => mutant.replace),
  );
}
