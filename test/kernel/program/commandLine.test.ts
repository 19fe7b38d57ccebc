import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import type { Command } from '../../../kernel/index.ts';
import type { JsonObject } from '../../../kernel/index.ts';
import type { Env } from '../../../kernel/contracts/settings.ts';
import { UsageError, runCommandLine } from '../../../kernel/program/commandLine.ts';
import { SERVE_OPTIONS, readOptions, withFlags } from '../../../kernel/program/options.ts';
import type { Options } from '../../../kernel/program/options.ts';

const SERVE: Command = { name: 'serve', summary: 'serves', options: SERVE_OPTIONS };
const CHECK: Command = withFlags({ name: 'check', summary: 'checks', readsConfiguration: true });
const PAINT: Command = {
  name: 'paint',
  summary: 'paints a wall',
  parameters: [{ name: '<wall>', description: 'which one' }],
  options: [{ flags: '--coat <colour>', description: 'a coat of paint', isList: true }],
  examples: ['pegboard paint north --coat red', 'pegboard paint south'],
};
const CALL: Command = {
  name: 'call',
  summary: 'calls a tool',
  takesAnyFlag: true,
  parameters: [{ name: '<tool>', description: 'its name' }],
  options: [{ flags: '-o, --output <format>', description: 'form', choices: ['json'] }],
};
const KEEP: Command = {
  name: 'keep',
  summary: 'keeps a command',
  readWords: ([name = '', ...command]) => ['--coat', 'red', '--', name, ...command],
  parameters: [{ name: '[words...]', description: 'its words' }],
  options: [{ flags: '--coat <colour>', description: 'a coat of paint' }],
};
const CONTEXT: Command = {
  name: 'context',
  summary: 'gateways',
  subcommands: [
    { name: 'use', summary: 'selects one', parameters: [{ name: '<name>', description: 'its name' }] },
  ],
};

interface Typed {
  readonly code: number;
  readonly name?: string;
  readonly args?: readonly string[];
  readonly values?: JsonObject;
  readonly output: string;
}

async function type(line: string | readonly string[]): Promise<Typed> {
  const argv = typeof line === 'string' ? line.split(' ').filter(Boolean) : line;
  let typed: Partial<Typed> = {};
  let output = '';
  const running = (one: Command): Command => ({
    ...one,
    ...(one.subcommands === undefined
      ? { run: () => Promise.resolve(0) }
      : { subcommands: one.subcommands.map(running) }),
  });
  const code = await runCommandLine(argv, {
    commands: [SERVE, CHECK, PAINT, CALL, KEEP, CONTEXT].map(running),
    columns: 80,
    hasColour: false,
    write: (text) => (output += text),
    run: ({ name }, args, values) => {
      typed = { name, args, values };
      return Promise.resolve(7);
    },
  });
  return { code, output, ...typed };
}
const read = async (line: string): Promise<Options> => readOptions((await type(line)).values!);
async function refusal(line: string): Promise<Error> {
  try {
    readOptions((await type(line)).values ?? {});
  } catch (error) {
    return error as Error;
  }
  throw new Error(`accepted: ${line}`);
}

