import { expect } from 'chai';
import { CTRL_C, onTerminal } from '../../../support/onTerminal.ts';
import type { OnTerminal } from '../../../support/onTerminal.ts';
import { makeClientHome } from '../clientHome.ts';
import type { ClientHome } from '../clientHome.ts';

const CURSOR = '{ "mcpServers": { "a": { "command": "a-mcp" } } }\n';

describe('pegboard import on a terminal', () => {
  it('writes after y, and leaves everything as it was after Ctrl-C', async () => {
    const home = makeClientHome({ '.cursor/mcp.json': CURSOR });
    const stopped = await answered(home, CTRL_C);
    expect(await stopped.exited).to.equal(130);
    await stopped.shows('interrupted; nothing was written');
    expect(home.ownFiles()).to.deep.equal([]);
    const agreed = await answered(home, 'y\r');
    expect(await agreed.exited).to.equal(0);
    await agreed.shows('imported 1, linked 1');
    expect(home.ownFiles()).to.deep.equal(['imports/record.json', 'mcpservers/a.yaml']);
    expect(home.read('.cursor/mcp.json')).to.include('pegboard');
  });
});

async function answered({ path, at }: ClientHome, keys: string): Promise<OnTerminal> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: path };
  const terminal = onTerminal(['import', '--link'], { columns: 40, cwd: at('project'), env });
  await terminal.shows('[y/N]');
  terminal.type(keys);
  return terminal;
}
