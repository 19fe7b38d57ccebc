import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { readOptions, USAGE, UsageError } from '../../../kernel/program/options.ts';

const read = (line: string, env: NodeJS.ProcessEnv = {}) => readOptions(line.split(' ').filter(Boolean), env);

describe('Command line', () => {
  it('has defaults for everything', () => {
    const directory = join(homedir(), '.config', 'pegboard');
    expect(read('serve')).to.deep.equal({
      verb: 'serve',
      directory,
      isDefaultDirectory: true,
      statePath: join(directory, 'state'),
      logFormat: 'text',
      logLevel: 'info',
      output: 'text',
      strict: false,
      flags: { aggregator: {} },
    });
  });

  it('reads every option', () => {
    const options = read(
      'serve --config-path d --state-path s --host h --port 0 --transport stdio --log-format json --log-level debug',
    );
    expect(options).to.deep.include({
      directory: resolve('d'),
      isDefaultDirectory: false,
      statePath: resolve('s'),
      logFormat: 'json',
      logLevel: 'debug',
      flags: { aggregator: { host: 'h', port: 0, transport: 'stdio' } },
    });
    expect(read('check --output json')).to.include({ verb: 'check', output: 'json' });
    expect(read('serve --config-path=d').directory).to.equal(resolve('d'));
  });

  it('keeps state below the configuration, unless a flag or PEGBOARD_STATE_PATH names another place', () => {
    const env = { PEGBOARD_STATE_PATH: '/env' };
    expect(read('serve --config-path /d').statePath).to.equal('/d/state');
    expect(read('serve --config-path /d', env).statePath).to.equal('/env');
    expect(read('serve --state-path /flag', env).statePath).to.equal('/flag');
  });

  it('accepts help and version in their usual spellings', () => {
    for (const line of ['--help', '-h', 'help', 'serve --help']) expect(read(line).verb).to.equal('help');
    for (const line of ['--version', '-v', 'version']) expect(read(line).verb).to.equal('version');
  });

  it('prints what to type on a usage error', () => {
    for (const [line, words] of [
      ['', 'which command'],
      ['serv', 'did you mean serve?'],
      ['zzz', 'unknown command zzz'],
      ['serve now', 'serve takes no argument now'],
      ['serve --prot 1', 'unknown flag --prot; did you mean --port?'],
      ['serve -x', 'unknown flag -x'],
      ['serve --port', "Option '--port <value>' argument missing"],
      ['serve --port --host h', "Option '--port' argument is ambiguous."],
      ['check --strict=yes', "Option '--strict' does not take an argument"],
      ['serve --output json', 'serve takes no --output, which is for check'],
      ['check --port 3', 'check takes no --port, which is for serve'],
      ['check --state-path s', 'check takes no --state-path, which is for serve'],
      ['serve --port 70000', '0 to 65535, not 70000'],
      ['serve --port x', '0 to 65535, not x'],
      ['serve --transport smoke', 'one of streamable-http, sse, stdio, not smoke'],
      ['serve --log-level loud', 'one of debug, info, warn, error, not loud'],
      ['serve --log-format xml', 'text, json, not xml'],
    ] as const) {
      expect(() => read(line), line).to.throw(UsageError, words);
    }
  });

  it('describes every option in its help', () => {
    for (const flag of [
      'config-path',
      'state-path',
      'host',
      'port',
      'transport',
      'log-format',
      'log-level',
      'output',
    ]) {
      expect(USAGE).to.contain(`--${flag} `);
    }
  });
});
