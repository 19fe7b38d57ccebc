import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { expect } from 'chai';
import { makeDirectory } from '../../../support/directory.ts';
import { typeVerb } from '../../../support/typeVerb.ts';

describe('cli: completion beyond names', () => {
  it('completes files in fish where nothing else is known, as bash and zsh do', async function () {
    if (spawnSync('fish', ['--version']).status !== 0) {
      console.log('      SKIPPED: fish is not installed');
      this.skip();
    }
    const home = makeDirectory({
      script: (await typeVerb(['completion', 'fish'])).stdout,
      'example.yaml': '',
      'bin/pegboard': '#!/bin/sh\n[ "$3" = list ] && echo "a tool"; exit 0\n',
    });
    chmodSync(home.at('bin/pegboard'), 0o755);
    const env = { ...process.env, HOME: home.path, PATH: `${home.at('bin')}:${process.env['PATH'] ?? ''}` };
    const offered = (line: string): string =>
      execFileSync('fish', ['--no-config', '-c', `source ./script; complete -C '${line}'`], {
        cwd: home.path,
        env,
        encoding: 'utf8',
      });
    expect(offered('pegboard check --config-path exam')).match(/^example\.yaml/);
    expect(offered('pegboard list ')).equal('a tool\n');
  });

  it('offers the values of an option, of shells, and of kinds of schemas', async () => {
    const offered = async (...words: readonly string[]): Promise<readonly string[]> =>
      (await typeVerb(['__complete', '--', ...words])).stdout.trim().split('\n');
    expect(await offered('list', 'tools', '-o', '')).includes.members(['json', 'yaml']);
    expect(await offered('list', 'tools', '--output', 'js')).deep.equal(['json']);
    expect(await offered('completion', '')).deep.equal(['bash', 'zsh', 'fish']);
    expect(await offered('schema', 'w')).deep.equal(['workflow']);
  });
});
