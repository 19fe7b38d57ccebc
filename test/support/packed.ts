import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './sources.ts';

/** What npm would publish, as `npm run -s pack` leaves it in build/packed. */
export const TARBALL = join(ROOT, 'build/packed/pegboard.tgz');
/** The tarball unpacked: Pegboard as a user has it. */
export const PACKED = join(ROOT, 'build/packed/package');
export const PROGRAM = join(PACKED, 'dist/kernel/program/pegboard.js');

if (!existsSync(PROGRAM)) throw new Error(`${PROGRAM} is missing; run: npm run pack`);
