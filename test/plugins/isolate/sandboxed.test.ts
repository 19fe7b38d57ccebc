import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { expect } from 'chai';
import type { JsonObject } from '../../../kernel/contracts/json.ts';
import { Confinement } from '../../../plugins/contracts/servers.ts';
import type { Confined, Spawned } from '../../../plugins/contracts/servers.ts';
import { askCore, callCore } from '../../support/coreTools.ts';
import { defer } from '../../support/cleanup.ts';
import { makeDirectory } from '../../support/directory.ts';
import type { Directory } from '../../support/directory.ts';
import { bootGateway } from '../../support/gateway.ts';
import type { Gateway } from '../../support/gateway.ts';
import { ROOT } from '../../support/sources.ts';
import { until } from '../../support/until.ts';
import { withVariables } from '../../support/withVariables.ts';

const FIXTURES = join(ROOT, 'test/plugins/isolate/fixtures');
const BUILT_INS = ['upstream', 'store-file', 'core-mcpservers', 'core-services', 'isolate'];

interface Said {
  readonly code: number;
  readonly said: string;
}

function hasBubblewrap(): boolean {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return process.platform === 'linux' && folders.some((folder) => existsSync(join(folder, 'bwrap')));
}

/** A definition whose server sees its own script. Root cannot be limited in processes. */
function shell(grants: JsonObject = {}, more: JsonObject = {}): JsonObject {
  const files = [{ path: FIXTURES }, ...((grants['files'] as JsonObject[] | undefined) ?? [])];
  return {
    type: 'stdio',
    autoStart: true,
    command: [process.execPath, join(FIXTURES, 'shell.mjs')],
    isolate: 'sandbox',
    grants: { processes: process.getuid?.() === 0 ? 0 : 64, ...grants, files },
    ...more,
  };
}

