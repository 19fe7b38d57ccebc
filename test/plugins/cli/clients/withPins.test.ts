import { expect } from 'chai';
import { parse } from 'yaml';
import { sha512, startPackageRegistry } from '../../../support/packageRegistry.ts';
import type { PackageRegistry } from '../../../support/packageRegistry.ts';
import { statementsOf } from '../../../support/provenance.ts';
import { makeClientHome } from '../clientHome.ts';
import type { ClientHome } from '../clientHome.ts';

describe('pegboard import --pin', () => {
  let registry: PackageRegistry;
  let home: ClientHome;
  const archive = Buffer.from('an archive');

  beforeEach(async () => {
    registry = await startPackageRegistry();
    registry.npm.push({ name: 'notes', version: '1.2.3', archive });
    const servers = {
      notes: { command: 'npx', args: ['-y', 'notes', '--all'] },
      gone: { command: 'uvx', args: ['mcp-python-gone'] },
      own: { command: 'node', args: ['x.js'] },
    };
    home = makeClientHome({ '.cursor/mcp.json': JSON.stringify({ mcpServers: servers }) });
  });
  const definition = (name: string): Readonly<Record<string, unknown>> =>
    parse(home.read(`.config/pegboard/mcpservers/${name}.yaml`)) as Readonly<Record<string, unknown>>;

  it('pins what the registries have, and names what it could not pin', async () => {
    const { code, stderr } = await home.run(['import', '--pin', '--yes'], registry.env);
    expect(code, stderr).equal(0);
    expect(definition('notes')).deep.equal({
      type: 'stdio',
      command: ['npx', '-y', 'notes@1.2.3', '--all'],
      autoStart: true,
      source: { registry: 'npm', name: 'notes', version: '1.2.3', integrity: sha512(archive) },
    });
    expect(definition('gone')['command']).deep.equal(['uvx', 'mcp-python-gone']);
    expect(stderr)
      .contain('notes: npm package notes 1.2.3, by acme')
      .and.contain('gone is not pinned: there is no');
    const again = await home.run(['import', '--yes'], registry.env);
    expect(again.stdout).match(/notes +notes \(already there\)/);
    expect(again.stderr).contain('nothing to import');
  });

  it('suspends what has a provenance of something else', async () => {
    const attestations = JSON.stringify(statementsOf('sigstore-2.3.1'));
    registry.npm.push({ name: 'notes', version: '1.2.4', archive, attestations });
    const { stderr } = await home.run(['import', '--pin', '--yes'], registry.env);
    expect(stderr).contain('notes is taken over and suspended: the provenance of notes 1.2.4 is not valid');
    expect(definition('notes')).include({ suspended: true }).and.not.have.property('source');
    expect((await home.run(['import', '--yes'], registry.env)).stderr).contain('nothing to import');
  });

  it('asks no registry without it, and names what is not pinned', async () => {
    const { stderr } = await home.run(['import', '--yes'], registry.env);
    expect(registry.asked).deep.equal([]);
    expect(stderr).match(/not pinned to a version: (notes, gone|gone, notes); add --pin/);
    expect(definition('notes')['command']).deep.equal(['npx', '-y', 'notes', '--all']);
  });

  it('says with and without it which name is near that of another, before anything is written', async () => {
    const servers = { web: { command: 'npx', args: ['-y', '@playwrigth/mcp@1.0.0'] } };
    home = makeClientHome({ '.cursor/mcp.json': JSON.stringify({ mcpServers: servers }) });
    for (const words of [[], ['--pin']]) {
      const { stderr } = await home.run(['import', ...words, '--dry-run'], registry.env);
      expect(stderr).contain('web: @playwrigth/mcp is not @playwright/mcp, but its name is near');
    }
  });
});
