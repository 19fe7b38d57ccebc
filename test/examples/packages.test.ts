import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { defer } from '../support/cleanup.ts';
import { makeDirectory } from '../support/directory.ts';
import { packedFolder } from '../support/packed.ts';
import { link } from '../support/packages.ts';
import { ROOT } from '../support/sources.ts';

describe('the example packages', function () {
  this.timeout(60_000);

  it('plugin-auth-apikey passes its own tests as a package of its own', () => passes('plugin-auth-apikey'));
  it('plugin-page passes its own tests as a package of its own', () => passes('plugin-page'));
  it('plugin-rename passes its own tests as a package of its own', () => passes('plugin-rename'));
  it('plugin-retry passes its own tests as a package of its own', () => passes('plugin-retry'));
  it('plugin-store-sqlite passes its own tests as a package of its own', () =>
    passes('plugin-store-sqlite', ['sql.js']));
});

/** Runs `mocha test.js` in a copy outside this tree, with the packed Pegboard and only the dependencies of its package.json. */
async function passes(example: string, dependencies: readonly string[] = []): Promise<void> {
  const copy = makeDirectory().at(example);
  const isOwn = (path: string): boolean => basename(path) !== 'node_modules';
  cpSync(join(ROOT, 'examples', example), copy, { recursive: true, filter: isOwn });
  link(packedFolder(), join(copy, 'node_modules/pegboard'));
  for (const name of ['mocha', ...dependencies])
    link(join(ROOT, 'node_modules', name), join(copy, 'node_modules', name));
  const mocha = spawn(
    process.execPath,
    ['node_modules/mocha/bin/mocha.js', '--timeout', '20000', 'test.js'],
    { cwd: copy },
  );
  defer(() => mocha.kill('SIGKILL'));
  let output = '';
  for (const stream of [mocha.stdout, mocha.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [code] = (await once(mocha, 'close')) as [number | null];
  expect(code, output).to.equal(0);
  expect(output).to.match(/[1-9]\d* passing/);
}
