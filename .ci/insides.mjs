// Counts the lines of files below test/ that import the inside of a plugin by value: anything of plugins/<name>/ but its index.ts.
// These break when the inside of a plugin moves; others see a plugin as its users do. Contracts, kit and types do not count.
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = new URL('..', import.meta.url).pathname;
/** Lower it when the number sinks; a new test that needs an inside takes the place of another. */
const BOUND = 22_708;
const SHOWN = 10;
const IMPORT = /^(?:import|export) (?!type\b)(?:[^;']* from )?'(\.[^']+)'|\bawait import\('(\.[^']+)'\)/gm;
const INSIDE = /^plugins\/(?!contracts\/|kit\/)[^/]+\/(?!index\.ts$)/;

function importsInside(path, text) {
  return [...text.matchAll(IMPORT)].some(([, of, late]) => INSIDE.test(join(dirname(path), of ?? late)));
}

const found = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({ path: join('test', name), text: readFileSync(join(ROOT, 'test', name), 'utf8') }))
  .filter(({ path, text }) => importsInside(path, text))
  .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
  .sort((a, b) => b.lines - a.lines);
const total = found.reduce((sum, { lines }) => sum + lines, 0);
for (const { path, lines } of found.slice(0, SHOWN)) console.log(`${lines} ${path}`);
console.log(
  `${total} lines in ${found.length} files import the inside of a plugin by value, at most ${BOUND}`,
);
if (total > BOUND) {
  console.log(
    'test a plugin through its index.ts (test/support/gateway.ts starts one), or what it shares in plugins/kit',
  );
  process.exitCode = 1;
}
