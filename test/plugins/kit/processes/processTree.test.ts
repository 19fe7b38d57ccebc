import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync } from 'node:fs';
import { delimiter } from 'node:path';
import { expect } from 'chai';
import { killTree, spawnTree } from '../../../../plugins/kit/processes/processTree.ts';
import { watchdogCommand } from '../../../../plugins/kit/processes/watchdogCommand.ts';
import { makeDirectory } from '../../../support/directory.ts';
import type { Directory } from '../../../support/directory.ts';
import { NODE_FLAGS, moduleAt } from '../../../support/programs.ts';
import { until } from '../../../support/until.ts';

/** A folder with a program that writes its arguments into the file `said`, a line for each start. */
function recorder(name: string): Directory {
  const folder = makeDirectory();
  folder.write(name, `#!/bin/sh\nprintf '%s|' "$@" >> ${folder.at('said')}\necho >> ${folder.at('said')}\n`);
  folder.write('said', '');
  chmodSync(folder.at(name), 0o755);
  return folder;
}

describe('plugins/kit/processes: the tree of a program', () => {
  it('ends with what the program has started', async () => {
    const child = spawnTree(['/bin/sh', '-c', 'sleep 60 & echo $!; wait'], { env: process.env });
    const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
    killTree(child.pid ?? 0, 'SIGKILL');
    await once(child, 'close');
    await until(() => spawnSync('kill', ['-0', chunk.toString().trim()]).status !== 0);
    killTree(child.pid ?? 0, 'SIGKILL');
  });

  it('is ended by taskkill on Windows, which has no SIGTERM', () => {
    const runs: string[] = [];
    const run = (file: string, args: readonly string[]): void => void runs.push([file, ...args].join(' '));
    killTree(12, 'SIGTERM', 'win32', run);
    expect(runs).deep.equal([]);
    killTree(12, 'SIGKILL', 'win32', run);
    expect(runs).deep.equal(['taskkill /pid 12 /t /f']);
  });

  it('is started by cmd.exe on Windows where the PATH has a script of that name, with words as they are', () => {
    const folder = recorder('cmd');
    folder.write('npx.cmd', '');
    const program = `
      Object.defineProperty(process, 'platform', { value: 'win32' });
      const { spawnTree } = await import(${JSON.stringify(moduleAt('plugins/kit/processes/processTree.ts'))});
      spawnTree(['npx', '-y', 'a b', 'c&calc', '%PATH%'], { env: process.env });
    `;
    const env = { ...process.env, comspec: folder.at('cmd'), PATHEXT: '.CMD', PATH: folder.path };
    const { stderr } = spawnSync(process.execPath, [...NODE_FLAGS, '--input-type=module', '-e', program], {
      env,
      encoding: 'utf8',
    });
    const [flags = '', line = ''] = readFileSync(folder.at('said'), 'utf8').split('/c|');
    expect(flags, stderr).equal('/d|/s|');
    expect(line).match(/^"npx.* \^"-y\^" \^"a\^ b\^" \^"c\^&calc\^" \^"\^%PATH\^%\^""\|/);
  });

  it('is ended by the watchdog once its input ends, on Windows too', async () => {
    const folder = recorder('taskkill');
    const [file, ...args] = watchdogCommand('win32');
    const env = { ...process.env, PATH: `${folder.path}${delimiter}${process.env['PATH'] ?? ''}` };
    const child = spawn(file, args, { env, stdio: ['pipe', 'ignore', 'ignore'] });
    child.stdin.end('+ 11\n+ 12\n- 11\n+ 13\n');
    await once(child, 'close');
    expect(readFileSync(folder.at('said'), 'utf8')).equal('/pid|12|/t|/f|\n/pid|13|/t|/f|\n');
  });
});