describe('Command line', () => {
  it('has defaults for everything', async () => {
    const directory = join(homedir(), '.config', 'pegboard');
    expect(await read('serve')).deep.equal({
      directory,
      isDefaultDirectory: true,
      statePath: join(directory, 'state'),
      logFormat: 'text',
      logLevel: 'info',
      flags: { aggregator: {} },
    });
  });

  it('reads every option of serve and check', async () => {
    const options = await read(
      'serve --config-path d --state-path s --host h --port 0 --transport stdio --extra-ca-file ca.pem --log-format json --log-level debug',
    );
    expect(options).deep.include({
      directory: resolve('d'),
      isDefaultDirectory: false,
      statePath: resolve('s'),
      logFormat: 'json',
      logLevel: 'debug',
      flags: {
        aggregator: {
          host: 'h',
          port: 0,
          transport: 'stdio',
          extraCaFile: resolve('ca.pem'),
          logLevel: 'debug',
        },
      },
    });
    expect((await read('check --extra-ca-file /ca.pem')).flags).deep.equal({
      aggregator: { extraCaFile: '/ca.pem' },
    });
    expect((await read('serve --config-path=d')).directory).equal(resolve('d'));
  });

  it('prefers --debug to --log-level, and leaves the level to config.yaml without either', async () => {
    const debug = await read('serve --debug --log-level error');
    expect(debug).deep.include({ logLevel: 'debug', flags: { aggregator: { logLevel: 'debug' } } });
    expect((await read('serve --log-level warn')).flags).deep.equal({ aggregator: { logLevel: 'warn' } });
    expect((await read('serve')).flags).deep.equal({ aggregator: {} });
  });

  it('writes log lines as JSON in a Kubernetes pod, unless a flag says otherwise', async () => {
    const pod = { KUBERNETES_SERVICE_HOST: '10.0.0.1' };
    const formatOf = async (line: string, env: Env): Promise<string> =>
      readOptions((await type(line)).values!, env).logFormat;
    expect(await formatOf('serve', pod)).equal('json');
    expect(await formatOf('serve --log-format text', pod)).equal('text');
    expect(await formatOf('serve', {})).equal('text');
  });

  it('keeps state below the configuration, unless a flag names another place', async () => {
    expect((await read('serve --config-path /d')).statePath).equal('/d/state');
    for (const verb of ['serve', 'check'])
      expect((await read(`${verb} --config-path /d --state-path /flag`)).statePath).equal('/flag');
  });

  it('passes arguments, flags and lists to the verb, and returns its exit code', async () => {
    expect(await type('paint north --coat red --coat blue')).deep.include({
      code: 7,
      name: 'paint',
      args: ['north'],
      values: { coat: ['red', 'blue'] },
    });
    expect(await type('context use work'))
      .include({ name: 'use' })
      .and.deep.include({ args: ['work'] });
  });

  it('passes unknown flags in order to a verb that takes any', async () => {
    const { args, values } = await type([
      'call',
      'x_t',
      '--text',
      'a=b\nc',
      '-o',
      'json',
      '--deep=1',
      '--on',
    ]);
    expect(args).deep.equal(['x_t', '--text', 'a=b\nc', '--deep=1', '--on']);
    expect(values).deep.equal({ output: 'json' });
    expect((await type(['call', '--', '-x'])).args).deep.equal(['-x']);
  });

  it('takes flags before the verb, also with the value in the same word', async () => {
    for (const line of ['-ojson call x_t', '-o json call x_t', '--output=json call x_t'])
      expect(await type(line), line).deep.include({
        name: 'call',
        args: ['x_t'],
        values: { output: 'json' },
      });
  });

  it('lets a verb read its own words first, so that flags of a command stay with it', async () => {
    expect(await type('keep x npx -y --help -v')).deep.include({
      name: 'keep',
      args: ['x', 'npx', '-y', '--help', '-v'],
      values: { coat: 'red' },
    });
  });

  it('shows help and version in their usual spellings', async () => {
    for (const line of ['--help', '-h', 'help']) {
      const { code, output } = await type(line);
      expect(code).equal(0);
      expect(output).contain('paint').and.contain('paints a wall').and.contain('Exit codes');
    }
    for (const line of ['--version', '-v']) expect((await type(line)).output).match(/^\d+\.\d+\.\d+\n$/);
  });

  it('shows every flag and the examples of a verb in its help', async () => {
    const { output } = await type('help paint');
    expect(output).contain('--coat <colour>').and.contain('--config-path <dir>');
    expect(output).contain('Examples:\n  pegboard paint north --coat red\n');
    expect((await type('serve --help')).output).contain('PEGBOARD_STATE_PATH');
  });

  it('says what to type on a usage error', async () => {
    for (const [line, words, command = 'pegboard'] of [
      ['', 'which command? pegboard serve starts the gateway'],
      ['serv', "unknown command 'serv'; did you mean serve?"],
      ['zzz', "unknown command 'zzz'"],
      ['serve now', 'too many arguments', 'pegboard serve'],
      ['paint', "missing required argument 'wall'", 'pegboard paint'],
      ['serve --prot 1', "unknown option '--prot'; did you mean --port?", 'pegboard serve'],
      ['serve -x', "unknown option '-x'", 'pegboard serve'],
      ['serve --port', "option '--port <number>' argument missing", 'pegboard serve'],
      ['serve --output json', "unknown option '--output'", 'pegboard serve'],
      ['check --port 3', "unknown option '--port'", 'pegboard check'],
      ['serve --port 70000', '0 to 65535, not 70000'],
      ['serve --port x', '0 to 65535, not x'],
      ['serve --transport smoke', 'streamable-http, sse, stdio', 'pegboard serve'],
      ['serve --log-level loud', 'debug, info, warn, error', 'pegboard serve'],
      ['context', 'which command? it takes use', 'pegboard context'],
      ['context us', "unknown command 'us'; did you mean use?", 'pegboard context'],
    ] as const) {
      const error = await refusal(line);
      expect(error, line).instanceOf(UsageError);
      expect(error.message, line).contain(words);
      expect(error, line).property('command', command);
    }
  });
});
