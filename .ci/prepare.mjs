// Compiles into build/, a file per module, for the tests; bundles what ships into dist/.
// A published tarball carries dist/ and no compiler, so a missing compiler is only an error in a checkout.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(import.meta.url);
const root = new URL('..', import.meta.url).pathname;

function findCompiler() {
  try {
    return require.resolve('typescript/bin/tsc');
  } catch {
    return undefined;
  }
}

/** Output of a source that is gone would still be loaded (plugins are found by folder, tests by glob). */
function removeOrphans(output, folder = '.') {
  for (const name of readdirSync(join(root, output, folder))) {
    const path = join(folder, name);
    if (statSync(join(root, output, path)).isDirectory()) {
      if (existsSync(join(root, path))) removeOrphans(output, path);
      else rmSync(join(root, output, path), { recursive: true });
      continue;
    }
    const source = path.replace(/\.d\.ts$|\.js$/, '.ts');
    if (source !== path && !existsSync(join(root, source))) rmSync(join(root, output, path));
  }
}

/** Within build/, `pegboard` is build/ itself: tests and the modules they load share one copy of everything. */
function writeOwnManifest() {
  const { name, version, type, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const exports = {
    '.': './kernel/index.js',
    './contracts': './plugins/contracts.js',
    './kit': './plugins/kit.js',
    './net': './plugins/kit/net/index.js',
    './testing': './test/contract/index.js',
    './package.json': './package.json',
  };
  writeFileSync(join(root, 'build/package.json'), JSON.stringify({ name, version, type, engines, exports }));
}

/** Within build/, `@pegboard/gotpl` is the compiled one; node_modules has a link to its sources. */
function writeGotpl() {
  const folder = join(root, 'build/node_modules/@pegboard/gotpl');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"type":"module","exports":"./index.js"}\n');
  writeFileSync(join(folder, 'index.js'), "export * from '../../../plugins/workflow/gotpl/index.js';\n");
}

const tsc = findCompiler();
if (tsc === undefined) {
  if (existsSync(join(root, 'dist/kernel/program/pegboard.js'))) process.exit(0);
  console.error('pegboard: no compiler to build dist/ with; run: npm ci --include=dev');
  process.exit(1);
}
const { status } = spawnSync(process.execPath, [tsc, '-p', root, ...process.argv.slice(2)], {
  stdio: 'inherit',
});
if (status !== 0) process.exit(status ?? 1);
for (const output of ['build', 'dist']) removeOrphans(output);
writeOwnManifest();
writeGotpl();
const { bundle } = await import('./bundle.mjs');
await bundle();
