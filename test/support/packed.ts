import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, sourcesBelow } from './sources.ts';

const FOLDER = join(ROOT, 'build/packed');
let isLookedAt = false;

/** The tarball that npm would publish, created by `npm run -s pack`. @throws Error if it is missing */
export function tarball(): string {
  const path = join(FOLDER, 'pegboard.tgz');
  if (!existsSync(path)) throw new Error(`${path} is missing; first run: npm run pack`);
  if (!isLookedAt) warnIfOld(statSync(path).mtimeMs);
  isLookedAt = true;
  return path;
}

/** The tarball unpacked: Pegboard as a user has it. @throws Error if it is missing */
export function packedFolder(): string {
  return join(tarball(), '../package');
}

/** The program in it. @throws Error if it is missing */
export function packedProgram(): string {
  return join(packedFolder(), 'dist/kernel/program/pegboard.js');
}

function warnIfOld(packedMs: number): void {
  const newer = [...sourcesBelow('kernel'), ...sourcesBelow('plugins')].find(
    (path) => statSync(join(ROOT, path)).mtimeMs > packedMs,
  );
  if (newer !== undefined) console.warn(`${FOLDER} is older than ${newer}; to test that, run: npm run pack`);
}
