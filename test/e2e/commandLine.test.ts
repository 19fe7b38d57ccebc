import { expect } from 'chai';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { defer } from '../support/cleanup.ts';
import { makeDirectory } from '../support/directory.ts';
import { callBody, callTool, initialize } from '../support/edge.ts';
import { edgeDirectory, writeEdgeConfig } from '../support/edgeProcess.ts';
import { runPegboard, servePegboard } from '../support/serve.ts';
import { until } from '../support/until.ts';

async function takenPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  defer(() => new Promise((resolve) => server.close(resolve)));
  return (server.address() as AddressInfo).port;
}

describe('e2e: command line', () => {
  it('exits 0 for --help and --version, on stdout', async () => {
    const help = await runPegboard(['--help']);
    expect(help).include({ code: 0, stderr: '' });
    for (const verb of ['serve', 'check', 'list', 'call', 'search'])
      expect(help.stdout).match(new RegExp(`^  ${verb} `, 'm'));
    const serve = await runPegboard(['help', 'serve']);
    for (const flag of ['--config-path', '--host', '--port', '--transport', '--log-format'])
      expect(serve.stdout).include(flag);
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(await runPegboard(['--version'])).include({ code: 0, stdout: `${version}\n` });
  });

  for (const [command, argv] of [
    ['pegboard', []],
    ['pegboard', ['srve']],
    ['pegboard', ['serve', '--port', 'x']],
    ['pegboard check', ['check', '--output', 'xml']],
    ['pegboard auth login', ['auth', 'login', 'files']],
  ] as const) {
    it(`exits 64 for pegboard ${argv.join(' ')}, and points to the usage on stderr`, async () => {
      const { code, stdout, stderr } = await runPegboard(argv);
      expect(code).equal(64);
      expect(stdout).equal('');
      expect(stderr).match(new RegExp(`^pegboard: .+\ntry: ${command} --help\n$`));
    });
  }

  it('suggests the command that a misspelt one resembles', async () => {
    expect((await runPegboard(['srve'])).stderr).include('serve');
  });

  it('exits 2 with all issues and their positions when the configuration is invalid', async () => {
    const text = 'aggregator:\n  port: many\n  hots: localhost\nnonsense: 1\n';
    const { path } = makeDirectory({ 'config.yaml': text });
    const { code, stderr, stdout } = await runPegboard(['serve', '--config-path', path]);
    expect(code).equal(2);
    expect(stdout).equal('');
    for (const place of ['config.yaml:2:', 'config.yaml:3:', 'config.yaml:4:']) expect(stderr).include(place);
  });

  it('exits 2 with the position of a syntax error, and of each unresolved reference', async () => {
    const syntax = makeDirectory({ 'config.yaml': 'namespace: a\naggregator: { port: [ }\n' });
    const references = makeDirectory({
      'config.yaml': [
        'required: [deny, absent]',
        'toolsetPresets:',
        '  mine: { include: [{ preset: yours }] }',
        'plugins: { nothing: true }',
        '',
      ].join('\n'),
    });
    const [first, second] = await Promise.all(
      [syntax, references].map(({ path }) => runPegboard(['serve', '--config-path', path])),
    );
    expect(first).include({ code: 2 });
    expect(first?.stderr).match(/config\.yaml:2:\d+: error: .+ \(CONFIG_UNREADABLE\)/);
    expect(second?.code).oneOf([2, 3]);
    for (const fault of [/config\.yaml:3:\d+: error: .*mine.*yours/, /config\.yaml:4:\d+: error: .*nothing/])
      expect(second?.stderr).match(fault);
    references.write('config.yaml', 'namespace: a\nrequired: [deny]\n');
    const third = await runPegboard(['serve', '--config-path', references.path]);
    expect(third).include({ code: 2 });
    expect(third.stderr).match(
      /config\.yaml:2:\d+: error: required plugin deny does not run.+ \(CONFIG_REFERENCE\)/,
    );
  });

  it('exits 3 with a helpful line when the port is in use', async () => {
    const directory = await edgeDirectory();
    const port = String(await takenPort());
    const { code, stderr } = await runPegboard(['serve', '--config-path', directory.path, '--port', port]);
    expect(code).equal(3);
    expect(stderr)
      .match(/error: .*another process has the port; .*--port .*\(PLUGIN_START\)/)
      .and.include(port);
  });

  it('exits 3 when a plugin is missing, naming it', async () => {
    const directory = await edgeDirectory({ acme: { module: './acme.js' } });
    const { code, stderr } = await runPegboard(['serve', '--config-path', directory.path]);
    expect(code).equal(3);
    expect(stderr).include('acme');
  });

  it('check exits 0 on a valid configuration, in text and JSON, and opens no port', async () => {
    const directory = await edgeDirectory({}, { port: await takenPort() });
    const args = ['check', '--config-path', directory.path];
    const text = await runPegboard(args);
    expect(text.code).equal(0);
    expect(text.stdout).match(/: valid\n {2}plugins {2}front, http, /);
    const json = await runPegboard([...args, '--output', 'json']);
    expect(json.code).equal(0);
    expect(JSON.parse(json.stdout)).deep.include({ valid: true, issues: [] });
    expect(existsSync(directory.at('state'))).equal(false);
  });

  it('check exits 2 on an invalid one and prints each issue with file, line and column', async () => {
    const directory = makeDirectory({ 'config.yaml': 'aggregator:\n  port: many\n' });
    const json = await runPegboard(['check', '--config-path', directory.path, '--output', 'json']);
    expect(json.code).equal(2);
    const { valid, issues } = JSON.parse(json.stdout) as {
      valid: boolean;
      issues: Record<string, unknown>[];
    };
    expect(valid).equal(false);
    expect(issues[0]).include({ severity: 'error', code: 'CONFIG_INVALID', line: 2 });
    expect(String(issues[0]?.['file'])).include('config.yaml');
    const text = await runPegboard(['check', '--config-path', directory.path]);
    expect(text.code).equal(2);
    expect(text.stdout).match(/config\.yaml:2:\d+: error: /);
  });

  it('creates the default configuration directory with a commented config.yaml, says so, and serves', async () => {
    const home = makeDirectory();
    const directory = home.at('.config/pegboard');
    const pegboard = await servePegboard(undefined, [], { env: { HOME: home.path } });
    expect(pegboard.lines.some(({ text }) => text.startsWith('created a configuration directory'))).equal(
      true,
    );
    expect(readFileSync(`${directory}/config.yaml`, 'utf8'))
      .include('# aggregator:')
      .and.include('mcpservers');
    expect(pegboard.url).match(/^http:\/\/localhost:[1-9]\d*$/);
    expect(statSync(`${directory}/state`).mode & 0o777).equal(0o700);
    expect(await pegboard.stop()).include({ code: 0 });
  });

  it('warns of a state directory that is not writable, names what will not survive, and serves', async () => {
    const directory = await edgeDirectory();
    const blocked = directory.at('config.yaml/state');
    const pegboard = await servePegboard(directory.path, ['--state-path', blocked]);
    const warning = pegboard.lines.find(({ text }) => text.startsWith('state directory is not writable'));
    expect(warning).include({ level: 'warn' });
    expect(warning?.text).include('session keys');
    expect(warning?.['fix']).include('--state-path');
    const handle = await initialize(pegboard.url);
    // New limits for the front must not lose the only key.
    await writeEdgeConfig(directory, { front: { config: { maxDepth: 64 } } });
    await pegboard.logged('configuration applied');
    expect((await callTool(pegboard.url, handle, callBody('echo'))).status).equal(200);
  });

  it('reads the state directory from PEGBOARD_STATE_PATH', async () => {
    const [directory, state] = [await edgeDirectory(), makeDirectory()];
    await servePegboard(directory.path, [], { env: { PEGBOARD_STATE_PATH: state.at('here') } });
    expect(existsSync(state.at('here/session-keys.json'))).equal(true);
    expect(existsSync(directory.at('state'))).equal(false);
  });

  it('prefers flags to config.yaml, and logs JSON lines when asked', async () => {
    const directory = await edgeDirectory({}, { host: '127.0.0.1', transport: 'sse' });
    const pegboard = await servePegboard(directory.path, [
      '--host',
      'localhost',
      '--transport',
      'streamable-http',
    ]);
    expect(pegboard.url).include('localhost');
    expect(await initialize(pegboard.url)).match(/^[\w-]+$/);
    await until(() => pegboard.lines.every(({ level }) => level !== 'raw'));
  });

  it('takes the level of the log from config.yaml while it runs, unless a flag names one', async () => {
    const configOf = (logLevel: string, drainMs: number): string =>
      JSON.stringify({ aggregator: { logLevel }, plugins: { upstream: { config: { drainMs } } } });
    const directory = makeDirectory({ 'config.yaml': configOf('info', 1) });
    const [pegboard, flagged] = await Promise.all([
      servePegboard(directory.path),
      servePegboard(directory.path, ['--state-path', makeDirectory().path, '--log-level', 'info']),
    ]);
    directory.write('config.yaml', configOf('error', 2));
    await flagged.logged('configuration applied');
    // An error is logged at every level, and shows that the edit before is in force.
    directory.write('config.yaml', configOf('loud', 3));
    const isError = ({ level }: { readonly level?: unknown }): boolean => level === 'error';
    await until(() => pegboard.lines.some(isError));
    expect(pegboard.lines.map(({ text }) => text)).not.include('configuration applied');
    directory.write('config.yaml', configOf('info', 4));
    await pegboard.logged('configuration applied');
  });
});
