import { expect } from 'chai';
import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { makeDirectory } from '../../../support/directory.ts';
import { freePort } from '../../../support/everything.ts';
import { sha256, sha512, startPackageRegistry } from '../../../support/packageRegistry.ts';
import type { PackageRegistry } from '../../../support/packageRegistry.ts';
import { statedIntegrity, statementsOf } from '../../../support/provenance.ts';
import { typeVerb } from '../../../support/typeVerb.ts';
import type { Typed } from '../../../support/typeVerb.ts';

interface Added extends Typed {
  readonly spec: Readonly<Record<string, unknown>> | undefined;
}

describe('the pin of pegboard add', () => {
  let registry: PackageRegistry;
  const archive = Buffer.from('an archive');

  beforeEach(async () => {
    registry = await startPackageRegistry();
  });

  function add(...words: readonly string[]): Promise<Added> {
    return addWith({}, ...words);
  }
  async function addWith(env: Readonly<Record<string, string>>, ...words: readonly string[]): Promise<Added> {
    const directory = makeDirectory({ 'config.yaml': `aggregator: { port: ${await freePort()} }\n` });
    const args = ['add', '--config-path', directory.path, 'one', ...words];
    const typed = await typeVerb(args, { ...registry.env, ...env });
    const file = directory.at('mcpservers/one.yaml');
    if (!existsSync(file)) return { ...typed, spec: undefined };
    return { ...typed, spec: (parse(readFileSync(file, 'utf8')) as { spec: Added['spec'] }).spec };
  }

  it('writes the version and the hash of an npm package, and says who published it when', async () => {
    registry.npm.push(
      { name: '@acme/notes', version: '1.0.0', archive: Buffer.from('old') },
      { name: '@acme/notes', version: '1.2.3', archive, age: 3 },
    );
    // A scope has a registry of its own, which only npm knows.
    const { code, stderr, spec } = await add('--', 'npx', '-y', '@acme/notes', '--port', '1');
    expect(code, stderr).equal(0);
    expect(spec).include({ type: 'stdio', autoStart: true });
    expect(spec?.['command']).deep.equal(['npx', '-y', '@acme/notes@1.2.3', '--port', '1']);
    const integrity = sha512(archive);
    const source = { registry: 'npm', name: '@acme/notes', version: '1.2.3', integrity };
    expect(spec?.['source']).deep.equal(source);
    expect(stderr).match(/npm package @acme\/notes 1\.2\.3, by acme, published [-\d]{10} \(3 days ago\)/);
    expect(stderr).contain(`without a provenance statement, ${integrity}`);
  });

  it('keeps a version that is written, and knows what is said to have provenance', async () => {
    registry.npm.push(
      { name: 'notes', version: '1.0.0', archive, hasProvenance: true },
      { name: 'notes', version: '2.0.0', archive: Buffer.from('new') },
    );
    const { spec, stderr } = await add('notes@1.0.0');
    expect(spec?.['command']).deep.equal(['npx', '-y', 'notes@1.0.0']);
    expect(stderr).contain('with a provenance statement (not verified)');
  });

  it('says where an npm package was built, as Sigstore and npm have signed it', async () => {
    const statements = statementsOf('sigstore-2.3.1');
    const integrity = statedIntegrity(statements);
    const published = {
      name: 'sigstore',
      version: '2.3.1',
      archive,
      attestations: JSON.stringify(statements),
    };
    registry.npm.push({ ...published, integrity });
    const { spec, stderr } = await add('--', 'npx', '-y', 'sigstore');
    expect(spec?.['command'], stderr).deep.equal(['npx', '-y', 'sigstore@2.3.1']);
    expect(stderr).contain(
      'provenance verified: built from https://github.com/sigstore/sigstore-js, at commit 46e7056ff991, by .github/workflows/release.yml@refs/heads/main, published by npm as stated, sha512-',
    );
  });

  it('adds nothing whose provenance is of something else, and proposes no way around it', async () => {
    const attestations = JSON.stringify(statementsOf('sigstore-2.3.1'));
    registry.npm.push({ name: 'sigstore', version: '2.3.1', archive, attestations });
    const { code, spec, stderr } = await add('--yes', '--', 'npx', '-y', 'sigstore@2.3.1');
    expect([code, spec]).deep.equal([1, undefined]);
    expect(stderr).contain('the provenance of sigstore 2.3.1 is not valid').and.contain('of another archive');
    expect(stderr).not.contain('--unpinned');
    expect((await add('--trusted-root', '/nothing', '--', 'npx', 'sigstore')).stderr).contain(
      '--trusted-root cannot be read',
    );
  });

  it('writes the version and the hash of a Python package', async () => {
    for (const version of ['0.9.0', '0.10.0', '1.0.0rc1'])
      registry.pypi.push({ name: 'mcp-python', version, archive: Buffer.from(version) });
    const { spec, stderr } = await add('--', 'uvx', '--from', 'mcp-python', 'serve');
    expect(spec?.['command']).deep.equal(['uvx', '--from', 'mcp-python==0.10.0', 'serve']);
    const integrity = `sha256:${sha256('0.10.0')}`;
    const source = { registry: 'pypi', name: 'mcp-python', version: '0.10.0', integrity };
    expect(spec?.['source']).deep.equal(source);
    expect(stderr).contain('Python package mcp-python 0.10.0, by Python people');
  });

  it('asks no index of Python where another may have a package of that name', async () => {
    registry.pypi.push({ name: 'mcp-python', version: '1.0.0', archive });
    const { at } = makeDirectory({ 'uv.toml': '[[index]]\nurl = "https://a:s3cret@example.com"\n' });
    for (const env of [
      { UV_INDEX: 'https://a:s3cret@example.com/simple' },
      { PIP_EXTRA_INDEX_URL: 'https://a:s3cret@example.com/simple' },
      { UV_CONFIG_FILE: at('uv.toml') },
    ]) {
      const { spec, stderr } = await addWith(env, '--', 'uvx', 'mcp-python');
      expect(spec).equal(undefined);
      expect(stderr).contain('several indexes of Python').not.contain('s3cret');
    }
    expect(registry.asked).deep.equal([]);
  });

  it('writes the digest of an image, as the bytes of its manifest have it', async () => {
    const manifest = '{"annotations":{"org.opencontainers.image.created":"2026-01-02T00:00:00Z"}}';
    registry.images.set('acme/notes:1.0', manifest);
    const name = `${registry.host}/acme/notes`;
    const { spec, stderr } = await add('--', 'docker', 'run', '-i', '--rm', '-e', 'A', `${name}:1.0`);
    const digest = `sha256:${sha256(manifest)}`;
    const command = ['docker', 'run', '-i', '--rm', '-e', 'A', `${name}:1.0@${digest}`];
    expect(spec?.['command'], stderr).deep.equal(command);
    expect(stderr).contain('published 2026-01-02');
  });

  it('shows what a registry declares in one line of bounded length', async () => {
    const deprecated = `\u001B[2Jno\npinned by Pegboard${' x'.repeat(100_000)}`;
    registry.npm.push({ name: 'notes', version: '1.0.0', archive, deprecated });
    const { stderr } = await add('notes@1.0.0');
    const lines = stderr.split('\n').filter((line) => line.includes('pinned by Pegboard'));
    expect(lines).length(1);
    expect(lines[0]).match(/^npm package notes 1\.0\.0, .* deprecated: .*no pinned by Pegboard/);
    expect(lines[0]).not.contain('\u001B');
    expect(lines[0]?.length).lessThan(600);
  });

  it('adds nothing while the registry is away, unless that is asked for', async () => {
    await registry.close();
    const { code, stderr, spec } = await add('notes@latest');
    expect([code, spec]).deep.equal([1, undefined]);
    expect(stderr).match(/the registry at 127\.0\.0\.1:\d+ does not answer: .*: --unpinned\n$/);
    const anyway = await add('--unpinned', 'notes@latest');
    expect(anyway.spec?.['command']).deep.equal(['npx', '-y', 'notes@latest']);
    expect(anyway.stderr).contain('notes is not pinned: whatever version is the newest runs at each start');
  });

  it('shows what the registry declares on one line', async () => {
    const publisher = `a\npegboard: all is well\u001b[2J${'x'.repeat(500)}`;
    registry.npm.push({ name: 'notes', version: '1.0.0', archive, publisher });
    const { stderr } = await add('notes@1.0.0');
    expect(stderr).match(
      /^npm package notes 1\.0\.0, by a.{0,20}pegboard: all is well.{100,210}, published /,
    );
    expect(stderr).not.contain('\u001b');
  });

  it('says what is not there, and what cannot be pinned', async () => {
    registry.npm.push({ name: 'notes', version: '1.0.0', archive });
    expect((await add('notez@1.0.0')).stderr).contain('there is no npm package notez at 127.0.0.1');
    expect((await add('notes@9.9.9')).stderr).contain('npm package notes has no version 9.9.9');
    expect((await add('--', 'npx', 'notes@^1')).stderr).contain('notes@^1 is a range of versions');
    const elsewhere = await add('--', 'npx', '--registry', `http://${registry.host}/other`, 'notes');
    expect(elsewhere.stderr).contain('notes cannot be pinned: --registry names another place');
    expect((await add('--', 'npx', '--unheard-of', 'notes', 'b')).stderr).contain('the flag --unheard-of');
    expect(registry.asked.filter((path) => path.endsWith('/notes'))).length(1);
  });

  it('leaves a name near that of a popular server until its user agrees', async () => {
    registry.pypi.push({ name: 'mcp-python', version: '1.0.0', archive });
    registry.npm.push({ name: '@playwrigth/mcp', version: '1.0.0', archive });
    const { spec, stderr } = await add('@playwrigth/mcp');
    expect(stderr).contain('warning: @playwrigth/mcp is not @playwright/mcp, but its name is near');
    expect(spec).include({ suspended: true });
    expect((await add('--yes', '@playwrigth/mcp')).spec).not.have.property('suspended');
  });
});
