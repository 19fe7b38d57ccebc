import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './sources.ts';

/** The tarball that npm would publish, created by `npm run -s pack` in build/packed. */
export const TARBALL = join(ROOT, 'build/packed/pegboard.tgz');
/** The tarball unpacked: Pegboard as a user has it. */
export const PACKED = join(ROOT, 'build/packed/package');
export const PROGRAM = join(PACKED, 'dist/kernel/program/pegboard.js');

if (!existsSync(PROGRAM)) throw new Error(`${PROGRAM} is missing; run: npm run pack`);
