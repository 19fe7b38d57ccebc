import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { expect } from 'chai';
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

  for (const [shell, { args, load }] of Object.entries(SHELLS))
    it(`completes files, values and the arguments of a tool in ${shell}`, async function () {
      if (spawnSync(shell, ['--version']).status !== 0) {
        console.log(`      SKIPPED: ${shell} is not installed`);
        this.skip();
      }
      const home = makeDirectory({
        script: (await typeVerb(['completion', shell])).stdout,
        'example.yaml': '',
        'bin/pegboard': `#!/bin/sh\n[ "$1" = __complete ] && exec "${process.execPath}" "${packedProgram()}" "$@"\nprintf 'ran <'; printf '%s|' "$@"; echo '>'\n`,
      });
      chmodSync(home.at('bin/pegboard'), 0o755);
      const inputSchema = { type: 'object', properties: { mode: { enum: ['fast', 'slow'] } } };
      const evil = JSON.stringify(told({ 'tools/list': { tools: [{ name: 'tool', inputSchema }] } }));
      const url = `${(await serveHere(makeDirectory({ 'mcpservers/evil.yaml': evil }))).url}/mcp`;
      const listed = () => typeVerb(['list', 'tools', '-o', 'name', '--endpoint', url]);
      await until(async () => (await listed()).stdout.includes('x_evil_tool'));
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
