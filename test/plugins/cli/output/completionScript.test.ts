import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync } from 'node:fs';
import { expect } from 'chai';
import { completionScript } from '../../../../plugins/cli/output/completionScript.ts';
import { makeDirectory } from '../../../support/directory.ts';
import { commandOnTerminal } from '../../../support/onTerminal.ts';
import { packedProgram } from '../../../support/packed.ts';
import { serveHere } from '../../../support/serveHere.ts';
import { typeVerb } from '../../../support/typeVerb.ts';
import { until } from '../../../support/until.ts';
import { told } from '../../upstream/support.ts';

/** How each shell is started without the user's own settings, and what loads completion. */
const SHELLS = {
  bash: { args: ['--norc', '--noprofile', '-i'], load: 'source ./script' },
  zsh: { args: ['-f', '-i'], load: 'autoload -U compinit; compinit -u -D; source ./script' },
  fish: { args: ['--no-config', '-i'], load: 'source ./script' },
};
const NAMES = ['ta$(touch${IFS}run)', 'tb`touch run`', 'tc\'";touch run;'];

describe('cli: completion in a shell', function () {
  this.timeout(60_000);

  for (const [shell, { args, load }] of Object.entries(SHELLS))
    it(`quotes names of tools in ${shell}, so that they are called and not run`, async function () {
      if (!isInstalled(shell)) {
        console.log(`      SKIPPED: ${shell} is not installed`);
        this.skip();
      }
      const home = makeDirectory({
        script: completionScript(shell) ?? '',
        'bin/pegboard': `#!/bin/sh\n[ "$1" = call ] && { printf 'called <%s>\\n' "$2"; exit; }\nexec "${process.execPath}" "${packedProgram()}" "$@"\n`,
      });
      chmodSync(home.at('bin/pegboard'), 0o755);
      const tools = NAMES.map((name) => ({ name, inputSchema: { type: 'object' } }));
      const evil = JSON.stringify(told({ 'tools/list': { tools } }));
      const gateway = makeDirectory({ 'mcpservers/evil.yaml': evil });
      const url = `${(await serveHere(gateway)).url}/mcp`;
      const listed = () => typeVerb(['list', 'tools', '-o', 'name', '--endpoint', url]);
      await until(async () => (await listed()).stdout.includes('x_evil_'));
      const env = {
        ...(process.env as Record<string, string>),
        HOME: home.path,
        XDG_CACHE_HOME: home.at('cache'),
        PEGBOARD_ENDPOINT: url,
        TERM: 'dumb',
        PATH: `${home.at('bin')}:${process.env['PATH'] ?? ''}`,
      };
      const { type, shows, shown } = commandOnTerminal([shell, ...args], { cwd: home.path, env });
      type(`${load}; echo loa''ded\r`);
      await shows('loaded');
      for (const name of NAMES) {
        const from = shown().length;
        type(`pegboard call x_evil_${name.slice(0, 2)}\t`);
        await until(() => shown().slice(from).includes('run'), { what: name, withinMs: 15_000 });
        type('\r');
        await shows(`called <x_evil_${name}>`);
      }
      expect(existsSync(home.at('run'))).equal(false);
    });
});

function isInstalled(shell: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${shell}`]);
    return true;
  } catch {
    return false;
  }
}
