import { expect } from 'chai';
import { makeDirectory } from '../../support/directory.ts';
import { runPegboard } from '../../support/serve.ts';

const GREET = `
import { Command } from 'pegboard';
export const plugin = {
  name: 'greet',
  api: 1,
  configSchema: { type: 'object', properties: { word: { type: 'string', default: 'Hello', description: 'How.' } } },
  provides: [Command],
  apply: (scope) =>
    scope.provide(Command, {
      name: 'greet',
      summary: 'greets',
      parameters: [{ name: '<name>', description: 'who' }],
      options: [{ flags: '--loud', description: 'with more noise' }],
      examples: ['pegboard greet Ada', 'pegboard greet Ada --loud'],
      run: async ({ args, options, terminal }) => {
        terminal.out(scope.config.word + ' ' + args[0] + (options.loud ? '!' : '') + '\\n');
        return 5;
      },
    }),
};`;

describe('verbs of plugins', function () {
  this.timeout(20_000);
  const config = (text: string): string => makeDirectory({ 'config.yaml': text, 'greet.mjs': GREET }).path;

  it('of a third party run with their configuration, arguments, flags and exit code', async () => {
    const path = config('plugins: { greet: { module: ./greet.mjs, config: { word: Hi } } }\n');
    const [ran, list, help] = await Promise.all([
      runPegboard(['greet', 'Ada', '--loud', '--config-path', path]),
      runPegboard(['help', '--config-path', path]),
      runPegboard(['help', 'greet', `--config-path=${path}`]),
    ]);
    expect(ran).include({ code: 5, stdout: 'Hi Ada!\n', stderr: '' });
    expect(list.stdout).contain('greets').and.contain('unlink');
    expect(help.stdout).contain('with more noise').and.contain('pegboard greet Ada --loud');
  });

  it('are missing if their plugin cannot be imported; all others run', async () => {
    const path = config('plugins: { greet: { module: ./gone.mjs } }\n');
    const [other, own] = await Promise.all([
      runPegboard(['context', 'list', '--config-path', path]),
      runPegboard(['greet', 'Ada', '--config-path', path]),
    ]);
    expect(other).include({ code: 0, stderr: 'No contexts found\n' });
    expect(own.code).equal(64);
    expect(own.stderr)
      .contain('its verbs are missing plugin=greet')
      .and.contain('gone.mjs')
      .and.contain("unknown command 'greet'");
  });

  it('that are built in run beside a broken config.yaml', async () => {
    const path = config('plugins: [\n');
    expect(await runPegboard(['context', 'list', '--config-path', path])).include({ code: 0 });
  });

  it('of a switched-off plugin are unknown', async () => {
    const path = config('plugins: { cli: false }\n');
    const { code, stderr } = await runPegboard(['context', 'list', '--config-path', path]);
    expect(code).equal(64);
    expect(stderr).contain("unknown command 'context'");
  });
});
