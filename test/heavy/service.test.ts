import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { freePort } from '../support/everything.ts';
import { McpClient } from '../support/mcpClient.ts';
import { packedProgram } from '../support/packed.ts';
import { ROOT } from '../support/sources.ts';
import { needSystemd, startUserManager } from '../support/systemd.ts';
import type { UserManager } from '../support/systemd.ts';
import { until } from '../support/until.ts';

const UNIT = '.config/systemd/user/pegboard.service';
const SOCKET = '.config/systemd/user/pegboard.socket';
const FOLDER = 'my 100% $gateway';

const UNIT_OF_ALL = join(ROOT, 'examples/machine/pegboard.service');
/** Highest exposure, from 0 to 10; 9.6 without any restriction. */
const MAX_EXPOSURE = 2;

interface Status {
  readonly installed: boolean;
  readonly running: boolean;
  readonly pid?: number;
}

describe('pegboard service with a real systemd', function () {
  this.timeout(60_000);
  let manager: UserManager;
  let url: string;
  before(function () {
    needSystemd(this);
  });
  beforeEach(async () => {
    manager = await startUserManager();
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    manager.home.write(`${FOLDER}/config.yaml`, `aggregator: { host: 127.0.0.1, port: ${port} }\n`);
  });
  const type = (...words: readonly string[]): ReturnType<UserManager['run']> =>
    manager.run(process.execPath, packedProgram(), 'service', ...words);
  const install = (): ReturnType<UserManager['run']> =>
    type('install', '--config-path', manager.home.at(FOLDER));
  const status = async (): Promise<Status> =>
    JSON.parse((await type('status', '-o', 'json')).stdout) as Status;

  it('installs a service that answers, comes back after kill -9, and is removed', async () => {
    expect(await type('status')).include({ code: 4 });
    const installed = await install();
    expect(installed.stderr)
      .include(UNIT)
      .include('the service runs')
      .include('journalctl --user -u pegboard');
    expect(installed.code).equal(0);
    const unit = manager.home.at(UNIT);
    expect((await manager.run('systemd-analyze', '--user', 'verify', unit)).stderr).not.include(unit);
    expect((await McpClient.connect(url)).initialized).property('serverInfo');
    const { pid = 0, ...first } = await status();
    expect(first).include({ installed: true, running: true });
    process.kill(pid, 'SIGKILL');
    const isBack = async (): Promise<boolean> => {
      const now = await status();
      return now.running && now.pid !== pid;
    };
    await until(isBack, { what: 'the restart', withinMs: 20_000 });
    expect((await install()).stderr).include('unchanged');
    expect(await type('uninstall')).include({ code: 0 });
    expect(existsSync(unit)).equal(false);
    expect(await type('status')).include({ code: 4 });
    expect(
      await McpClient.connect(url).then(
        () => 'answers',
        () => 'gone',
      ),
    ).equal('gone');
    expect((await type('uninstall')).stderr).include('no service is installed');
  });

  it('has systemd hold the port, so that a restart refuses no connection', async () => {
    expect((await install()).stderr).include(SOCKET);
    expect((await type('status')).stdout).include('pegboard.socket');
    const answers: string[] = [];
    const over = new AbortController();
    const asking = (async () => {
      while (!over.signal.aborted) {
        const answer = await fetch(`${url}/health`, { headers: { connection: 'close' } }).then(
          ({ status }) => String(status),
          (error: unknown) => String(((error as Error).cause as NodeJS.ErrnoException).code),
        );
        answers.push(answer);
      }
    })();
    await until(() => answers.length > 5);
    expect(await manager.run('systemctl', '--user', 'restart', 'pegboard.service')).include({ code: 0 });
    const before = answers.length;
    await until(() => answers.length > before + 5, { withinMs: 20_000 });
    over.abort();
    await asking;
    expect(answers).not.include('ECONNREFUSED');
    expect(await type('uninstall')).include({ code: 0 });
    expect(existsSync(manager.home.at(SOCKET))).equal(false);
  });

  it('says that the service does not run with a wrong configuration, and does not start it again', async () => {
    const { port } = new URL(url);
    manager.home.write(`${FOLDER}/config.yaml`, `aggregator: { port: ${port}, prot: 1 }\n`);
    const { code, stderr } = await install();
    expect(code).equal(1);
    expect(stderr).include('it does not run: failed').include('journalctl');
    expect(await type('status')).include({ code: 3 });
    const { stdout } = await manager.run('systemctl', '--user', 'show', 'pegboard', '--property=NRestarts');
    expect(stdout.trim()).equal('NRestarts=0');
  });

  it('has an example of a unit for all users that systemd accepts and finds confined', async () => {
    const verified = await manager.run('systemd-analyze', 'verify', UNIT_OF_ALL);
    // Its program is not where it looks for it.
    const complaints = verified.stderr.split('\n').filter((line) => line.includes('pegboard.service'));
    expect(complaints.filter((line) => !line.includes('is not executable'))).deep.equal([]);
    const { stdout } = await manager.run('systemd-analyze', 'security', '--offline=true', UNIT_OF_ALL);
    const exposure = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1]);
    expect(exposure).at.most(MAX_EXPOSURE);
  });

  it('leaves a unit alone that it has not written', async () => {
    manager.home.write(UNIT, '[Service]\nExecStart=/bin/true\n');
    expect((await install()).stderr).include('was not written by pegboard service install');
    expect((await type('uninstall')).stderr).include('remove it yourself');
  });
});
