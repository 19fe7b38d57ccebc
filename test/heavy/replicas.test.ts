import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { defer } from '../support/cleanup.ts';
import { makeDirectory } from '../support/directory.ts';
import type { Directory } from '../support/directory.ts';
import { freePort } from '../support/everything.ts';
import { packedFolder } from '../support/packed.ts';
import { processesNaming } from '../support/proc.ts';
import { needRedis, startRedis } from '../support/redis.ts';
import { ROOT } from '../support/sources.ts';
import { until } from '../support/until.ts';

const exampleAt = (path: string): string => join(packedFolder(), 'examples/replicas', path);
const READY = { what: 'the replicas are ready', withinMs: 20_000 };

interface Running {
  readonly text: () => string;
  readonly stop: () => Promise<unknown>;
}

/** Runs a script of the example from this tree, where the server of its definition is installed. */
function run(script: string, args: readonly string[]): Running {
  const child = spawn(process.execPath, [exampleAt(script), ...args], { cwd: ROOT });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const ended = once(child, 'close');
  const stop = (): Promise<unknown> => {
    child.kill('SIGTERM');
    return ended;
  };
  defer(stop);
  return { text: () => output, stop };
}

function exampleWith(redis: string): Directory {
  const directory = makeDirectory();
  cpSync(exampleAt('mcpservers'), directory.at('mcpservers'), { recursive: true });
  const config = readFileSync(exampleAt('config.yaml'), 'utf8');
  directory.write('config.yaml', config.replace(/redis:\/\/.*/, redis));
  return directory;
}

describe('the example replicas', function () {
  this.timeout(60_000);
  before(function () {
    needRedis(this);
  });

  it('loses no call when a gateway stops, and only calls inside it when one is killed', async () => {
    const { url } = await startRedis();
    const { path } = exampleWith(url);
    const ports = await Promise.all(Array.from({ length: 4 }, freePort));
    const start = run('start.mjs', ['--config-path', path, '--ports', ports.join(',')]);
    await until(() => start.text().includes('ready: http'), READY);
    const pids = [...start.text().matchAll(/is process (\d+)/g)].map(([, pid]) => Number(pid));
    const endpoint = `http://localhost:${ports[0] ?? 0}/mcp`;
    const load = run('load.mjs', ['--url', endpoint, '--sessions', '9']);
    const tallies = () =>
      load
        .text()
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map(
          (line) => JSON.parse(line) as Record<'calls' | 'lostCalls' | 'sessions' | 'lostSessions', number>,
        );
    await until(() => (tallies().at(-1)?.calls ?? 0) > 9, { what: 'the load begins', withinMs: 10_000 });
    process.kill(pids[0] ?? 0, 'SIGTERM');
    await until(() => start.text().includes('ended (0)'), { what: 'the stop', withinMs: 10_000 });
    const lost = () =>
      load
        .text()
        .split('\n')
        .filter((line) => line.startsWith('lost:'));
    expect(lost()).deep.equal([]);
    process.kill(pids[1] ?? 0, 'SIGKILL');
    await until(() => start.text().includes('ended (SIGKILL)'), { what: 'the end', withinMs: 10_000 });
    const { calls } = tallies().at(-1) ?? expect.fail('the load ended');
    const last = await until(() => tallies().find((tally) => tally.calls > calls + 100), {
      what: 'the load continues',
      withinMs: 10_000,
    });
    expect(last).include({ sessions: 9, lostSessions: 0 });
    // Each session has one call at a time.
    expect(lost()).length.at.most(9);
    await load.stop();
    await start.stop();
    expect(processesNaming(path)).deep.equal([]);
  });
});
