import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import { makeDirectory } from '../../../support/directory.ts';
import type { Directory } from '../../../support/directory.ts';
import { sha256, sha512, startPackageRegistry } from '../../../support/packageRegistry.ts';
import type { PackageRegistry } from '../../../support/packageRegistry.ts';
import { statedIntegrity, statementsOf } from '../../../support/provenance.ts';
import { runPegboard } from '../../../support/serve.ts';
import { typeVerb } from '../../../support/typeVerb.ts';

const OLD = Buffer.from('old');
const NEW = Buffer.from('new');

describe('The packages of servers', () => {
  let registry: PackageRegistry;
  let directory: Directory;

  beforeEach(async () => {
    registry = await startPackageRegistry();
    registry.npm.push(
      { name: 'notes', version: '1.0.0', archive: OLD, age: 30 },
      { name: 'notes', version: '1.1.0', archive: NEW, age: 2 },
    );
    registry.pypi.push({ name: 'mcp-python', version: '1.0', archive: OLD });
    const source = { registry: 'npm', name: 'notes', version: '1.0.0', integrity: sha512(OLD) };
    directory = makeDirectory({
      'config.yaml': '',
      'mcpservers/notes.yaml': `# Kept.\ntype: stdio\ncommand: [npx, -y, notes@1.0.0, --port, '1'] # here\nsource: ${JSON.stringify(source)}\n`,
      'mcpservers/any.yaml': 'type: stdio\ncommand: [uvx, mcp-python]\n',
      'mcpservers/none.yaml': 'type: stdio\ncommand: [node, x.js]\n',
    });
  });

  const type = (...words: readonly string[]): ReturnType<typeof typeVerb> =>
    typeVerb([...words, '--config-path', directory.path], registry.env);
  const text = (name: string): string => readFileSync(directory.at(`mcpservers/${name}.yaml`), 'utf8');

  it('are listed where a newer version is there, with exit code 1', async () => {
    const { code, stdout } = await type('outdated');
    expect(code).equal(1);
    expect(stdout).match(
      /^SERVER +PACKAGE +PINNED +NEWEST +PUBLISHED\nany +mcp-python +nothing +1\.0 +today/,
    );
    expect(stdout).match(/\nnotes +notes +1\.0\.0 +1\.1\.0 +2 days ago\n$/);
    const json = JSON.parse((await type('outdated', '-o', 'json')).stdout) as object[];
    expect(json[1]).include({ name: 'notes', package: 'notes', pinned: '1.0.0', newest: '1.1.0' });
  });

  it('are each reported while their registry is away', async () => {
    await registry.close();
    const { code, stderr } = await type('outdated');
    expect(code).equal(1);
    expect(stderr).match(/pegboard: any: the registry at .*\n.*pegboard: notes: the registry at /s);
  });

  it('are pinned anew in place, with the comments of their file', async () => {
    const { code, stderr } = await type('upgrade', 'notes', '--static', '--yes');
    expect(code, stderr).equal(0);
    expect(text('notes')).match(/^# Kept\.\n.*command: \[npx, -y, notes@1\.1\.0, --port, '1'\] # here\n/s);
    expect(text('notes')).contain(sha512(NEW));
    expect((await type('upgrade', 'notes')).stderr).contain('notes is pinned to 1.1.0 already');
    await type('upgrade', 'any', '--static', '--yes');
    expect(text('any')).contain('mcp-python==1.0').and.contain('registry: pypi');
    expect((await type('outdated')).code).equal(0);
    await type('upgrade', 'notes', '--static', '--yes', '--to', '1.0.0');
    expect(text('notes')).contain(sha512(OLD));
  });

  it('are not upgraded without a look once they come from another repository, or from none', async () => {
    const statements = statementsOf('sigstore-2.3.1');
    const integrity = statedIntegrity(statements);
    const published = { name: 'sigstore', version: '2.3.1', archive: OLD, integrity };
    registry.npm.push({ ...published, attestations: JSON.stringify(statements) });
    registry.npm.push({ name: 'sigstore', version: '2.3.2', archive: NEW });
    const source = { registry: 'npm', name: 'sigstore', version: '2.3.1', integrity };
    const file = directory.at('mcpservers/built.yaml');
    writeFileSync(
      file,
      `type: stdio\ncommand: [npx, -y, sigstore@2.3.1]\nsource: ${JSON.stringify(source)}\n`,
    );
    const before = text('built');
    const { code, stderr } = await type('upgrade', 'built', '--static', '--yes');
    expect([code, text('built')]).deep.equal([1, before]);
    expect(stderr).contain(
      'warning: 2.3.1 was built from https://github.com/sigstore/sigstore-js, and this version has no provenance that is verified',
    );
    expect(stderr).contain('nothing was written').and.contain('upgrade without --yes');
    expect((await type('upgrade', 'built', '--static', '--dry-run')).code).equal(0);
  });

  it('are compared with the repository that was verified when they were pinned, whatever the registry has of it now', async () => {
    const statements = statementsOf('sigstore-2.3.1');
    const integrity = statedIntegrity(statements);
    const published = { name: 'sigstore', version: '2.3.1', archive: OLD, integrity };
    registry.npm.push({ ...published, attestations: JSON.stringify(statements) });
    const file = directory.at('mcpservers/built.yaml');
    writeFileSync(file, 'type: stdio\ncommand: [npx, -y, sigstore]\n');
    expect((await type('upgrade', 'built', '--static', '--yes')).code).equal(0);
    expect(text('built')).contain('repository: https://github.com/sigstore/sigstore-js');
    const pinned = text('built');
    // The registry has no statement of either now.
    registry.npm[registry.npm.length - 1] = published;
    registry.npm.push({ name: 'sigstore', version: '2.3.2', archive: NEW });
    const { code, stderr } = await type('upgrade', 'built', '--static', '--yes');
    expect([code, text('built')], stderr).deep.equal([1, pinned]);
    expect(stderr).contain('2.3.1 was built from https://github.com/sigstore/sigstore-js');
  });

  it('are not taken from a repository that has the name of another which was given up', async () => {
    const statements = statementsOf('sigstore-2.3.1');
    const integrity = statedIntegrity(statements);
    registry.npm.push({ name: 'sigstore', version: '2.3.0', archive: OLD });
    registry.npm.push({
      name: 'sigstore',
      version: '2.3.1',
      archive: NEW,
      integrity,
      attestations: JSON.stringify(statements),
    });
    const repository = 'https://github.com/sigstore/sigstore-js';
    const [repositoryId, ownerId] = ['495574555', '71096353'];
    const file = directory.at('mcpservers/built.yaml');
    const upgradeFrom = async (ids: object): Promise<Awaited<ReturnType<typeof type>>> => {
      const known = { registry: 'npm', name: 'sigstore', version: '2.3.0', integrity: sha512(OLD) };
      const source = JSON.stringify({ ...known, repository, ...ids });
      writeFileSync(file, `type: stdio\ncommand: [npx, -y, sigstore@2.3.0]\nsource: ${source}\n`);
      return type('upgrade', 'built', '--static', '--yes');
    };
    for (const [ids, words] of [
      [{ repositoryId: '1', ownerId }, 'a repository that has only the name: its id is 495574555, and was 1'],
      [{ repositoryId, ownerId: '2' }, 'an owner that has only the name: its id is 71096353, and was 2'],
      [{ repositoryId, repository: `${repository}-old` }, 'from the same under another name'],
      [{ repositoryId: '1', repository: `${repository}-old` }, 'and this version from elsewhere'],
    ] as const) {
      const { code, stderr } = await upgradeFrom(ids);
      expect([code, text('built').includes('2.3.1')], stderr).deep.equal([1, false]);
      expect(stderr).contain(words).and.contain('nothing was written');
    }
    // A source that was written before ids were known is compared by name.
    for (const ids of [{}, { repositoryId, ownerId }]) {
      const { code, stderr } = await upgradeFrom(ids);
      expect(code, stderr).equal(0);
      expect((parse(text('built')) as { source: object }).source).include({ repositoryId, ownerId });
    }
    expect((await type('check', '--strict')).stderr).not.contain('built');
  });

  it('are said to have another content than what was pinned', async () => {
    registry.npm[0] = { name: 'notes', version: '1.0.0', archive: Buffer.from('replaced') };
    const { stderr } = await type('upgrade', 'notes', '--to', '1.0.0', '--static', '--dry-run');
    expect(stderr).contain('warning: the registry has another content for 1.0.0 than what was pinned');
    expect(text('notes')).contain(sha512(OLD));
  });

  it('do not go back to an older version unless it is named', async () => {
    writeFileSync(directory.at('mcpservers/notes.yaml'), text('notes').replaceAll('1.0.0', '1.2.0-beta.1'));
    registry.npm.push({ name: 'notes', version: '1.2.0-beta.1', archive: OLD });
    registry.npm.push({ name: 'notes', version: '1.1.9', archive: NEW });
    const before = text('notes');
    const { code, stderr } = await type('upgrade', 'notes', '--static', '--yes');
    expect([code, text('notes')], stderr).deep.equal([0, before]);
    expect(stderr).contain('1.1.9, which is older; --to 1.1.9 goes back to it');
    expect((await type('outdated')).stdout).not.contain('notes');
    expect((await type('upgrade', 'notes', '--static', '--yes', '--to', '1.1.9')).code).equal(0);
    expect(text('notes')).contain('notes@1.1.9');
  });

  it('take nothing from the registry that is not one exact version', async () => {
    for (const version of ['npm:evil@1.0.0', '2.0.0 --prefix', '../2.0.0', `2.0.0\u001b[2J`]) {
      registry.npm.push({ name: 'notes', version, archive: NEW });
      const { code, stderr } = await type('upgrade', 'notes', '--static', '--yes');
      expect(code, stderr).equal(1);
      expect(stderr)
        .contain('the registry has a version of notes that is not an exact one')
        .and.not.contain('\u001b');
      registry.npm.pop();
    }
  });

  it('of Python are listed and pinned by what their index has, in the order of its versions', async () => {
    registry.pypi.push(
      { name: 'mcp-python', version: '1.9', archive: OLD },
      { name: 'mcp-python', version: '1.10.0', archive: NEW, age: 1 },
      { name: 'mcp-python', version: '2.0rc1', archive: OLD },
      { name: 'mcp-python', version: '1.9.post20', archive: OLD },
    );
    const write = (version: string): void =>
      writeFileSync(
        directory.at('mcpservers/any.yaml'),
        `type: stdio\ncommand: [uvx, mcp-python==${version}]\n`,
      );
    write('1.9');
    expect((await type('outdated')).stdout).match(/any +mcp-python +1\.9 +1\.10\.0 +1 day ago/);
    for (const newest of ['1.10', '1.10.0', '2.0rc1']) {
      write(newest);
      expect((await type('outdated')).stdout, newest).not.contain('mcp-python');
    }
    write('1.9');
    expect((await type('upgrade', 'any', '--static', '--yes')).code).equal(0);
    expect(text('any'))
      .contain('mcp-python==1.10.0')
      .and.contain(`sha256:${sha256(NEW)}`);
    const absent = await type('upgrade', 'any', '--static', '--yes', '--to', '7.0');
    expect(absent.stderr).contain('Python package mcp-python has no version 7.0');
    const range = await type('upgrade', 'any', '--static', '--yes', '--to', '>=1');
    expect(range.stderr).contain('has no version >=1; name an exact one');
  });

  it('that are images are listed and pinned by the digest that their tag has now', async () => {
    const image = `${registry.host}/acme/notes`;
    const manifest = (n: number): string => JSON.stringify({ schemaVersion: 2, n });
    registry.images.set('acme/notes:1', manifest(1)).set('acme/notes:2', manifest(2));
    const digest = (n: number): string => `sha256:${sha256(manifest(n))}`;
    const file = directory.at('mcpservers/box.yaml');
    writeFileSync(file, `type: stdio\ncommand: [docker, run, -i, --rm, '${image}:1']\n`);
    expect((await type('outdated')).stdout).contain(`nothing   ${digest(1)}`);
    expect((await type('upgrade', 'box', '--static', '--yes')).code).equal(0);
    expect(text('box'))
      .contain(`${image}:1@${digest(1)}`)
      .and.contain(`integrity: ${digest(1)}`);
    expect((await type('outdated')).stdout).not.contain(image);
    // Someone has pushed another image by the tag.
    registry.images.set('acme/notes:1', manifest(3));
    expect((await type('outdated')).stdout).match(new RegExp(`${digest(1)} +${digest(3)}`));
    const moved = await type('upgrade', 'box', '--static', '--yes');
    expect(moved.stderr).contain('warning: the registry has another content for 1 than what was pinned');
    expect((await type('upgrade', 'box', '--static', '--yes', '--to', '2')).code).equal(0);
    expect(text('box')).contain(`${image}:2@${digest(2)}`);
    const absent = await type('upgrade', 'box', '--static', '--yes', '--to', '9');
    expect(absent.stderr).contain(`there is no image ${image}:9`);
  });

  it('are not there for other servers', async () => {
    expect((await type('upgrade', 'none')).stderr).contain('none runs no package of npm');
    expect((await type('upgrade', 'absent')).stderr).contain('defines a server absent');
  });

  it('are compared by what both versions declare, before anything is written', async function () {
    this.timeout(60_000);
    const server = `
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const isNew = readFileSync(process.argv[2].slice('file:'.length), 'utf8') === 'new';
const tool = { name: 'read', description: isNew ? 'Reads a secret file.' : 'Reads a file.', inputSchema: { type: 'object' } };
const tools = isNew ? [tool, { ...tool, name: 'more', description: 'Comes.' }] : [tool];
createInterface(process.stdin).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const result = method === 'initialize'
    ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'n', version: '1' } }
    : method === 'tools/list' ? { tools } : {};
  if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
});
`;
    writeFileSync(directory.at('server.mjs'), server);
    writeFileSync(directory.at('npx'), `#!/bin/sh\nexec node '${directory.at('server.mjs')}' "$2"\n`);
    chmodSync(directory.at('npx'), 0o700);
    const before = text('notes')
      .replace('npx', directory.at('npx'))
      .concat(`env: ${JSON.stringify(registry.env)}\n`);
    writeFileSync(directory.at('mcpservers/notes.yaml'), before);
    const args = ['upgrade', 'notes', '--dry-run', '--config-path', directory.path];
    const { stdout, stderr, code } = await runPegboard(args, registry.env);
    expect(code, stderr).equal(0);
    expect(stdout).equal('+ more: {+Comes.+}\n~ read description: Reads a {+secret +}file.\n');
    expect(text('notes')).equal(before);
  });
});
