// Compiles, packs what npm would publish and unpacks it into build/packed/package: end-to-end tests run that, not the sources. Beside it, in
// build/packed/programs, are the test servers that are started most: as one file, they start in half the time. Nothing is done again
// for the same files.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
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

/** Digest of all files that git knows or would add; undefined without git. */
function digestOfSources() {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const { status, stdout } = spawnSync('git', list, { cwd: root, encoding: 'utf8' });
  if (status !== 0) return undefined;
  const digest = createHash('sha256');
  for (const path of stdout.split('\0').sort()) {
    const isFile = lstatSync(join(root, path), { throwIfNoEntry: false })?.isFile() === true;
    digest.update(`${path}\0`).update(isFile ? readFileSync(join(root, path)) : '');
  }
  return digest.digest('hex');
}

// `npm run build` removes it.
const stamp = join(folder, 'sources');
const sources = digestOfSources();
if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sources) {
  // Tests compare its age with that of the sources.
  utimesSync(join(folder, 'pegboard.tgz'), new Date(), new Date());
  process.exit(0);
}
const { status } = spawnSync(process.execPath, [join(root, '.ci/prepare.mjs')], { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);
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
if (sources !== undefined) writeFileSync(stamp, sources);
