import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { defer } from '../../../support/cleanup.ts';
import { makeDirectory } from '../../../support/directory.ts';
import { captureLog } from '../../../support/log.ts';
import { programAt } from '../../../support/programs.ts';
import { listsIn } from './listsIn.ts';

describe('upstream: what a killed process was listed for callers', function () {
  this.timeout(60_000);

  it('is there in the next one, as it was last; only what was being written may be missing', async () => {
    const { path } = makeDirectory();
    const program = programAt('test/plugins/upstream/server/killedLists.ts');
    const child = spawn(process.execPath, [...program, path], { stdio: ['ignore', 'pipe', 'inherit'] });
    defer(() => child.kill('SIGKILL'));
    const kept = new Map<string, string>();
    let writing = '';
    let count = 0;
    createInterface(child.stdout).on('line', (line) => {
      const [what, owner = '', name = ''] = line.split(' ');
      if (what === 'begin') {
        writing = owner;
        return;
      }
      kept.set(owner, name);
      writing = '';
      count += 1;
      if (count === 100) child.kill('SIGKILL');
    });
    expect((await once(child, 'close'))[1]).equal('SIGKILL');
    const log = captureLog();
    const next = await listsIn(path, log);
    defer(() => next.close());
    kept.delete(writing);
    expect(kept.size).within(9, 10);
    for (const [owner, name] of kept) expect(await next.namesFor(owner), owner).deep.equal([name]);
    expect(log.having('could not be stored or read', 'warn')).deep.equal([]);
  });
});
