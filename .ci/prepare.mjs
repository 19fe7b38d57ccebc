// Builds dist/. A published tarball carries dist/ and no compiler, so a missing compiler is only an error in a checkout.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync, chmodSync } from 'node:fs';
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
function removeOrphans(folder) {
  for (const name of readdirSync(join(root, 'dist', folder))) {
    const path = join(folder, name);
    if (statSync(join(root, 'dist', path)).isDirectory()) {
      if (existsSync(join(root, path))) removeOrphans(path);
      else rmSync(join(root, 'dist', path), { recursive: true });
      continue;
    }
    const source = path.replace(/\.d\.ts$|\.js$/, '.ts');
    if (source !== path && !existsSync(join(root, source))) rmSync(join(root, 'dist', path));
  }
}

const tsc = findCompiler();
if (tsc === undefined) {
  if (existsSync(join(root, 'dist/kernel/program/main.js'))) process.exit(0);
  console.error('pegboard: no compiler to build dist/ with; run: npm ci --include=dev');
  process.exit(1);
}
const { status } = spawnSync(process.execPath, [tsc, '-p', root, ...process.argv.slice(2)], {
  stdio: 'inherit',
});
if (status !== 0) process.exit(status ?? 1);
removeOrphans('.');
for (const program of ['kernel/program/pegboard.js', 'plugins/cassettes/replay.js'])
  chmodSync(join(root, 'dist', program), 0o755);
