import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { SHELLS, completingShell } from './completingShell.ts';
import { packedProgram } from '../../../support/packed.ts';
import { typeVerb } from '../../../support/typeVerb.ts';
import { until } from '../../../support/until.ts';

/** What is typed before the tab key, and the words that the program is then called with. */
const TYPED: readonly (readonly [string, string])[] = [
  ['pegboard check --config-path exam', 'check|--config-path|example.yaml|'],
  ['pegboard plan exam', 'plan|example.yaml|'],
  ['pegboard create -f exam', 'create|-f|example.yaml|'],
  ['pegboard call x_evil_tool --file exam', 'call|x_evil_tool|--file|example.yaml|'],
  ['pegboard list tools -o js', 'list|tools|-o|json|'],
  ['pegboard call x_evil_tool --mo', 'call|x_evil_tool|--mode|'],
  ['pegboard call x_evil_tool --mode slo', 'call|x_evil_tool|--mode|slow|'],
  ['pegboard completion fis', 'completion|fish|'],
];

describe('cli: completion that is typed in a shell', function () {
  this.timeout(120_000);

  for (const shell of Object.keys(SHELLS) as (keyof typeof SHELLS)[])
    it(`completes files, values and the arguments of a tool in ${shell}`, async function () {
      if (spawnSync(shell, ['--version']).status !== 0) {
        console.log(`      SKIPPED: ${shell} is not installed`);
        this.skip();
      }
      const inputSchema = { type: 'object', properties: { mode: { enum: ['fast', 'slow'] } } };
      const { type, shows, shown } = await completingShell(shell, {
        script: (await typeVerb(['completion', shell])).stdout,
        program: `[ "$1" = __complete ] && exec "${process.execPath}" "${packedProgram()}" "$@"\nprintf 'ran <'; printf '%s|' "$@"; echo '>'`,
        tools: [{ name: 'tool', inputSchema }],
        files: { 'example.yaml': '' },
      });
      for (const [line, words] of TYPED) {
        const last = words.split('|').at(-2) ?? '';
        const from = shown().length;
        type(`${line}\t`);
        await until(() => shown().slice(from).includes(last), {
          what: `${line} → ${last}`,
          withinMs: 15_000,
        });
        type('\r');
        await shows(`ran <${words}>`);
      }
    });

  it('offers no names where the value of an option is meant', async () => {
    const offered = async (...words: readonly string[]): Promise<string> =>
      (await typeVerb(['__complete', '--', ...words])).stdout;
    expect(await offered('list', '--config-path', '')).equal('');
    expect(await offered('get', '--config-path', '')).equal('');
    expect((await offered('list', '--config-path', 'here', 'too')).trim()).equal('tools');
  });
});
