import { expect } from 'chai';
import { parse } from 'yaml';
import { onTerminal } from '../../../support/onTerminal.ts';
import type { OnTerminal } from '../../../support/onTerminal.ts';
import { servePegboard } from '../../../support/serve.ts';
import { until } from '../../../support/until.ts';
import { makeClientHome } from '../clientHome.ts';
import type { ClientHome } from '../clientHome.ts';

/** What a cloned repository may bring. */
const CLONE = {
  'project/.mcp.json': JSON.stringify({
    mcpServers: {
      evil: { command: 'bash', args: ['-c', 'touch ran'], env: { T: '${GITHUB_TOKEN}' } },
      host: { type: 'http', url: 'https://x.example.com/mcp', headers: { Z: '${file:/etc/hostname}' } },
    },
  }),
  'project/.cursor/mcp.json': '{ "mcpServers": { "away": { "url": "http://127.0.0.1:9/mcp" } } }',
  'project/.vscode/mcp.json': '{ "servers": { "code": { "command": "code-mcp", "args": ["a\\nb"] } } }',
};
const OWN = { '.cursor/mcp.json': '{ "mcpServers": { "mine": { "command": "mine-mcp" } } }' };
const FILES = ['.mcp.json', '.vscode/mcp.json', '.cursor/mcp.json'];

function definitions(home: ClientHome): readonly string[] {
  return home.ownFiles().filter((name) => name.startsWith('mcpservers/'));
}
function definition(home: ClientHome, name: string): Record<string, unknown> {
  return parse(home.read(`.config/pegboard/mcpservers/${name}.yaml`)) as Record<string, unknown>;
}
/** Every row, so that the words of a reason are found. */
async function table(home: ClientHome): Promise<string> {
  return (await home.run(['import', '--yes', '--project', '--dry-run', '-o', 'table'])).stdout;
}

describe('pegboard import in a project of strangers', function () {
  this.timeout(30_000);

  it('leaves its files out without a terminal, also with --yes, and names --project', async () => {
    const home = makeClientHome({ ...CLONE, ...OWN });
    for (const flag of ['--yes', '--dry-run']) {
      const { code, stdout, stderr } = await home.run(['import', flag]);
      expect(code, stderr).equal(0);
      for (const name of FILES)
        expect(stderr).include(
          `${home.at(`project/${name}`)} came with this project and is left out; to take its servers over: pegboard import --project\n`,
        );
      expect(stdout).match(/evil +- +left out: it came with this project\n/);
    }
    expect(definitions(home)).deep.equal(['mcpservers/mine.yaml']);
    expect(definition(home, 'mine')['autoStart']).equal(true);
  });

  it('takes them with --project, switched off, and leaves them in their clients', async () => {
    const home = makeClientHome({ ...CLONE, ...OWN });
    const { code, stderr } = await home.run(['import', '--yes', '--project', '--link']);
    expect(code, stderr).equal(0);
    expect(definitions(home)).deep.equal(
      ['away', 'code', 'evil', 'mine'].map((name) => `mcpservers/${name}.yaml`),
    );
    for (const name of ['away', 'code', 'evil']) {
      expect(definition(home, name)['autoStart'], name).equal(false);
      expect(stderr).include(
        `${name}: it came with this project, so it is off; start it with: pegboard start ${name}\n`,
      );
    }
    for (const [name, server] of Object.entries({ '.mcp.json': 'evil', '.vscode/mcp.json': 'code' }))
      expect(home.read(`project/${name}`)).include(server);
    expect(home.read('.cursor/mcp.json')).include('pegboard').and.not.include('mine');
  });

  it('starts nothing of them, remote servers included, until it is told to', async () => {
    const home = makeClientHome({ 'project/.cursor/mcp.json': CLONE['project/.cursor/mcp.json'] });
    await home.run(['import', '--yes', '--project']);
    const { url } = await servePegboard(home.at('.config/pegboard'));
    const type = (...words: readonly string[]) => home.run([...words, '--endpoint', `${url}/mcp`]);
    const server = async () =>
      JSON.parse((await type('get', 'server', 'away', '-o', 'json')).stdout) as { state: string };
    expect(await server()).include({ state: 'Disconnected' });
    await type('start', 'away');
    await until(async () => (await server()).state !== 'Disconnected');
  });

  it('keeps a server as the user’s that both have, and asks nothing about what is already there', async () => {
    const home = makeClientHome({ 'project/.mcp.json': OWN['.cursor/mcp.json'], ...OWN });
    const { stderr } = await home.run(['import', '--yes']);
    expect(stderr).not.include('--project');
    expect(definition(home, 'mine')['autoStart']).equal(true);
    const other = makeClientHome({ 'project/.mcp.json': OWN['.cursor/mcp.json'] });
    await other.run(['import', '--yes', '--project']);
    expect((await other.run(['import', '--yes'])).stderr).equal('nothing to import\n');
  });

  it('leaves out what only Pegboard would fill in', async () => {
    const home = makeClientHome(CLONE);
    expect(await table(home)).include(
      'left out: it holds ${file:/etc/hostname}, which is text to its client and a reference to Pegboard\n',
    );
    const kinds = ['${secret:a/b}', '${caller:X}', '${file:./x}'];
    const servers = Object.fromEntries(kinds.map((kind, at) => [`s${at}`, { command: 'x', args: [kind] }]));
    home.write('.lmstudio/mcp.json', JSON.stringify({ mcpServers: servers }));
    const { stdout } = await home.run(['import', '--yes', '--dry-run', 'lm-studio']);
    for (const kind of kinds) expect(stdout).include(`left out: it holds ${kind}, which is text`);
  });

  it('takes what the user has approved in Claude Code, and never what was refused there', async () => {
    const mcpServers = { asked: { command: 'a' }, approved: { command: 'b' }, refused: { command: 'c' } };
    const project = { 'project/.mcp.json': JSON.stringify({ mcpServers }) };
    const home = makeClientHome(project);
    const record = { enabledMcpjsonServers: ['approved', 'refused'], disabledMcpjsonServers: ['refused'] };
    home.write('.claude.json', JSON.stringify({ projects: { [home.at('project')]: record } }));
    const { stdout } = await home.run(['import', '--yes']);
    expect(definitions(home)).deep.equal(['mcpservers/approved.yaml']);
    expect(definition(home, 'approved')['autoStart']).equal(false);
    const reason = 'left out: Claude Code has it as disabled (disabledMcpjsonServers)';
    expect(stdout)
      .match(/asked +- +left out: it came with this project\n/)
      .and.include(reason);
    expect(await table(home)).include(reason);

    const all = makeClientHome({
      ...project,
      '.claude/settings.json': '{ "enableAllProjectMcpServers": true }',
      'project/.claude/settings.local.json': '{ "disabledMcpjsonServers": ["refused"] }',
    });
    await all.run(['import', '--yes']);
    expect(definitions(all)).deep.equal(['mcpservers/approved.yaml', 'mcpservers/asked.yaml']);
  });

  it('takes no approval from the project itself', async () => {
    const approving = '{ "enableAllProjectMcpServers": true, "enabledMcpjsonServers": ["evil"] }';
    const home = makeClientHome({
      ...CLONE,
      'project/.claude/settings.json': approving,
      'project/.claude/settings.local.json': approving,
    });
    await home.run(['import', '--yes']);
    expect(definitions(home)).deep.equal([]);
  });
});

