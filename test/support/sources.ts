import { readFileSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageFile } from '../../kernel/lib/packageFile.ts';

export const ROOT = fileURLToPath(new URL('.', packageFile('tsconfig.json')));

/** Paths of the TypeScript files below a folder, from the root of the project. */
export function sourcesBelow(folder: string): string[] {
  return filesBelow(folder, ['.ts']);
}
export function filesBelow(folder: string, extensions: readonly string[]): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => extensions.includes(extname(name)) && !name.includes('node_modules'))
    .map((name) => join(folder, name));
}
export function textOf(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}
