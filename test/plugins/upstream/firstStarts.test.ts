import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ANYONE } from '../../../kernel/index.ts';
import type { JsonObject } from '../../../kernel/index.ts';
import { McpResourceSource } from '../../../plugins/contracts/mcp.ts';
import { StartingServers } from '../../../plugins/contracts/servers.ts';
import { eventually, mcpClient, startGateway } from '../../contract/index.ts';
import { defer } from '../../support/cleanup.ts';
import { Rig, SHELF, hostile, temporaryFolder, until } from './support.ts';

describe('upstream: a runner that installs its server at the first start', () => {
  let rig: Rig;
  let folder: string;
  beforeEach(() => {
    rig = new Rig();
    const { path, remove } = temporaryFolder();
    defer(remove);
    folder = path;
  });
  afterEach(() => rig.stop());

  /** A program of that name that runs the words after `--`, and writes the name of its server to a file. */
  function program(name: string): string {
    const file = join(folder, name);
    const script = `#!/bin/sh\nwhile [ "$1" != -- ]; do last=$1; shift; done; shift\necho "$last" >> ${folder}/started\nexec "$@"\n`;
    writeFileSync(file, script);
    chmodSync(file, 0o755);
    return file;
  }
  const started = (): readonly string[] =>
    existsSync(join(folder, 'started'))
      ? readFileSync(join(folder, 'started'), 'utf8').trim().split('\n')
      : [];
  /** It answers once the file `open-<name>` exists. */
  const runner = (name: string, more: JsonObject = {}, words = [program('npx'), '-y']): JsonObject => {
    const { command, ...spec } = hostile('gated', more, join(folder, `open-${name}`));
    return { ...spec, command: [...words, name, '--', ...(command as string[])] };
  };
  const open = (name: string): void => writeFileSync(join(folder, `open-${name}`), '');
  const progress = (name: string): string => rig.status(name).metadata.progress ?? '';

  it('is not ended after timeout, and says what it does', async () => {
    await rig.configure();
    await rig.define({ s: runner('s', { timeout: 1 }), plain: hostile('mute', { timeout: 1 }) });
    await rig.reaches('plain', 'failed');
    expect([rig.status('s').state, rig.status('s').error]).to.deep.equal(['starting', undefined]);
    await until('time passes', () => /: [2-9] s, at most 300 s$/.test(progress('s')));
    expect(progress('s')).to.match(/^npx is still installing or starting the server: /);
    expect(rig.status('plain').metadata.progress).to.equal(undefined);
    open('s');
    await rig.reaches('s', 'running');
    expect(progress('s')).to.equal('');
    expect(started()).to.deep.equal(['s']);
  });

  it('has a startTimeout of its own, as any program', async () => {
    await rig.configure();
    await rig.define({
      s: runner('s', { timeout: 60, startTimeout: 1 }),
      plain: hostile('gated', { timeout: 1, startTimeout: 60 }, join(folder, 'open-plain')),
    });
    await rig.reaches('s', 'failed');
    expect(rig.status('s').error).to.contain(
      'had no answer within 1000 ms; if npx was still installing it, raise startTimeout',
    );
    open('plain');
    await rig.reaches('plain', 'running');
    expect(rig.status('plain').metadata.consecutiveFailures).to.equal(0);
  });

  it('ends at once when it is stopped', async () => {
    await rig.configure({ stdinGraceMs: 50, termGraceMs: 500 });
    await rig.define({ s: runner('s') });
    await until('it runs', () => progress('s').includes('installing'));
    rig.onReload = () => rig.define({ s: runner('s', { suspended: true }) });
    await rig.onReload();
    await rig.reaches('s', 'stopped', 5_000);
  });

  it('is not waited for longer than any server by those who start it', async () => {
    await rig.configure();
    await rig.define({ s: runner('s', { timeout: 3, autoStart: false }) });
    const before = performance.now();
    await rig.service('s').start?.();
    expect(rig.status('s').state).to.equal('starting');
    await rig.service('s').restart?.();
    expect(performance.now() - before).to.be.within(5_900, 8_500);
    expect(rig.status('s').state).to.equal('starting');
    open('s');
    await rig.reaches('s', 'running');
  });

  it('says what it does to those who read its definition, start it or start it again', async () => {
    const gateway = await startGateway({
      files: { 'mcpservers/s.yaml': JSON.stringify(runner('s', { timeout: 1 })) },
    });
    defer(() => gateway.stop());
    const client = await mcpClient(gateway.url());
    const told = async (tool: string): Promise<JsonObject> => {
      const { content } = await client.callTool(tool, { name: 's' });
      return JSON.parse(String(content[0]?.['text'])) as JsonObject;
    };
    const words = /npx is still installing or starting the server: \d+ s, at most 300 s$/;
    await eventually(async () => words.test(String((await told('core_mcpserver_get'))['progress'])), 'words');
    for (const operation of ['start', 'restart']) {
      const { message, state } = await told(`core_service_${operation}`);
      expect(state).to.equal('starting');
      expect(message)
        .to.match(/^Service 's' is starting: npx/)
        .and.to.match(words);
    }
    const { content } = await client.callTool('call_tool', { name: 'x_s_echo' });
    expect(content[0]?.['text'])
      .to.match(/^server s is still connecting: npx is still installing or starting the server: \d+ s/)
      .and.to.match(/; try again in a few seconds$/);
    open('s');
    await eventually(async () => (await told('core_mcpserver_get'))['state'] === 'Running', 'the server');
    expect(await told('core_mcpserver_get')).to.not.have.property('progress');
  });

  it('waits for others, three at a time, and no other program for it', async () => {
    await rig.configure({ maxStarting: 4 });
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const runners = Object.fromEntries(names.map((name) => [name, runner(name)]));
    await rig.define({ ...runners, plain: hostile() });
    await rig.hasTool('x_plain_echo');
    await until('three run', () => started().length === 3);
    expect(progress('d')).to.equal('npx waits: others install their servers first');
    // A call needs it.
    const [source] = rig.kernel.registry.all(StartingServers.id) as readonly StartingServers[];
    void source?.settled('x_f_echo');
    await until('it runs', () => started().includes('f'));
    expect([...started()].sort()).to.deep.equal(['a', 'b', 'c', 'f']);
    void rig.service('e').start?.();
    await until('it runs', () => started().includes('e'));
    expect(rig.status('d').metadata.progress).to.contain('waits');
    for (const name of names) open(name);
    await rig.hasTool('x_d_echo');
    await Promise.all(names.map((name) => rig.reaches(name, 'running')));
  });

  it('waits for another that installs the same package, even if it is needed, and no longer than that', async () => {
    await rig.configure({ maxStarting: 4 });
    const names = ['a', 'b', 'c'];
    const words = [program('npx'), '-y', 'pkg'];
    await rig.define(Object.fromEntries(names.map((name) => [name, runner(name, {}, words)])));
    await until('one runs', () => started().includes('a'));
    void rig.service('b').start?.();
    expect(progress('b')).to.contain('npx waits');
    expect(started()).to.deep.equal(['a']);
    open('a');
    await until('all run', () => started().length === 3);
  });

  it('waits for no other once a resource of it is watched', async () => {
    const state = temporaryFolder();
    defer(state.remove);
    const b = { type: 'stdio', command: [program('npx'), 'b', '--', process.execPath, SHELF, 'b'] };
    for (const specs of [{ b }, { a: runner('a'), b: { ...b, autoStart: true } }]) {
      await rig.stop();
      rig = new Rig(state.path);
      await rig.configure({ maxStarting: 1 });
      await rig.define(specs);
      if (!('a' in specs)) {
        await rig.service('b').start?.();
        await rig.reaches('b', 'running');
      }
    }
    await until('b waits', () => progress('b').includes('npx waits'));
    const [source] = rig.kernel.registry.all(McpResourceSource.id) as readonly McpResourceSource[];
    await source?.subscribe?.('own://b', ANYONE, () => undefined);
    expect(started()).to.deep.equal(['b', 'a', 'b']);
  });

  it('waits again after a requested start whose process ended', async () => {
    await rig.configure({ maxStarting: 1, backoffFirstMs: 20, backoffMaxMs: 20 });
    await rig.define({ a: runner('a') });
    await until('a runs', () => started().includes('a'));
    const command = [program('npx'), 'b', '--', process.execPath, '-e', 'process.exit(1)'];
    await rig.define({ a: runner('a'), b: { type: 'stdio', autoStart: false, command } });
    await Promise.resolve(rig.service('b').start?.()).catch(() => undefined);
    await until('it waits', () => progress('b').includes('waits'));
    expect(started()).to.deep.equal(['a', 'b']);
  });

  it('waits for no other once it has started', async () => {
    await rig.configure({ maxStarting: 1 });
    open('a');
    await rig.define({ a: runner('a') });
    await rig.reaches('a', 'running');
    await rig.define({ a: runner('a'), b: runner('b'), c: runner('c') });
    await until('one runs', () => started().includes('b'));
    await rig.service('a').restart?.();
    expect([rig.status('a').state, progress('c')]).to.deep.equal([
      'running',
      'npx waits: others install their servers first',
    ]);
  });

  it('is any of these', async () => {
    await rig.configure({ maxStarting: 1 });
    const lines = [
      'npx -y',
      'npx.cmd -y',
      'bunx',
      'uvx',
      'pipx run',
      'docker run -i',
      'podman run -i',
      'uv tool run',
      'npm exec',
      'pnpm dlx',
      'docker exec -i',
      'pipx list',
      'node',
    ];
    const specs = lines.map((line, at) => {
      const [name = '', ...words] = line.split(' ');
      return [`s${at}`, runner(`s${at}`, {}, [program(name), ...words])] as const;
    });
    const shell = { type: 'stdio', autoStart: true, command: ['cmd.exe', '/d', '/c', 'npx', '-y', 'x'] };
    await rig.define({ first: runner('first'), ...Object.fromEntries(specs), shell });
    await until('the first runs', () => progress('first').includes('installing'));
    const said = [...lines.keys()].map((at) => progress(`s${at}`).split(' waits')[0]);
    expect(said).to.deep.equal([
      ...['npx', 'npx', 'bunx', 'uvx', 'pipx run', 'docker run', 'podman run', 'uv tool'],
      ...['npm exec', 'pnpm dlx', '', '', ''],
    ]);
    expect(progress('shell')).to.match(/^npx waits/);
  });

  for (const [what, lines, cure] of [
    [
      'a package that is missing',
      [
        "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'a/b' imported from /h/J Doe/.npm/_npx/0123abcd0123abcd/x.js",
      ],
      'npx has an incomplete installation of it: delete it, and the next start installs it anew: rm -r "/h/J Doe/.npm/_npx/0123abcd0123abcd"',
    ],
    [
      'a module that is missing, with its stack',
      [
        "Error: Cannot find module './y'",
        'Require stack:',
        '- /h/.npm/_npx/0123abcd0123abcd/node_modules/x/index.js',
        ...Array.from({ length: 20 }, () => '    at Module._load'),
      ],
      'npx has an incomplete installation of it: delete it, and the next start installs it anew: rm -r "/h/.npm/_npx/0123abcd0123abcd"',
    ],
    [
      'a module that is missing, named by a url',
      ['Cannot find module', '    at file:///h/J%20Doe/.npm/_npx/0123abcd0123abcd/x.js:1:1 of /h/other'],
      'npx has an incomplete installation of it: delete it, and the next start installs it anew: rm -r "/h/J Doe/.npm/_npx/0123abcd0123abcd"',
    ],
    [
      'a module that is missing, named after another path',
      ['/a/b.js: Cannot find module in /h/.npm/_npx/0123abcd0123abcd/x.js'],
      'npx has an incomplete installation of it: delete it, and the next start installs it anew: rm -r "/h/.npm/_npx/0123abcd0123abcd"',
    ],
  ] as const) {
    it(`that dies of ${what} is named with its folder and the cure`, async () => {
      await rig.configure();
      const script = `for (const line of ${JSON.stringify(lines)}) console.error(line); process.exit(1);`;
      // What is in the words of the command might be hidden.
      const file = join(folder, 'dies.cjs');
      writeFileSync(file, script);
      await rig.define({ s: { type: 'stdio', autoStart: true, command: [process.execPath, file] } });
      await rig.reaches('s', 'failed');
      expect(rig.status('s').error)
        .to.contain(`; ${cure}`)
        .and.to.match(/_npx\/0123abcd0123abcd"$/);
    });
  }

  it('is not called incomplete for another fault, unless an earlier start of it was ended before it answered', async () => {
    await rig.configure({ stdinGraceMs: 50, termGraceMs: 500, backoffFirstMs: 20, backoffMaxMs: 20 });
    const [hang, line] = [
      join(folder, 'hang'),
      'TypeError: no API key at /h/.npm/_npx/0123abcd0123abcd/x/index.js:7',
    ];
    const script = `if (require('fs').existsSync('${hang}')) setInterval(() => 0, 1000); else { console.error(${JSON.stringify(line)}); process.exit(1); }`;
    const command = [process.execPath, '-e', script];
    await rig.define({ s: { type: 'stdio', autoStart: true, startTimeout: 1, command } });
    await until('it has failed twice', () => (rig.status('s').metadata.consecutiveFailures ?? 0) >= 2);
    expect(rig.status('s').metadata.lastError).to.contain('no API key').and.to.not.contain('delete');
    writeFileSync(hang, '');
    await until('it is ended', () => (rig.status('s').metadata.lastError ?? '').includes('no answer within'));
    rmSync(hang);
    await until('it ends', () => (rig.status('s').metadata.lastError ?? '').includes('no API key'));
    expect(rig.status('s').metadata.lastError).to.contain(
      '; npx was ended while it started the server, so the installation may be incomplete: delete it, and the next start installs it anew: rm -r "/h/.npm/_npx/0123abcd0123abcd"',
    );
  });
});
