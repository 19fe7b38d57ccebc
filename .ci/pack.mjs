// Packs what npm would publish and unpacks it into build/packed/package: end-to-end tests run that, not the sources. Beside it, in
// build/packed/programs, are the test servers that are started most: as one file, they start in half the time.
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const PROGRAMS = [
  'test/support/relayServer.ts',
  'test/support/extendedServer.ts',
  'test/plugins/admin/boothServer.ts',
  'test/plugins/admin/shopServer.ts',
  'test/plugins/upstream/fixtures/counter.mjs',
];
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = fileURLToPath(new URL('../build/packed/', import.meta.url));
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const pack = ['pack', root, '--silent', '--ignore-scripts', '--pack-destination', folder];
const tarball = execFileSync('npm', pack, { encoding: 'utf8' }).trim();
renameSync(`${folder}${tarball}`, `${folder}pegboard.tgz`);
execFileSync('tar', ['-xzf', 'pegboard.tgz'], { cwd: folder });
for (const program of PROGRAMS) {
  const bundle = await rolldown({ input: join(root, program), platform: 'node' });
  await bundle.write({
    file: join(folder, 'programs', basename(program).replace(/\.ts$/, '.js')),
    format: 'esm',
  });
  await bundle.close();
}
