import { expect } from 'chai';
import { execFile, spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { defer } from '../support/cleanup.ts';
import { makeDirectory } from '../support/directory.ts';
import { certificates } from '../support/environment.ts';
import { EVERYTHING } from '../support/everything.ts';
import { McpClient, textOf } from '../support/mcpClient.ts';
import { packedFolder, tarball } from '../support/packed.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);

interface Bom {
  readonly components: readonly {
    readonly name: string;
    readonly version: string;
    readonly purl: string;
    readonly hashes?: readonly { readonly content: string }[];
  }[];
}
interface Lock {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly integrity?: string }>>;
}

/** Broken relative links of packed documents. */
function deadLinks(files: readonly string[]): readonly string[] {
  return files
    .filter((path) => path.endsWith('.md'))
    .flatMap((path) => {
      const links = [...readFileSync(path, 'utf8').matchAll(/\]\((?!https?:)([^)#\s]+)[^)]*\)/g)];
      const leads = (target: string): boolean =>
        files.some((file) => file === target || file.startsWith(`${target}/`));
      return links
        .map(([, link = '']) => link)
        .filter((link) => !leads(join(dirname(path), link).replace(/\/$/, '')))
        .map((link) => `${path}: ${link}`);
    });
}

/** The line in its log that says where a gateway listens. */
async function readyLine(log: Readable): Promise<{ readonly url: string }> {
  const lines: string[] = [];
  createInterface(log).on('line', (line) => lines.push(line));
  const ready = await until(() => lines.find((line) => line.includes('"text":"ready"')), {
    what: 'the installed pegboard is ready',
    withinMs: 60_000,
  });
  return JSON.parse(ready) as { url: string };
}

describe('e2e: the package', function () {
  this.timeout(180_000);

  it('has scripts of the kernel that V8 keeps with one byte a character', () => {
    const folder = join(packedFolder(), 'dist/kernel');
    const scripts = readdirSync(folder).filter((name) => name.endsWith('.js'));
    expect(scripts).include('microkernel.js');
    const wide = scripts.filter((name) => /[^\0-\xff]/.test(readFileSync(join(folder, name), 'utf8')));
    expect(wide).deep.equal([]);
  });

  it('imports no http of Node, which would load its fetch at each start', () => {
    const folder = join(packedFolder(), 'dist');
    const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const scripts = paths.filter((path) => path.endsWith('.js'));
    const texts = scripts.map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }));
    expect(texts.filter(({ text }) => text.includes('getBuiltinModule')).length).greaterThan(0);
    const loading = texts.filter(({ text }) => /from ?["'](node:)?http["']/.test(text));
    expect(loading.map(({ path }) => path)).deep.equal([]);
  });

  it('lists the packages in its bundle as CycloneDX, with the digests of the lock file', () => {
    const read = (path: string): string => readFileSync(path, 'utf8');
    const bom = JSON.parse(read(join(packedFolder(), 'dist/sbom.cdx.json'))) as Bom;
    const { packages } = JSON.parse(read('package-lock.json')) as Lock;
    const licences = read(join(packedFolder(), 'dist/THIRD_PARTY_LICENSES.txt'));
    const listed = [...licences.matchAll(/^(\S+) (\d\S*) \([^)]+\)$/gm)].map(
      ([, name, version]) => `${name}@${version}`,
    );
    expect(bom).include({ bomFormat: 'CycloneDX', specVersion: '1.6' });
    expect(bom.components.map(({ name, version }) => `${name}@${version}`))
      .have.members(listed)
      .and.length.above(50);
    const entries = Object.entries(packages);
    for (const { name, version, purl, hashes = [] } of bom.components) {
      expect(purl).equal(`pkg:npm/${name.replace('@', '%40')}@${version}`);
      const digests = entries
        .filter(([path, entry]) => path.endsWith(`node_modules/${name}`) && entry.version === version)
        .map(([, { integrity = '' }]) =>
          Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex'),
        );
      for (const { content } of hashes) expect(digests, name).include(content);
      if (name !== '@pegboard/gotpl') expect(hashes, name).length(1);
    }
  });

  it('installs from its tarball into an empty prefix and works', async () => {
    const prefix = makeDirectory();
    const listed = (await run('tar', ['-tzf', tarball()])).stdout.trim().split('\n');
    const files = listed.map((path) => path.replace('package/', ''));
    expect(files).length.at.most(600);
    expect(files).include('dist/kernel/program/pegboard.js').and.include('README.md').and.include('LICENSE');
    expect(files.filter((path) => path.includes('.test.') || path.startsWith('test/'))).deep.equal([]);
    expect(deadLinks(files)).deep.equal([]);

    const install = ['install', '--global', '--prefix', prefix.path, '--no-audit', '--no-fund'];
    await run('npm', [...install, '--prefer-offline', tarball()], {
      env: { ...process.env, ...certificates },
    });
    const bin = prefix.at('bin/pegboard');
    expect((await run(bin, ['--version'])).stdout).match(/^\d+\.\d+\.\d+\n$/);
    expect((await run(`${bin}-replay`, ['--help'])).stdout).contain('pegboard-replay CASSETTE');

    const config = makeDirectory({
      'mcpservers/everything.yaml': JSON.stringify({
        type: 'stdio',
        command: [process.execPath, EVERYTHING, 'stdio'],
        autoStart: true,
      }),
    });
    const child = spawn(bin, ['serve', '--config-path', config.path, '--port', '0', '--log-format', 'json']);
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
    defer(() => {
      child.kill('SIGKILL');
      return exited;
    });
    const { origin } = new URL((await readyLine(child.stderr)).url);
    const client = await McpClient.connect(origin);
    expect(await client.listTools()).length(13);
    const echo = async (): Promise<string> =>
      textOf(await client.callTool('x_everything_echo', { message: 'hello' }));
    await until(async () => (await echo()) === 'Echo: hello', {
      what: 'a call goes through',
      withinMs: 20_000,
    });
    child.kill('SIGTERM');
    expect(await exited).equal(0);
  });

  it('is served by npx from its tarball in an empty home, where it leaves a configuration', async () => {
    const home = makeDirectory();
    const child = spawn(
      'npx',
      ['--yes', '--prefer-offline', `file:${tarball()}`, 'serve', '--port', '0', '--log-format', 'json'],
      {
        cwd: home.path,
        env: { ...process.env, ...certificates, HOME: home.path, XDG_CONFIG_HOME: '' },
        detached: true,
      },
    );
    const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
    // As Ctrl-C does: npx leaves a signal to those that it has started.
    const interrupt = (): boolean => process.kill(-(child.pid ?? 0), 'SIGINT');
    let isClosed = false;
    void closed.then(() => (isClosed = true));
    defer(() => {
      if (!isClosed) interrupt();
      return closed;
    });
    const { url } = await readyLine(child.stderr);
    const client = await McpClient.connect(new URL(url).origin);
    expect(await client.listTools()).length(13);
    await client.end();
    expect(readFileSync(home.at('.config/pegboard/config.yaml'), 'utf8')).include('aggregator');
    interrupt();
    await closed;
  });
});
