import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { makeDirectory } from '../support/directory.ts';
import { tarball } from '../support/packed.ts';
import { ROOT } from '../support/sources.ts';

const run = promisify(execFile);

const MODULES = join(ROOT, 'node_modules');

const digestOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

describe('the package', function () {
  this.timeout(300_000);

  it('built from the same sources in another folder, on another day, has the same bytes', async () => {
    const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
    const { stdout } = spawnSync('git', list, { cwd: ROOT, encoding: 'utf8' });
    const copy = makeDirectory();
    for (const path of stdout.split('\0').filter((name) => name !== '')) {
      cpSync(join(ROOT, path), copy.at(path), { verbatimSymlinks: true });
      utimesSync(copy.at(path), new Date('2027-01-31'), new Date('2027-01-31'));
    }
    // By links where one disk has both; a link to the whole folder would be followed out of the copy.
    await run('sh', ['-c', 'cp -al "$0" "$1" 2>/dev/null || cp -a "$0" "$1"', MODULES, copy.path]);
    await run('npm', ['run', '--silent', 'pack'], { cwd: copy.path, maxBuffer: 1e7 });
    expect(digestOf(copy.at('build/packed/pegboard.tgz'))).equal(digestOf(tarball()));
  });
});
