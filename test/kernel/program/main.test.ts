import { existsSync, readFileSync, statSync } from 'node:fs';
import { expect } from 'chai';
import { makeDirectory } from '../../support/directory.ts';
import { runPegboard, servePegboard } from '../../support/serve.ts';
import { until } from '../../support/until.ts';
import { textOf } from '../../support/sources.ts';

function dataUrl(module: string): string {
  return `data:text/javascript,${encodeURIComponent(module)}`;
}

describe('pegboard', () => {
  it('prints its help and its version', async () => {
    const [help, version] = await Promise.all([runPegboard(['--help']), runPegboard(['--version'])]);
    expect(help).to.include({ code: 0, stderr: '' });
    expect(help.stdout).to.contain('serve the endpoint until stopped');
    const { version: ours } = JSON.parse(textOf('package.json')) as { version: string };
    expect(version).to.include({ code: 0, stdout: `${ours}\n` });
  });

  it('exits 64 on a usage error, and prints in two lines what to type', async () => {
    expect(await runPegboard(['serve', '--prot', '1'])).to.deep.equal({
      code: 64,
      signal: null,
      stdout: '',
      stderr: "pegboard: unknown option '--prot'; did you mean --port?\ntry: pegboard serve --help\n",
    });
  });

  it('needs no home folder where the directory is named, and says what to name otherwise', async () => {
    const fault =
      "throw Object.assign(new Error('uv_os_homedir returned ENOENT'), { code: 'ERR_SYSTEM_ERROR' })";
    const homeless = `import os from 'node:os';
      import { syncBuiltinESMExports } from 'node:module';
      os.homedir = () => { ${fault}; };
      syncBuiltinESMExports();`;
    const env = { NODE_OPTIONS: `--import=${dataUrl(homeless)}` };
    const { path } = makeDirectory({ 'config.yaml': '' });
    expect(await runPegboard(['check', '--config-path', path], env)).to.include({ code: 0 });
    expect(await runPegboard(['serve'], env)).to.deep.equal({
      code: 64,
      signal: null,
      stdout: '',
      stderr:
        'pegboard: HOME is not set, and the user has no home folder; name the directory: --config-path\ntry: pegboard --help\n',
    });
  });

  it('names the required version of Node on an older one, in one line', async () => {
    const older = "Object.defineProperty(process.versions, 'node', { value: '18.20.8' })";
    const NODE_OPTIONS = `--import=${dataUrl(older)}`;
    expect(await runPegboard(['serve'], { NODE_OPTIONS })).to.deep.equal({
      code: 1,
      signal: null,
      stdout: '',
      stderr: 'pegboard: needs Node 20.19 or newer, and this is Node 18.20.8\n',
    });
  });

  for (const [how, source, failed] of [
    [
      'imported',
      "throw new Error('too many open files')",
      /plugin store-file: importing .+ failed .+: too many open files/,
    ],
    [
      'wired',
      `const provides = [{ id: 'resource-store', cardinality: 'one' }];
      const apply = () => { throw new Error('too many open files'); };
      export const plugin = { name: 'store-file', api: 1, configSchema: {}, provides, apply };`,
      /plugin store-file failed in apply\(\): too many open files/,
    ],
  ] as const)
    it(`names a built-in plugin that could not be ${how} once, beside the faults of config.yaml`, async () => {
      const hook = `export const load = (url, context, next) => url.endsWith('/plugins/store-file/index.js')
        ? { format: 'module', source: ${JSON.stringify(source)}, shortCircuit: true }
        : next(url, context)`;
      const register = `import { register } from 'node:module'; register(${JSON.stringify(dataUrl(hook))});`;
      const env = { NODE_OPTIONS: `--import=${dataUrl(register)}` };
      for (const [text, code, wrong] of [
        ['', 3, failed],
        ['plugins: {http: {config: {prot: 1}}}', 2, /unknown key "prot"/],
        ['plugins: [', 2, /config\.yaml:\d/],
      ] as const) {
        const { path } = makeDirectory({ 'config.yaml': `${text}\n` });
        const [served, checked] = await Promise.all([
          runPegboard(['serve', '--config-path', path], env),
          runPegboard(['check', '--config-path', path], env),
        ]);
        for (const said of [served.stderr, checked.stdout]) {
          expect(said)
            .to.match(failed)
            .and.match(wrong)
            .and.not.match(/requires/);
          expect(said.match(new RegExp(failed, 'g')), 'once').to.have.length(1);
        }
        expect([served.code, checked.code], text).to.deep.equal([code, code]);
      }
    });

  it('refuses a --config-path that is missing or a file, and creates nothing', async () => {
    const { path: directory, at } = makeDirectory({ 'config.yaml': '' });
    const missing = 'there is no such directory; correct --config-path, or create it';
    for (const [path, message] of [
      [at('typo'), missing],
      [at('typo/config.yaml'), missing],
      [at('config.yaml'), `it is a file; name the directory: --config-path ${directory}`],
    ] as const) {
      const [served, checked] = await Promise.all([
        runPegboard(['serve', '--config-path', path]),
        runPegboard(['check', '--config-path', path]),
      ]);
      const line = `${path}: error: ${message} (CONFIG_UNREADABLE)\n`;
      expect(served).to.include({ code: 2, stdout: '' });
      expect(served.stderr)
        .to.match(/^.+\npegboard: .+ nothing was started\n$/)
        .and.contain(line);
      expect(checked).to.include({ code: 2, stderr: '', stdout: `${line}${path}: not valid, 1 error\n` });
    }
    expect(existsSync(at('typo'))).to.equal(false);
  });

  it('reports that the default configuration directory cannot be created', async () => {
    const { at } = makeDirectory({ home: 'a file' });
    const { code, stderr } = await runPegboard(['serve'], { HOME: at('home') });
    expect(code).to.equal(2);
    expect(stderr).to.match(
      /^pegboard: the configuration directory cannot be created: .+; name one that can be written with --config-path \(CONFIG_UNREADABLE\)\n$/,
    );
  });

  it('shows no plugins when no set could be planned', async () => {
    const { path } = makeDirectory({ 'config.yaml': 'plugins:\n  front: false\n' });
    const text = await runPegboard(['check', '--config-path', path]);
    const json = await runPegboard(['check', '--config-path', path, '--output', 'json']);
    expect(text.stdout).not.to.match(/^ {2}(plugins|off) /m);
    expect(JSON.parse(json.stdout)).to.deep.include({ plugins: [], off: [] });
  });

  it('exits 2 after a failed start with all issues, not only the first', async () => {
    const { path, at } = makeDirectory({
      'config.yaml': 'aggregator:\n  prt: 1\n  port: x\n',
      'mcpservers/a.yaml': 'type: stdio\ncommnd: [x]\n',
    });
    const { code, stderr, stdout } = await runPegboard(['serve', '--config-path', path]);
    expect(code).to.equal(2);
    expect(stdout).to.equal('');
    expect(stderr).to.contain(`${at('config.yaml')}:2:3: error: unknown key "prt"; did you mean "port"?`);
    expect(stderr).to.contain(`${at('config.yaml')}:3:3: error: aggregator.port must be an integer`);
    expect(stderr).to.contain('a.yaml:2:1').and.contain('commnd');
    expect(stderr).to.contain('nothing was started');
  });

  it('serves without an invalid definition, and exits 2 for it with strictStart and from check', async () => {
    const directory = makeDirectory({ 'mcpservers/a.yaml': 'type: stdio\ncommnd: [x]\n' });
    const served = await servePegboard(directory.path);
    expect(served.lines.some(({ text }) => text.includes('unknown key "commnd"'))).to.equal(true);
    expect(await served.stop()).to.include({ code: 0 });
    const checked = await runPegboard(['check', '--config-path', directory.path]);
    expect([checked.code, checked.stdout]).to.satisfy(
      ([code, text]: [number, string]) => code === 2 && text.includes('a.yaml:2:1'),
    );
    directory.write('config.yaml', 'plugins: {store-file: {config: {strictStart: true}}}\n');
    const { code, stderr } = await runPegboard(['serve', '--config-path', directory.path, '--port', '0']);
    expect(code).to.equal(2);
    expect(stderr).to.contain('a.yaml:2:1').and.contain('nothing was started');
  });

  it('exits 3 when a plugin cannot be loaded', async () => {
    const { path } = makeDirectory({ 'config.yaml': 'plugins:\n  acme: {module: pegboard-acme}\n' });
    const { code, stderr } = await runPegboard(['serve', '--config-path', path]);
    expect(code).to.equal(3);
    expect(stderr).to.contain(`npm install --prefix ${path} pegboard-acme`);
  });

  it('checks a configuration: 0 and "valid", or 2 and every issue, as text or JSON', async () => {
    const good = makeDirectory({ 'config.yaml': 'namespace: a\n' });
    const bad = makeDirectory({ 'config.yaml': 'namespace: 1\n' });
    const [valid, text, json] = await Promise.all([
      runPegboard(['check', '--config-path', good.path]),
      runPegboard(['check', '--config-path', bad.path]),
      runPegboard(['check', '--config-path', bad.path, '--output', 'json']),
    ]);
    expect(valid.code).to.equal(0);
    expect(valid.stdout).to.match(/^\/.+: valid\n {2}plugins {2}\w/);
    expect(text.code).to.equal(2);
    expect(text.stdout).to.contain(
      'config.yaml:1:1: error: namespace must be a string, not 1 (CONFIG_INVALID)',
    );
    expect(json.code).to.equal(2);
    const report = JSON.parse(json.stdout) as { valid: boolean; issues: readonly object[] };
    expect(report.valid).to.equal(false);
    expect(report.issues[0]).to.include({ line: 1, column: 1, severity: 'error' });
    expect(existsSync(good.at('state')), 'check leaves no trace').to.equal(false);
  });

  it('serves: creates the default directory, reports where it listens, applies edits, and exits 0 on SIGTERM', async () => {
    const home = makeDirectory();
    const served = await servePegboard(undefined, [], { env: { HOME: home.path } });
    const at = (name: string): string => `.config/pegboard/${name}`;
    expect(served.url).to.match(/^http:\/\/.+:\d+$/);
    expect(readFileSync(home.at(at('config.yaml')), 'utf8')).to.match(/^#/);
    expect(served.lines.some(({ text }) => text.startsWith('created a configuration directory'))).to.equal(
      true,
    );
    expect(statSync(home.at(at('state'))).mode & 0o777).to.equal(0o700);
    expect((await fetch(`${served.url}/health`)).status).to.equal(200);
    home.write(at('config.yaml'), 'plugins:\n  toolsets: false\n');
    const applied = await served.logged('configuration applied');
    expect(applied['actions']).to.deep.include({ toolsets: 'stop' });
    expect(await served.stop()).to.deep.equal({ code: 0, signal: null });
    expect(served.lines.at(-1)?.text).to.equal('stopped');
  });

  it('exits at once on a second signal', async () => {
    const directory = makeDirectory({
      'config.yaml': 'plugins:\n  slow: {module: ./slow.mjs}\n',
      'slow.mjs': `export const plugin = { name: 'slow', api: 1, configSchema: {}, apply(scope) {
        scope.onStop(() => new Promise((resolve) => setTimeout(resolve, 60_000)));
      } };\n`,
    });
    const served = await servePegboard(directory.path);
    const ended = served.stop();
    await until(() => served.lines.some(({ text }) => text.startsWith('stopping')));
    process.kill(served.pid, 'SIGTERM');
    expect((await ended).code).not.to.equal(0);
  });

  it('exits by itself after a failed start, although a plugin asked for a reload meanwhile', async () => {
    const directory = makeDirectory({
      'config.yaml':
        'plugins:\n  eager: {module: ./eager.mjs}\n  store-file: {config: {strictStart: true}}\n',
      'eager.mjs': `import { ConfigControl } from 'pegboard';
        export const plugin = { name: 'eager', api: 1, configSchema: {}, apply(scope) {
          scope.onStart(() => { scope.get(ConfigControl).reload().catch(() => undefined); });
        } };\n`,
      'mcpservers/a.yaml': 'type: stdio\ncommnd: [x]\n',
    });
    const { code } = await runPegboard(['serve', '--config-path', directory.path, '--port', '0']);
    expect(code).to.equal(2);
  });
});
