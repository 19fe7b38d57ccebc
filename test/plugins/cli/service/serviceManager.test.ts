import { readdirSync } from 'node:fs';
import { expect } from 'chai';
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
