// Packs what npm would publish and unpacks it into build/packed/package: end-to-end tests run that, not the sources.
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = fileURLToPath(new URL('../build/packed/', import.meta.url));
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const pack = ['pack', root, '--silent', '--ignore-scripts', '--pack-destination', folder];
const tarball = execFileSync('npm', pack, { encoding: 'utf8' }).trim();
renameSync(`${folder}${tarball}`, `${folder}pegboard.tgz`);
execFileSync('tar', ['-xzf', 'pegboard.tgz'], { cwd: folder });
