import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { defer } from '../../../support/cleanup.ts';
import { makeDirectory } from '../../../support/directory.ts';
import { typeVerbWith } from '../../../support/typeVerb.ts';

describe('cli: an installation as a service of systemd', () => {
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
});
