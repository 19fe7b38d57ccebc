import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect } from 'chai';
import { completionScript } from '../../../../plugins/cli/output/completionScript.ts';
import { SHELLS, completingShell } from './completingShell.ts';
import { packedProgram } from '../../../support/packed.ts';
import { until } from '../../../support/until.ts';

const NAMES = ['ta$(touch${IFS}run)', 'tb`touch run`', 'tc\'";touch run;'];

describe('cli: completion in a shell', function () {
  this.timeout(60_000);

  for (const shell of Object.keys(SHELLS) as (keyof typeof SHELLS)[])
    it(`quotes names of tools in ${shell}, so that they are called and not run`, async function () {
      if (!isInstalled(shell)) {
        console.log(`      SKIPPED: ${shell} is not installed`);
        this.skip();
      }
      const { type, shows, shown, home } = await completingShell(shell, {
        script: completionScript(shell) ?? '',
        program: `[ "$1" = call ] && { printf 'called <%s>\\n' "$2"; exit; }\nexec "${process.execPath}" "${packedProgram()}" "$@"`,
        tools: NAMES.map((name) => ({ name, inputSchema: { type: 'object' } })),
      });
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
