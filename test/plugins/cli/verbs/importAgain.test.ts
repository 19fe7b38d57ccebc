import { expect } from 'chai';
import { parse } from 'yaml';
import { makeClientHome } from '../clientHome.ts';
import type { ClientHome } from '../clientHome.ts';

const EDIT = 'write the new values into it with: pegboard edit server';

describe('An import of what was imported before', () => {
  const clients = (servers: object): string => JSON.stringify({ mcpServers: servers });

  function homeWith(servers: object, files: Readonly<Record<string, string>>): ClientHome {
    return makeClientHome({ '.cursor/mcp.json': clients(servers), ...files });
  }
  function definitions(home: ClientHome): readonly string[] {
    return home.ownFiles().filter((name) => name.startsWith('mcpservers/'));
  }
  function envOf(home: ClientHome, name: string): unknown {
    return (parse(home.read(`.config/pegboard/mcpservers/${name}.yaml`)) as { env?: unknown }).env;
  }

  it('keeps the definition where a file of variables has changed since, and names what differs', async () => {
    const servers = { notes: { command: 'notes', envFile: '${userHome}/.env', env: { MODE: 'fast' } } };
    const home = homeWith(servers, { '.env': 'A=1\nB=2\nAPI_TOKEN=s3cret-value-1\n' });
    await home.run(['import', '--yes']);
    const [before, own] = [envOf(home, 'notes'), home.ownFiles()];
    for (const [text, names] of [
      ['A=1\nB=3\nAPI_TOKEN=s3cret-value-1\n', 'B'],
      ['A=1\nC=4\nAPI_TOKEN=s3cret-value-2\n', 'API_TOKEN, B, C'],
      ['', 'A, API_TOKEN, B'],
    ] as const) {
      home.write('.env', text);
      const { code, stdout, stderr } = await home.run(['import', '--yes']);
      expect(code, stderr).equal(0);
      expect(stdout).contain('notes (already there)').and.contain('envFile');
      expect(stderr).contain(
        `notes: a file of its variables has changed since it was imported (${names}), and its definition keeps what it has; ${EDIT} notes\n`,
      );
      expect(stderr).contain('nothing to import').and.not.contain('s3cret');
      expect([envOf(home, 'notes'), home.ownFiles()]).deep.equal([before, own]);
    }
  });

  it('leaves such an entry in its client, whose variables would be lost', async () => {
    const home = homeWith({ notes: { command: 'notes', envFile: '${userHome}/.env' } }, { '.env': 'A=1\n' });
    await home.run(['import', '--yes']);
    home.write('.env', 'A=2\n');
    const { stderr } = await home.run(['import', '--yes', '--link']);
    expect(stderr).contain('notes stays in ').and.contain('because envFile would be lost');
    expect(home.read('.cursor/mcp.json')).contain('"envFile"');
  });

  it('tells accounts apart that differ by their files only', async () => {
    const work = { command: 'notes', envFile: '${userHome}/work.env' };
    const home = homeWith({ work }, { 'work.env': 'USER_ID=1\n', 'own.env': 'USER_ID=2\n' });
    await home.run(['import', '--yes']);
    home.write('.cursor/mcp.json', clients({ work, own: { ...work, envFile: '${userHome}/own.env' } }));
    await home.run(['import', '--yes']);
    expect(definitions(home)).deep.equal(['mcpservers/own.yaml', 'mcpservers/work.yaml']);
    home.write('work.env', 'USER_ID=3\n');
    const { stderr } = await home.run(['import', '--yes']);
    expect(stderr).contain('work: a file of its variables has changed').and.not.contain('own: a file');
    // Each has what was the other's: both are there, and neither has changed.
    home.write('work.env', 'USER_ID=2\n');
    home.write('own.env', 'USER_ID=1\n');
    expect((await home.run(['import', '--yes'])).stderr).equal('nothing to import\n');
    expect(definitions(home)).length(2);
  });

  it('takes a server over anew where its entry itself says something else', async () => {
    const home = homeWith(
      { notes: { command: 'notes', envFile: '${userHome}/.env', env: { A: '1' } } },
      { '.env': 'B=1\n' },
    );
    await home.run(['import', '--yes']);
    home.write('.env', 'B=2\n');
    for (const [at, change] of [{ env: { A: '2' } }, { command: 'other' }].entries()) {
      home.write(
        '.cursor/mcp.json',
        clients({ notes: { command: 'notes', envFile: '${userHome}/.env', env: { A: '1' }, ...change } }),
      );
      await home.run(['import', '--yes']);
      expect(definitions(home), String(at)).length(at + 2);
    }
  });
});
