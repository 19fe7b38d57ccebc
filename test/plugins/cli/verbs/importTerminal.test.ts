import { spawn } from '@lydell/node-pty';
import type { IPty } from '@lydell/node-pty';
import { expect } from 'chai';
import { PROGRAM } from '../../../support/packed.ts';
import { makeClientHome } from '../clientHome.ts';
import type { ClientHome } from '../clientHome.ts';

const CURSOR = '{ "mcpServers": { "a": { "command": "a-mcp" } } }\n';

describe('pegboard import on a terminal', () => {
  it('writes after y, and leaves everything as it was after Ctrl-C', async () => {
    const home = makeClientHome({ '.cursor/mcp.json': CURSOR });
    const stopped = await answered(home, '\x03');
    expect(stopped.text).to.include('interrupted; nothing was written');
    expect(stopped.code).to.equal(130);
    expect(home.ownFiles()).to.deep.equal([]);
    const agreed = await answered(home, 'y\r');
    expect(agreed.text).to.include('imported 1, linked 1');
    expect(agreed.code).to.equal(0);
    expect(home.ownFiles()).to.deep.equal(['imports/record.json', 'mcpservers/a.yaml']);
    expect(home.read('.cursor/mcp.json')).to.include('pegboard');
  });
});

function answered(home: ClientHome, keys: string): Promise<{ readonly code: number; readonly text: string }> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: home.path };
  const options = { cwd: home.at('project'), env, cols: 40, rows: 24 };
  const pty: IPty = spawn(process.execPath, [PROGRAM, 'import', '--link'], options);
  let text = '';
  pty.onData((data) => {
    const isAsked = !text.includes('[y/N]') && (text + data).includes('[y/N]');
    text += data;
    if (isAsked) pty.write(keys);
  });
  return new Promise((resolve) => pty.onExit(({ exitCode }) => resolve({ code: exitCode, text })));
}
