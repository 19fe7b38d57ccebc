import { existsSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packedProgram } from './packed.ts';
import { ROOT } from './sources.ts';

/** `.js` if the tests run compiled, from build/. */
const EXTENSION = extname(import.meta.url);
/** Flags of node with which a process runs TypeScript of the project. */
export const NODE_FLAGS: readonly string[] =
  EXTENSION === '.ts' ? ['--conditions', 'pegboard-source', '--import', join(ROOT, '.ci/source.mjs')] : [];

/** The file of a module as it runs. @param path from the root, for example `kernel/bus.ts` */
export function moduleAt(path: string): string {
  return fileURLToPath(new URL(`../../${path.replace(/\.ts$/, EXTENSION)}`, import.meta.url));
}

/** Arguments of node that run Pegboard: packed if the tests run compiled, where that starts in a third of the time. */
export function pegboardProgram(): readonly string[] {
  return EXTENSION === '.js' ? [packedProgram()] : programAt('kernel/program/pegboard.ts');
}

/** Arguments of node that run a module as a program: in one file if it was packed so.
 *  @param path from the root, for example `test/support/relayServer.ts` */
export function programAt(path: string): readonly string[] {
  const packed = join(ROOT, 'build/packed/programs', basename(path).replace(/\.ts$/, '.js'));
  return EXTENSION === '.js' && existsSync(packed) ? [packed] : [...NODE_FLAGS, moduleAt(path)];
}