describe('isolate: sandbox', function () {
  this.timeout(30_000);
  before(function () {
    if (hasBubblewrap()) return;
    console.error('isolate: sandbox is not tested: bubblewrap is not installed');
    this.skip();
  });

  const start = async (
    servers: Readonly<Record<string, JsonObject>>,
    config = '',
    directory = makeDirectory(),
    builtIns: readonly string[] = BUILT_INS,
  ): Promise<Gateway> => {
    directory.write('config.yaml', `aggregator: { port: 0 }\n${config}`);
    for (const [name, spec] of Object.entries(servers)) define(directory, name, spec);
    mkdirSync(directory.at('state'), { recursive: true, mode: 0o700 });
    return bootGateway({ directory, builtIns });
  };
  const define = (directory: Directory, name: string, spec: JsonObject): void =>
    directory.write(`mcpservers/${name}.yaml`, JSON.stringify(spec));
  const stateOf = async (gateway: Gateway, name: string): Promise<JsonObject> =>
    askCore(gateway, 'core_service_status', { name });
  const settled = async (gateway: Gateway, name: string): Promise<JsonObject> => {
    let status: JsonObject = {};
    await until(async () => {
      status = await stateOf(gateway, name);
      return ['running', 'failed'].includes(String(status['state']));
    });
    return status;
  };
  const run = async (gateway: Gateway, line: string, server = 's'): Promise<Said> => {
    expect((await settled(gateway, server))['error'] ?? '').to.equal('');
    const { content } = await callCore(gateway, `x_${server}_run`, { line });
    return JSON.parse(String(content[0]?.['text'])) as Said;
  };
  const refusal = async (spec: JsonObject, config = '', directory = makeDirectory()): Promise<string> => {
    const gateway = await start({ s: spec }, config, directory);
    const status = await settled(gateway, 's');
    expect(status['state']).to.equal('failed');
    await gateway.stop();
    return String(status['error']);
  };

  it('shows the system read-only, a home of its own and what is granted, and nothing else', async () => {
    const [ro, rw, other] = [
      makeDirectory({ 'a.txt': 'one' }),
      makeDirectory(),
      makeDirectory({ 'b.txt': '' }),
    ];
    const files = [{ path: ro.path }, { path: rw.path, mode: 'rw' }];
    const gateway = await start({ s: shell({ files }) });
    const { said } = await run(
      gateway,
      `cat ${ro.at('a.txt')}; echo two > ${rw.at('c.txt')}; echo $HOME; pwd`,
    );
    expect(said).to.equal('one/home/server\n/home/server\n');
    expect(readFileSync(rw.at('c.txt'), 'utf8')).to.equal('two\n');
    for (const path of [ro.at('c.txt'), '/usr/c.txt', '/etc/c.txt', '/c.txt', '/dev/c.txt', '/home/c.txt'])
      expect((await run(gateway, `echo x > ${path}`)).said, path).to.match(/Read-only|Directory nonexistent/);
    // A Node.js that is installed for one user shows its folder there.
    const homes = process.execPath.startsWith('/root/') ? [] : ['/root'];
    for (const path of [other.path, gateway.directory.path, ...homes, '/etc/shadow', '/var', '/run', '/sys'])
      expect((await run(gateway, `ls ${path}`)).said, path).to.contain('No such file');
    expect((await run(gateway, 'test -w /proc/sys/kernel/core_pattern; echo $?')).said).to.equal('1\n');
    expect((await run(gateway, 'grep -c . /proc/net/dev; ls /home')).said).to.equal('3\nserver\n');
  });

  it('hides the processes of the machine and the environment of Pegboard', async () => {
    withVariables({ PEGBOARD_TEST_SECRET: 'very-secret' });
    const gateway = await start({ s: shell({}, { env: { OWN: 'given' } }) });
    const line =
      'cat /proc/[0-9]*/environ | tr "\\0" "\\n" | sort -u; ls -d /proc/[0-9]* | wc -l; hostname; id -u';
    const { said } = await run(gateway, line);
    expect(said).to.contain('OWN=given').and.not.contain('very-secret');
    expect(said).to.match(/\n[4-9]\nsandbox\n/);
    expect((await run(gateway, `cat /proc/$PPID/environ /proc/${process.pid}/environ`)).said).to.not.contain(
      'very',
    );
    expect(
      (await run(gateway, 'kill -9 $(cat /proc/sys/kernel/pid_max) 1; mount -t tmpfs x /tmp')).code,
    ).not.equal(0);
  });

  it('keeps the home between starts, 0700, executable, and a server cannot see that of another', async () => {
    const gateway = await start({ s: shell(), other: shell() });
    await run(gateway, 'printf "#!/bin/sh\\necho kept" > ~/tool; chmod +x ~/tool; echo x > /tmp/gone');
    expect((await run(gateway, 'ls -a ~', 'other')).said).to.not.contain('tool');
    await callCore(gateway, 'core_service_restart', { name: 's' });
    expect((await run(gateway, '~/tool; cat /tmp/gone')).said).to.match(
      /^kept\ncat: \/tmp\/gone: No such file/,
    );
    const [mode] = execFileSync('stat', ['-c', '%a', gateway.directory.at('state/isolate/s')], {
      encoding: 'utf8',
    }).split('\n');
    expect(mode).to.equal('700');
  });

  it('has no network unless it is granted', async () => {
    const site = createServer((_, answer) => answer.end('here'));
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    defer(() => site.close());
    const { port } = site.address() as AddressInfo;
    const line = `exec ${process.execPath} -e 'fetch("http://127.0.0.1:${port}").then((a) => a.text()).then(console.log, (e) => console.log(e.cause.code))'`;
    const gateway = await start({ s: shell(), open: shell({ network: 'all' }) });
    expect((await run(gateway, line)).said).to.contain('ECONNREFUSED');
    expect((await run(gateway, line, 'open')).said).to.contain('here');
  });

  it('restarts a server whose grants are edited, and ends all of it with SIGTERM first', async () => {
    const folder = makeDirectory({ 'a.txt': 'one' });
    const gateway = await start({ s: shell() }, 'plugins: { upstream: { config: { stdinGraceMs: 50 } } }\n');
    expect((await run(gateway, `cat ${folder.at('a.txt')}; sleep 77 >/dev/null 2>&1 & :`)).said).contain(
      'No such file',
    );
    define(gateway.directory, 's', shell({ files: [{ path: folder.path }] }));
    await gateway.pipeline.reload();
    await until(async () => (await run(gateway, `cat ${folder.at('a.txt')}`)).said === 'one');
    expect(JSON.stringify(gateway.log.records)).to.contain('ended in peace');
    await gateway.stop();
    const left = readdirSync('/proc').filter(
      (pid) => /^\d+$/.test(pid) && commandOf(pid).includes('sleep\u000077'),
    );
    expect(left).to.deep.equal([]);
  });

  it('refuses what it cannot confine, naming the field and what helps', async () => {
    const directory = makeDirectory();
    const link = join(makeDirectory().path, 'link');
    symlinkSync(FIXTURES, link);
    const outside = makeDirectory({ 'x.js': '' });
    mkdirSync(directory.at('state'), { mode: 0o700 });
    const granting = (path: string, mode = 'ro'): Promise<string> =>
      refusal(shell({ files: [{ path, mode }] }), '', directory);
    expect(await granting('/nowhere')).to.equal(
      'grants.files.1.path of the definition does not exist: /nowhere; create it, or correct it',
    );
    expect(await granting(link)).to.contain('symbolic link');
    expect(await granting('/')).to.contain('would show the server the state directory of Pegboard: /');
    expect(await granting(directory.at('state'))).to.contain('the state directory');
    expect(await granting(directory.path)).to.match(/the (state|configuration) directory/);
    expect(await granting('/proc')).to.contain('sockets and devices of the machine');
    const certificates = { env: { SSL_CERT_DIR: directory.at('state') } };
    expect(await refusal(shell({}, certificates), '', directory)).to.equal(
      'the variable SSL_CERT_DIR would show the server the state directory of Pegboard; name another file',
    );
    expect(await granting('mcpservers', 'rw')).to.contain('the configuration directory');
    expect(await refusal(shell({}, { cwd: outside.path }))).to.contain(
      'cwd of the definition is not granted',
    );
    expect(await refusal(shell({}, { args: [outside.at('x.js')] }))).to.contain('word 3 of command and args');
    expect(await refusal(shell({}, { command: ['pegboard-test-absent'] }))).to.contain('not on the PATH');
    expect(await refusal(shell({}, { command: ['/x=y'] }))).to.contain('command of a sandbox must have no =');
  });

  it('follows no interpreter that a server could have named itself, and no script without end', async () => {
    const victim = makeDirectory({ 'bin/x': 'x', key: 'very-secret' });
    const own = makeDirectory({ go: `#!${victim.at('bin/x')}\n` });
    for (const path of [own.at('go'), victim.at('bin/x')]) chmodSync(path, 0o755);
    const files = [{ path: own.path, mode: 'rw' }];
    const confined = {
      server: 's',
      isolate: 'sandbox',
      folder: undefined,
      env: {},
      image: undefined,
    } as const;
    const gateway = await start({});
    const confinement = gateway.kernel.registry.get(Confinement.id) as Confinement;
    const grants = { network: 'none', processes: 0, files } as Confined['grants'];
    const { command } = await confinement.confine({ ...confined, grants, command: [own.at('go')] });
    expect(command.join(' ')).to.not.contain(victim.path);
    const named = makeDirectory({ 'own/env': '#!/bin/sh\n', 'go/go': '' });
    named.write('go/go', `#!${named.at('own/env')} ${victim.at('bin/x')}\n`);
    for (const path of [named.at('own/env'), named.at('go/go')]) chmodSync(path, 0o755);
    const { command: words } = await confinement.confine({
      ...confined,
      grants: { network: 'none', processes: 0 },
      command: [named.at('go/go')],
    });
    expect(words).to.include(named.at('own')).and.not.include(victim.at('bin'));
    const loop = makeDirectory();
    loop.write('go', `#!${loop.at('go')}\n`);
    chmodSync(loop.at('go'), 0o755);
    await confinement.confine({ ...confined, grants, command: [loop.at('go')] });
  });

  it('shows nothing that took the place of a granted folder after it was checked', async () => {
    const gateway = await start({});
    const confinement = gateway.kernel.registry.get(Confinement.id) as Confinement;
    const folder = makeDirectory({ 'sub/a.txt': 'one' });
    const grants = { network: 'none', processes: 0, files: [{ path: folder.at('sub'), mode: 'ro' }] };
    const confined = {
      server: 's',
      isolate: 'sandbox',
      grants: grants as Confined['grants'],
      command: ['/bin/ls', folder.at('sub')],
      folder: undefined,
      env: {},
      image: undefined,
    } as const;
    const spawned = await confinement.confine(confined);
    expect(await ended(spawned)).to.deep.equal({ code: 0, said: 'a.txt\n' });
    renameSync(folder.at('sub'), folder.at('old'));
    gateway.directory.write('state/key', 'very-secret');
    symlinkSync(gateway.directory.at('state'), folder.at('sub'));
    const said = `isolate: ${folder.at('sub')} was exchanged while the server was starting\n`;
    expect(await ended(spawned)).to.deep.equal({ code: 1, said });
  });

  it('shows of a program its own folder and the libraries beside it, but no folder that is shared', async () => {
    const names = [
      '.fly/bin/flyctl',
      '.fly/key',
      '.fly/lib/a',
      'bin/x',
      'bin/y',
      'app/x',
      'app/.env',
      'x',
      'y',
    ];
    const home = makeDirectory(
      Object.fromEntries([...names, 'srv/app/x', 'srv/app/y'].map((at) => [at, ''])),
    );
    withVariables({ HOME: home.path });
    mkdirSync(home.at('open/all'), { recursive: true });
    chmodSync(home.at('open/all'), 0o1777);
    home.write('open/all/key', '');
    const confinement = (await start({})).kernel.registry.get(Confinement.id) as Confinement;
    const seenBy = async (program: string): Promise<string> => {
      home.write(program, `#!/bin/sh\ncd ${home.path} && find * .fly -type f 2>/dev/null | sort`);
      chmodSync(home.at(program), 0o755);
      const grants = { network: 'none', processes: 0 } as const;
      const spawned = await confinement.confine({
        server: 's',
        isolate: 'sandbox',
        grants,
        command: [home.at(program)],
        folder: undefined,
        env: {},
        image: undefined,
      });
      const { said } = await ended(spawned);
      return said.trim().replaceAll('\n', ' ');
    };
    expect(await seenBy('.fly/bin/flyctl')).to.equal('.fly/bin/flyctl .fly/lib/a');
    expect(await seenBy('srv/app/x')).to.equal('srv/app/x srv/app/y');
    for (const alone of ['x', 'bin/x', 'app/x', 'open/all/x']) expect(await seenBy(alone)).to.equal(alone);
  });

  it('shows of the state only the archives of packages that the command names', async () => {
    const gateway = await start({});
    const { directory } = gateway;
    for (const name of ['packages/a.tgz', 'packages/b.whl', 'packages/c.tgz', 'key'])
      directory.write(`state/${name}`, name);
    mkdirSync(directory.at('state/packages/all'));
    const confinement = gateway.kernel.registry.get(Confinement.id) as Confinement;
    const line = `cd ${directory.at('state')} && find . -type f && echo x > packages/a.tgz`;
    const [npm, all] = [`file:${directory.at('state/packages/a.tgz')}`, directory.at('state/packages')];
    const confined = {
      server: 's',
      isolate: 'sandbox',
      grants: { network: 'none', processes: 0 },
      folder: undefined,
      env: {},
      image: undefined,
    } as const;
    const from = ['--from', directory.at('state/packages/b.whl')];
    const command = ['/bin/sh', '-c', line, 'sh', npm, ...from, `file:${all}`];
    const { said } = await ended(await confinement.confine({ ...confined, command }));
    expect(said.split('\n').slice(0, 2).sort()).to.deep.equal(['./packages/a.tgz', './packages/b.whl']);
    expect(said.split('\n')[2]).to.contain('Read-only file system');
    for (const other of [all, directory.at('state/packages/all'), directory.at('state/key')]) {
      const refused = confinement.confine({ ...confined, command: ['/bin/ls', other] });
      expect(await refused.then(String, String)).to.contain('that the sandbox does not show');
    }
  });

  it('starts no server weaker than wanted: without bubblewrap, or with the plugin off', async () => {
    const off = await start(
      { s: shell() },
      '',
      makeDirectory(),
      BUILT_INS.filter((name) => name !== 'isolate'),
    );
    expect((await settled(off, 's'))['error']).to.equal(
      'the server is to run in isolate: sandbox, and no plugin that confines runs; switch the plugin isolate on, or set isolate: none',
    );
    await off.stop();
    const empty = makeDirectory();
    withVariables({ PATH: empty.path });
    const missing = await start({ s: shell() });
    expect((await settled(missing, 's'))['error']).to.contain(
      'bubblewrap is not installed; run: apt install bubblewrap',
    );
    writeFileSync(
      empty.at('bwrap'),
      '#!/bin/sh\n[ "$1" = --help ] || { echo "bwrap: No permissions to create new namespace" >&2; exit 1; }\n',
      { mode: 0o755 },
    );
    await callCore(missing, 'core_service_restart', { name: 's' });
    expect((await settled(missing, 's'))['error']).to.match(
      /No permissions to create new namespace; allow user namespaces/,
    );
  });

  it('is the default of all servers if upstream says so, and shown', async () => {
    const open = Object.fromEntries(Object.entries(shell()).filter(([key]) => key !== 'isolate'));
    const gateway = await start({ s: open }, 'plugins: { upstream: { config: { isolate: sandbox } } }\n');
    const { metadata } = await settled(gateway, 's');
    const processes = process.getuid?.() === 0 ? 'unlimited' : '64';
    const limits = `limits memory 2048 MB each, processes ${processes}, open files 4096 each, home 2048 MB, tmp 256 MB`;
    expect((metadata as JsonObject)['confinement']).to.equal(
      `sandbox; network none; files ${FIXTURES} (ro); ${limits}`,
    );
    expect((await run(gateway, 'hostname')).said).to.equal('sandbox\n');
    gateway.directory.write('config.yaml', 'aggregator: { port: 0 }\n');
    await gateway.pipeline.reload();
    expect((await run(gateway, 'hostname')).said).to.not.equal('sandbox\n');
    expect(((await stateOf(gateway, 's'))['metadata'] as JsonObject)['confinement']).to.equal('none');
  });

  it('has at most the limits of the operator, whatever its definition says', async () => {
    const config = 'plugins: { isolate: { config: { memoryMb: 900, openFiles: 200 } } }\n';
    const s = shell({ memoryMb: 0, openFiles: 10_000 });
    const gateway = await start({ s, less: shell({ memoryMb: 800, openFiles: 100 }) }, config);
    const { metadata } = await settled(gateway, 's');
    expect((metadata as JsonObject)['confinement']).to.match(/memory 900 MB each, .* open files 200 each/);
    expect((await run(gateway, 'ulimit -n; ulimit -d')).said).to.equal(`200\n${900 * 1_024}\n`);
    const lower = await settled(gateway, 'less');
    expect((lower['metadata'] as JsonObject)['confinement']).to.match(
      /memory 800 MB each, .* open files 100 each/,
    );
  });

  it('stops what fills its disk, takes all memory or opens too many files, with its neighbours unharmed', async () => {
    const config = 'plugins: { isolate: { config: { tmpMb: 4, homeMb: 8, homeCheckSeconds: 1 } } }\n';
    const gateway = await start({ s: shell({ memoryMb: 800, openFiles: 64 }), other: shell() }, config);
    for (const folder of ['/tmp', '/dev/shm']) {
      const filled = await run(gateway, `head -c 9000000 /dev/zero > ${folder}/full; rm ${folder}/full`);
      expect(filled.said, folder).to.contain('No space left on device');
    }
    const greedy = `${process.execPath} -e 'const all = []; for (;;) all.push(Buffer.alloc(1e7, 1))'`;
    expect((await run(gateway, greedy)).said).to.match(/allocation failed|allocation_failed|out of memory/i);
    const opener = `const { openSync } = require("fs"); for (let at = 0; at < 100; at += 1) openSync("/dev/null")`;
    expect((await run(gateway, `${process.execPath} -e '${opener}'`)).said).to.contain('EMFILE');
    expect((await run(gateway, 'head -c 9000000 /dev/zero > ~/one')).code).not.to.equal(0);
    const many =
      'for i in 1 2 3; do head -c 6000000 /dev/zero > ~/$i; done; mkdir ~/a; mv ~/[123] ~/a; chmod 0 ~/a; sleep 9';
    await callCore(gateway, 'x_s_run', { line: many }).catch(() => undefined);
    await until(() => JSON.stringify(gateway.log.records).includes('its home is larger than 8 MB'));
    expect((await run(gateway, 'echo well', 'other')).said).to.equal('well\n');
  });

  it('ends a server that fills its home with empty files', async () => {
    const config = 'plugins: { isolate: { config: { homeFiles: 100, homeCheckSeconds: 1 } } }\n';
    const gateway = await start({ s: shell() }, config);
    const line = 'mkdir -p ~/a; cd ~/a; for i in $(seq 120); do : > $i; done; sleep 15';
    await settled(gateway, 's');
    await callCore(gateway, 'x_s_run', { line }).catch(() => undefined);
    await until(() => JSON.stringify(gateway.log.records).includes('its home has more than 100 files'));
  });

  it('holds a grant inside another one, whichever comes first', async () => {
    const data = makeDirectory({ 'keep/a': 'one', 'open/a': 'one' });
    const [all, keep] = [{ path: data.path, mode: 'rw' }, { path: data.at('keep') }];
    const gateway = await start({
      s: shell({ files: [keep, all] }),
      same: shell({ files: [{ path: data.path }, all] }),
      out: shell({ files: [{ path: data.at('open'), mode: 'rw' }, { path: data.path }] }),
    });
    const line = `echo two > ${data.at('keep/a')}; echo two > ${data.at('open/a')}`;
    const said = async (name: string): Promise<string> =>
      (await run(gateway, line, name)).said.replaceAll(/.*cannot create (.*): Read-only file system/g, '$1');
    expect(await said('s')).to.equal(`${data.at('keep/a')}\n`);
    expect(await said('same')).to.equal(`${data.at('keep/a')}\n${data.at('open/a')}\n`);
    expect(await said('out')).to.equal(`${data.at('keep/a')}\n`);
  });

  it('measures the home of a server that stops its process group, and no longer than the server runs', async () => {
    const config = 'plugins: { isolate: { config: { homeMb: 8, homeCheckSeconds: 1 } } }\n';
    const gateway = await start({ s: shell() }, config);
    const own = gateway.directory.at('state/isolate/s');
    const watchers = (): string[] =>
      readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && commandOf(pid).includes(`${own}\u0000`));
    const fill = 'for i in 1 2 3; do head -c 6000000 /dev/zero > ~/$i; done; sleep 60';
    const helper = `touch ~/ready; until grep -q "^State:.T" /proc/$1/status; do :; done; ${fill}`;
    const line = `setsid sh -c '${helper}' sh $$ >&- 2>&- & until [ -e ~/ready ]; do :; done; kill -STOP 0`;
    await settled(gateway, 's');
    const call = callCore(gateway, 'x_s_run', { line }).catch(() => undefined);
    const isTold = (): boolean =>
      JSON.stringify(gateway.log.records).includes('its home is larger than 8 MB');
    await until(isTold, { withinMs: 10_000 });
    await call;
    await gateway.stop();
    await until(() => watchers().length === 0, { withinMs: 800 });
  });

  it('sets variables of the definition for its server alone, and shows their values to no other program', async () => {
    const traces = makeDirectory();
    const env = {
      LD_DEBUG: 'files',
      LD_DEBUG_OUTPUT: traces.at('t'),
      TOKEN: `very secret' "$X`,
      EMPTY: '',
      'a%-b': 'odd',
    };
    const gateway = await start({ s: shell({ files: [{ path: traces.path, mode: 'rw' }] }, { env }) });
    const { said } = await run(gateway, 'tr "\\0" "\\n" < /proc/$$/environ; pwd');
    for (const line of [`TOKEN=very secret' "$X`, 'EMPTY=', 'a%-b=odd', 'PWD=/home/server', '/home/server'])
      expect(said.split('\n')).to.include(line);
    expect(said).to.not.match(/PEGBOARD_V/);
    const shown = readdirSync('/proc').filter(
      (pid) => /^\d+$/.test(pid) && commandOf(pid).includes('very secret'),
    );
    expect(shown).to.deep.equal([]);
    const traced = readdirSync(traces.path).map((name) => readFileSync(traces.at(name), 'utf8'));
    const programs = new Set(traced.flatMap((text) => text.match(/(?<=initialize program: ).*/g) ?? []));
    expect([...programs]).to.have.members([process.execPath, '/bin/sh', 'tr']);
    expect(JSON.stringify(traced)).to.not.match(/prlimit|bwrap/);
  });

  it('gives a fork bomb no more processes than are granted', async () => {
    const gateway = await start({});
    const confinement = gateway.kernel.registry.get(Confinement.id) as Confinement;
    const own = process.getuid?.bind(process);
    const isRoot = own?.() === 0;
    // Of root the kernel counts no processes, so that the test is made as another user.
    if (isRoot) process.getuid = () => 65_534;
    defer(() => {
      if (own !== undefined) process.getuid = own;
    });
    // No pipeline: the shell itself may be what cannot fork, and its words then went around the pipe.
    const line = 'exec 2>&1; f() { sleep 1 & f; }; f';
    const command = ['/bin/sh', '-c', line];
    const grants = { network: 'none', processes: 20 } as const;
    const confined = {
      server: 's',
      isolate: 'sandbox',
      grants,
      command,
      folder: undefined,
      env: {},
      image: undefined,
    } as const;
    const {
      command: [file = '', ...words],
      env,
    } = await confinement.confine(confined);
    if (isRoot) {
      for (const path of ['', 'state', 'state/isolate', 'state/isolate/s'])
        chownSync(gateway.directory.at(path), 65_534, 65_534);
    }
    const user = isRoot ? { uid: 65_534, gid: 65_534 } : {};
    const child = spawn(file, words, { env, ...user, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
    defer(() => process.kill(-(child.pid ?? 0), 'SIGKILL'));
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await once(child.stdout, 'end');
    expect(said).to.contain('Cannot fork');
  });
});

/** Runs a confined command to its end. */
async function ended({ command, env }: Spawned): Promise<Said> {
  const [file = '', ...words] = command;
  const child = spawn(file, words, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => said.push(chunk.toString()));
  const [code] = (await once(child, 'exit')) as [number];
  process.kill(-(child.pid ?? 0), 'SIGKILL');
  await once(child, 'close');
  return { code, said: said.join('') };
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
