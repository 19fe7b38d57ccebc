import { chmodSync, existsSync, readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { defer } from '../../../support/cleanup.ts';
import { makeDirectory } from '../../../support/directory.ts';
import { typeVerbWith } from '../../../support/typeVerb.ts';
import { serviceManager } from '../../../../plugins/cli/service/serviceManager.ts';

const PROGRAM = {
  command: ['/opt/node/bin/node', '/home/ann/lib/pegboard.js'],
  directory: '/home/ann/a "b" & 100% $HOME',
  path: '/usr/bin:/home/ann/$bin 100%',
  listen: ['127.0.0.1:8090'],
};

describe('cli: what keeps the gateway running', () => {
  it('is systemd on Linux, with a unit in the folder of the user', () => {
    const { file, text, stateIn } = serviceManager('linux', { HOME: '/home/ann' }, 1000);
    expect(file).equal('/home/ann/.config/systemd/user/pegboard.service');
    expect(text(PROGRAM)).include(
      'ExecStart=/opt/node/bin/node /home/ann/lib/pegboard.js serve --config-path "/home/ann/a \\"b\\" & 100%% $$HOME"',
    );
    // Command lines expand variables, environments do not.
    expect(text(PROGRAM)).include('Environment="PATH=/usr/bin:/home/ann/$bin 100%%"\n');
    expect(stateIn('ActiveState=active\nSubState=running\nMainPID=7\n')).deep.equal({
      running: true,
      state: 'active (running)',
      pid: 7,
    });
    expect(stateIn('ActiveState=failed\nSubState=failed\nMainPID=0\n')).include({ running: false });
    const elsewhere = serviceManager('linux', { HOME: '/home/ann', XDG_CONFIG_HOME: '/cfg' }, 1000);
    expect(elsewhere.file).equal('/cfg/systemd/user/pegboard.service');
  });

  it('has a socket of systemd for the address of config.yaml, if that is fixed', async () => {
    const install = async (config: string): Promise<string> => {
      const home = makeDirectory({ 'config.yaml': config });
      const env = { HOME: home.path, PATH: home.path };
      const words = ['service', 'install', '--dry-run', '--config-path', home.path];
      return (await typeVerbWith(words, env)).stdout;
    };
    const text = await install('aggregator: { port: 9000 }\n');
    expect(text)
      .match(/^# .*\/\.config\/systemd\/user\/pegboard\.socket$/m)
      .and.include('\n[Socket]\nListenStream=127.0.0.1:9000\n')
      .and.include('\nRequires=pegboard.socket\nAfter=pegboard.socket\n')
      .and.include('# systemctl --user enable pegboard.socket pegboard.service\n');
    expect(await install("aggregator: { host: '::' }\n")).include('ListenStream=[::]:8090\n');
    for (const config of ['port: 0', 'transport: stdio', 'host: gateway.example.com', 'enabled: false'])
      expect(await install(`aggregator: { ${config} }\n`), config).not.include('socket');
  });

  it('starts for connections five times a minute at most, and names both units to be stopped', () => {
    const { socket, hints } = serviceManager('linux', { HOME: '/home/ann' }, 1000);
    expect(socket?.text(PROGRAM)).include('\nTriggerLimitIntervalSec=60\nTriggerLimitBurst=5\n');
    expect(hints.join('\n')).include('systemctl --user stop pegboard.socket pegboard.service');
  });

  /** A home whose systemctl notes what it is asked, and fails at `failsAt`. */
  const withSystemctl = (config: string, failsAt: string, more: Readonly<Record<string, string>> = {}) => {
    const home = makeDirectory({
      'config.yaml': config,
      ...more,
      'bin/systemctl': `#!/bin/sh
echo "$* $(test -e $HOME/.config/systemd/user/pegboard.socket && echo there)" >> $HOME/asked
case "$*" in *"${failsAt}"*) echo 'Job failed.' >&2; exit 1 ;; esac\n`,
    });
    chmodSync(home.at('bin/systemctl'), 0o755);
    // The program that systemctl is run from is looked for in the environment of the process.
    const { PATH: before = '', HOME: whose } = process.env;
    Object.assign(process.env, { PATH: `${home.at('bin')}:${before}`, HOME: home.path });
    defer(() => Object.assign(process.env, { PATH: before, HOME: whose }));
    const install = () =>
      typeVerbWith(['service', 'install', '--config-path', home.path], { HOME: home.path });
    return { home, install, asked: () => readFileSync(home.at('asked'), 'utf8') };
  };

  it('closes the socket of a former install before its file is removed', async () => {
    const { home, install, asked } = withSystemctl('aggregator: { port: 0 }\n', 'nothing', {
      '.config/systemd/user/pegboard.socket': '# Written by: pegboard service install\n',
    });
    await install();
    expect(asked()).match(/^--user disable --now pegboard\.socket there\n--user daemon-reload\s*\n/);
    expect(existsSync(home.at('.config/systemd/user/pegboard.socket'))).equal(false);
  });

  /** A port that something holds: another process, or the socket that systemd has opened for the gateway. */
  const heldPort = async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    defer(() => new Promise((resolve) => holder.close(resolve)));
    const place = `127.0.0.1:${(holder.address() as AddressInfo).port}`;
    return { place, config: `aggregator: { host: 127.0.0.1, port: ${place.slice(10)} }\n` };
  };

  it('names the process that has its port as the reason, and takes back what was enabled', async () => {
    const { place, config } = await heldPort();
    const { home, install, asked } = withSystemctl(config, 'restart pegboard.socket');
    const { code, stderr } = await install();
    expect(code).equal(1);
    expect(stderr).equal(
      `pegboard: systemctl --user restart pegboard.socket: Job failed.\nnothing was installed; another process listens on ${place}; end it (a pegboard serve of a terminal?), or set aggregator.port\n`,
    );
    expect(asked()).match(
      /enable pegboard\.socket pegboard\.service there\n[^]*disable --now pegboard\.service there\n--user daemon-reload \n$/,
    );
    expect(existsSync(home.at('.config/systemd/user/pegboard.socket'))).equal(false);
  });

  it('names it beside the command that failed where it was installed before', async () => {
    const { place, config } = await heldPort();
    const { home, install } = withSystemctl(config, 'restart pegboard.socket', {
      '.config/systemd/user/pegboard.service': '# Written by: pegboard service install\n',
    });
    const { code, stderr } = await install();
    expect(code).equal(1);
    expect(stderr).equal(
      `pegboard: systemctl --user restart pegboard.socket: Job failed.\nanother process listens on ${place}; end it (a pegboard serve of a terminal?), or set aggregator.port\n`,
    );
    expect(existsSync(home.at('.config/systemd/user/pegboard.service'))).equal(true);
  });

  it('does not blame its own socket for another command that fails', async () => {
    const { config } = await heldPort();
    const again = withSystemctl(config, 'daemon-reload', {
      '.config/systemd/user/pegboard.service': '# Written by: pegboard service install\n',
    });
    expect((await again.install()).stderr).equal('pegboard: systemctl --user daemon-reload: Job failed.\n');
    const first = withSystemctl(config, 'restart pegboard.service');
    expect((await first.install()).stderr)
      .match(/^pegboard: systemctl --user restart pegboard\.service: Job failed\.\nnothing was installed; /)
      .not.include('another process');
  });

  it('is launchd on macOS, with an agent that is well-formed XML', () => {
    const { file, text, stateIn, enable } = serviceManager('darwin', { HOME: '/Users/ann' }, 501);
    expect(file).equal('/Users/ann/Library/LaunchAgents/dev.pegboard.gateway.plist');
    expect(text(PROGRAM))
      .include('<string>/home/ann/a "b" &amp; 100% $HOME</string>')
      .include('<string>/Users/ann/Library/Logs/pegboard.log</string>');
    expect(enable(PROGRAM).at(-1)).deep.equal(['launchctl', 'bootstrap', 'gui/501', file]);
    expect(stateIn('gui/501/x = {\n\tstate = running\n\tpid = 42\n}')).deep.equal({
      running: true,
      state: 'running',
      pid: 42,
    });
    expect(stateIn('Could not find service')).include({ running: false, state: 'unknown' });
  });

  it('leaves nothing behind if the manager does not answer, and says what it needs', async () => {
    const home = makeDirectory();
    const env = { HOME: home.path, PATH: home.path };
    const { code, stderr } = await typeVerbWith(['service', 'install', '--config-path', home.path], env);
    expect(code).equal(1);
    expect(stderr).match(/nothing was installed; /);
    expect(
      readdirSync(home.path, { recursive: true }).filter((name) => /\.(service|plist)$/.test(String(name))),
    ).deep.equal([]);
  });

  it('gets no folders and paths with control characters, which would add settings', async () => {
    const home = makeDirectory();
    const env = { HOME: home.path, PATH: home.path };
    const install = (directory: string, more: Readonly<Record<string, string>> = {}) =>
      typeVerbWith(['service', 'install', '--dry-run', '--config-path', directory], { ...env, ...more });
    const directory = `${home.path}\nExecStartPre=touch x`;
    const [folder, path, both] = await Promise.all([
      install(directory),
      install(home.path, { PATH: '/bin\r\u0085' }),
      install(`${home.path}/größe 100%`),
    ]);
    expect(folder).include({ code: 1, stdout: '' });
    expect(folder.stderr).equal(
      `pegboard: ${JSON.stringify(directory)} holds a control character, which a service of systemd cannot name; move it, or rename its folder\n`,
    );
    expect(path.stderr).match(/^pegboard: "\/bin\\r.*; set another PATH\n$/);
    expect(both.code, both.stderr).equal(0);
  });

  it('is not known on other systems', () => {
    expect(() => serviceManager('win32', {}, 0)).throw(/systemd \(Linux\) and launchd \(macOS\); on win32/);
  });
});
