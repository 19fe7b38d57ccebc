// A module hook (source.mjs) that turns .ts files into JavaScript by what the bundler uses; their types are judged by tsc.
import { Buffer } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'rolldown/utils';

const OPTIONS = { tsconfig: false, typescript: { onlyRemoveTypeImports: true }, sourcemap: true };

export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
  return withoutTypes(url, await readFile(fileURLToPath(url), 'utf8'));
}

/** @returns what a hook answers for a module of this text */
export function withoutTypes(url, text) {
  const { code, map, errors } = transformSync(fileURLToPath(url), text, OPTIONS);
  if (errors.length > 0) throw new SyntaxError(errors[0].message);
  const places = { version: 3, sources: [url], names: [], mappings: map.mappings };
  const encoded = Buffer.from(JSON.stringify(places)).toString('base64');
  const source = `${code}\n//# sourceMappingURL=data:application/json;base64,${encoded}`;
  return { format: 'module', source, shortCircuit: true };
}