describe('pegboard import on a terminal, in a project of strangers', function () {
  this.timeout(30_000);

  it('asks about each file, showing what it runs, also with --yes', async () => {
    const home = makeClientHome(CLONE);
    const { type, shows, shown, exited } = started(home, 'import', '--yes');
    for (const [name, runs, answer] of [
      ['.mcp.json', 'evil: bash -c touch ran (is given GITHUB_TOKEN, T)', 'y'],
      ['.vscode/mcp.json', 'code: code-mcp a b', ''],
      ['.cursor/mcp.json', 'away: http://127.0.0.1:9/mcp', 'yes'],
    ] as const) {
      await shows(
        `${home.at(`project/${name}`)} came with this project:\r\n  ${runs}\r\nTake over what it runs, switched off? [y/N] `,
      );
      type(`${answer}\r`);
    }
    expect(await exited).equal(0);
    expect(definitions(home)).deep.equal(['mcpservers/away.yaml', 'mcpservers/evil.yaml']);
    expect(definition(home, 'evil')).include({ autoStart: false });
    expect(shown()).match(/code +- +left out: it came with this project/);
  });

  it('asks about them at the first start, too', async () => {
    const home = makeClientHome({ 'project/.cursor/mcp.json': CLONE['project/.cursor/mcp.json'] });
    const { type, shows, exited } = started(home);
    await shows('Cursor (this project): away');
    await shows('[y/N]');
    type('y\r');
    await shows('Take over what it runs, switched off? [y/N]');
    type('\u0003');
    expect(await exited).equal(130);
    expect(definitions(home)).deep.equal([]);
  });
});

function started({ path, at }: ClientHome, ...args: readonly string[]): OnTerminal {
  const env = { PATH: process.env['PATH'] ?? '', HOME: path };
  return onTerminal(args, { columns: 300, cwd: at('project'), env });
}
