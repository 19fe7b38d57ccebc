import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { defer } from './cleanup.ts';
import { makeDirectory } from './directory.ts';
import { freePort } from './everything.ts';
import { answers } from './redis.ts';
import { until } from './until.ts';

/** Skips the suite aloud where there is no tinyproxy. */
export function needTinyproxy(suite: Mocha.Context): void {
  if (spawnSync('tinyproxy', ['-v']).status === 0) return;
  console.log('SKIPPED: no tinyproxy here; install it with: apt-get install tinyproxy');
  suite.skip();
}

/** A real tinyproxy on a free port, ended after the test. @param lines of its configuration @returns `127.0.0.1:<port>` */
export async function startTinyproxy(...lines: readonly string[]): Promise<string> {
  const port = await freePort();
  const own = [`Port ${port}`, 'Listen 127.0.0.1', 'Timeout 60', 'Allow 127.0.0.1'];
  const { at } = makeDirectory({ 'tinyproxy.conf': `${[...own, ...lines].join('\n')}\n` });
  const child = spawn('tinyproxy', ['-d', '-c', at('tinyproxy.conf')], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  defer(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  await until(() => answers(port), { what: 'tinyproxy', withinMs: 10_000 });
  return `127.0.0.1:${port}`;
}
