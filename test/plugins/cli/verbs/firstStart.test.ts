import { expect } from 'chai';
import { CTRL_C, onTerminal } from '../../../support/onTerminal.ts';
import type { OnTerminal } from '../../../support/onTerminal.ts';
import { makeClientHome } from '../clientHome.ts';
import type { ClientHome } from '../clientHome.ts';

const CLIENTS = {
  '.cursor/mcp.json': '{ "mcpServers": { "a": { "command": "a-mcp" }, "b": { "command": "b-mcp" } } }\n',
  '.codex/config.toml': '[mcp_servers.a]\ncommand = "a-mcp"\n',
  '.gemini/settings.json': '{ "mcpServers": [',
};
/** Port of a gateway without configuration: it says so when it listens, and when the port is taken. */
const DEFAULT_PORT = '8090';

function start({ path, at }: ClientHome, ...args: readonly string[]): OnTerminal {
  const env = { PATH: process.env['PATH'] ?? '', HOME: path };
  return onTerminal(args, { cwd: at('project'), env });
}

describe('pegboard alone on a terminal', function () {
  this.timeout(30_000);

  it('imports what the clients have if the user agrees, and starts the gateway', async () => {
    const home = makeClientHome(CLIENTS);
    const before = home.clientFiles();
    const { type, shows, shown, exited } = start(home);
    await shows('[y/N]');
    expect(shown()).contain('Codex: a\r\nCursor: a, b\r\n');
    expect(shown()).contain('.gemini/settings.json:1:');
    type('y\r');
    await shows('pegboard link');
    await shows(DEFAULT_PORT);
    type(CTRL_C);
    await exited;
    expect(home.ownFiles()).include.members(['mcpservers/a.yaml', 'mcpservers/b.yaml']);
    expect(home.clientFiles()).deep.equal(before);
    // With a configuration it says what there is to type.
    const again = start(home);
    expect(await again.exited).equal(0);
    await again.shows(`The configuration is in ${home.at('.config/pegboard')}\r\n`);
    for (const line of ['pegboard serve', 'pegboard doctor', 'pegboard --help'])
      await again.shows(`: ${line}\r\n`);
    expect(again.shown()).not.contain(DEFAULT_PORT);
  });

  it('starts nothing and says what to type if the user declines, or there are no servers', async () => {
    const declining = makeClientHome(CLIENTS);
    const bare = makeClientHome({ 'own/state/key': '' });
    const [declined, none] = [start(declining), start(bare, '--config-path', bare.at('own'))];
    await declined.shows('[y/N]');
    declined.type('\r');
    await declined.shows('pegboard import\r\n');
    await none.shows('No MCP servers were found');
    for (const { shown, shows, exited } of [declined, none]) {
      await shows('pegboard add <name>');
      await shows('Start the gateway with: pegboard serve\r\n');
      expect(await exited).equal(0);
      expect(shown()).not.contain(DEFAULT_PORT);
    }
    expect(declining.ownFiles()).deep.equal([]);
  });

  it('asks for a verb if there is no terminal', async () => {
    const home = makeClientHome(CLIENTS);
    expect(await home.runProgram([])).include({ code: 64, stdout: '' });
    expect(home.ownFiles()).deep.equal([]);
  });

  it('starts nothing after Ctrl-C at the question', async () => {
    const home = makeClientHome(CLIENTS);
    const { type, shows, shown, exited } = start(home);
    await shows('[y/N]');
    type(CTRL_C);
    expect(await exited).equal(130);
    await shows('interrupted; nothing was written');
    expect(shown()).not.contain(DEFAULT_PORT);
    expect(home.ownFiles()).deep.equal([]);
  });
});
