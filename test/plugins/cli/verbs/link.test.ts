import { lstatSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { makeClientHome } from '../clientHome.ts';

const URL = 'http://localhost:8090/mcp';
/** Nothing listens on this port, which fetch does not refuse. */
const GATEWAY = 'http://127.0.0.1:2/mcp';
const CURSOR = '{ "mcpServers": { "a": { "command": "a" }, "mine": { "command": "mine" } } }\n';

describe('pegboard link', () => {
  it('writes each client’s own spelling into a file of its own if there was none', async () => {
    const home = makeClientHome({});
    const names = [
      ...['claude-code', 'claude-desktop', 'codex', 'gemini', 'vscode', 'cursor', 'windsurf', 'opencode'],
      ...['zed', 'lm-studio', 'cline', 'cline-cli', 'goose', 'continue', 'qwen', 'copilot'],
    ];
    const { code, stderr } = await home.run(['link', '--yes', ...names, '--endpoint', GATEWAY]);
    expect(code, stderr).to.equal(0);
    const json = (name: string): unknown => JSON.parse(home.read(name));
    const cline = '.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json';
    expect(json('.claude.json')).to.deep.equal({ mcpServers: { pegboard: { type: 'http', url: GATEWAY } } });
    expect(json('.gemini/settings.json')).to.deep.equal({ mcpServers: { pegboard: { httpUrl: GATEWAY } } });
    expect(json('.qwen/settings.json')).to.deep.equal({
      mcpServers: { pegboard: { httpUrl: GATEWAY, alwaysLoadTools: true } },
    });
    expect(json('.copilot/mcp-config.json')).to.deep.equal({
      mcpServers: { pegboard: { type: 'http', url: GATEWAY, deferTools: 'never' } },
    });
    expect(json('.config/Code/User/mcp.json')).to.deep.equal({
      servers: { pegboard: { type: 'http', url: GATEWAY } },
    });
    expect(json('.codeium/windsurf/mcp_config.json')).to.deep.equal({
      mcpServers: { pegboard: { serverUrl: GATEWAY } },
    });
    expect(json('.config/opencode/opencode.json')).to.deep.equal({
      mcp: { pegboard: { type: 'remote', url: GATEWAY, enabled: true } },
    });
    expect(json('.config/zed/settings.json')).to.deep.equal({
      context_servers: { pegboard: { url: GATEWAY } },
    });
    for (const name of [cline, '.cline/data/settings/cline_mcp_settings.json'])
      expect(json(name)).to.deep.equal({
        mcpServers: { pegboard: { type: 'streamableHttp', url: GATEWAY, disabled: false } },
      });
    expect(home.read('.codex/config.toml')).to.equal(`[mcp_servers.pegboard]\nurl = "${GATEWAY}"\n`);
    expect(home.read('.config/goose/config.yaml')).to.include(
      `extensions:\n  pegboard:\n    type: streamable_http\n`,
    );
    expect(home.read('.continue/config.yaml')).to.equal(
      `mcpServers:\n  - name: pegboard\n    type: streamable-http\n    url: ${GATEWAY}\n`,
    );
    const undone = await home.run(['unlink', '--yes']);
    expect(undone.code, undone.stderr).to.equal(0);
    expect(home.clientFiles()).to.deep.equal({});
  });

  it('edits and names a file once that two clients share by a link, and brings it back', async () => {
    const home = makeClientHome({
      '.claude.json': CURSOR,
      '.config/pegboard/mcpservers/a.yaml': 'type: stdio\ncommand: [a]\n',
    });
    mkdirSync(home.at('.cursor'));
    symlinkSync('../.claude.json', home.at('.cursor/mcp.json'));
    const { code, stdout, stderr } = await home.run(['link', '--yes']);
    expect(code, stderr).to.equal(0);
    expect(stderr).include('linked 1 to ');
    expect(stdout).not.include('.cursor/mcp.json');
    expect(JSON.parse(home.read('.claude.json'))).to.deep.equal({
      mcpServers: { mine: { command: 'mine' }, pegboard: { type: 'http', url: URL } },
    });
    expect(lstatSync(home.at('.cursor/mcp.json')).isSymbolicLink()).equal(true);
    const undone = await home.run(['unlink', '--yes']);
    expect(undone.code, undone.stderr).to.equal(0);
    expect(home.read('.cursor/mcp.json')).to.equal(CURSOR);
  });

  it('takes out what Pegboard offers and leaves the rest in the client', async () => {
    const home = makeClientHome({
      '.cursor/mcp.json': CURSOR,
      '.config/pegboard/mcpservers/a.yaml': 'type: stdio\ncommand: [a]\n',
    });
    const { code, stderr } = await home.run(['link', '--yes']);
    expect(code, stderr).to.equal(0);
    expect(JSON.parse(home.read('.cursor/mcp.json'))).to.deep.equal({
      mcpServers: { mine: { command: 'mine' }, pegboard: { url: URL } },
    });
    expect(home.read('.cursor/mcp.json.pegboard-backup')).to.equal(CURSOR);
  });

  it('refuses a file that it cannot edit alone, and leaves it as it is', async () => {
    const toml = 'mcp_servers = { a = { command = "a" } }\n';
    const home = makeClientHome({ '.codex/config.toml': toml, '.cursor/mcp.json': CURSOR });
    const { code, stderr } = await home.run(['link', '--yes']);
    expect(code).to.equal(1);
    expect(stderr).to.include(
      `${home.at('.codex/config.toml')} cannot be edited without changing something else`,
    );
    expect(home.read('.codex/config.toml')).to.equal(toml);
    expect(home.read('.cursor/mcp.json')).to.include('pegboard');
  });

  it('links files whose list of servers is empty, and names those of another shape', async () => {
    const home = makeClientHome({
      '.continue/config.yaml': 'name: mine\nmcpServers:\n',
      '.config/goose/config.yaml': 'extensions:\nGOOSE_MODEL: x\n',
      '.gemini/settings.json': '',
      '.cursor/mcp.json': '{"mcpServers":[]}',
      '.lmstudio/mcp.json': '\uFEFF{"mcpServers":{}}',
    });
    const before = home.clientFiles();
    const { code, stderr } = await home.run(['link', '--yes']);
    expect(code).to.equal(1);
    expect(stderr).to.match(/\.cursor\/mcp\.json cannot be edited: .*; edit it by hand/);
    expect(home.read('.continue/config.yaml')).to.match(/^name: mine\nmcpServers:\n {2}- name: pegboard\n/);
    expect(home.read('.config/goose/config.yaml')).to.match(
      /^extensions:\n {2}pegboard:\n[^]*GOOSE_MODEL: x\n$/,
    );
    expect(home.read('.gemini/settings.json')).to.include('httpUrl');
    expect(home.read('.lmstudio/mcp.json')).to.match(/^\uFEFF\{[^]*pegboard/);
    await home.run(['unlink', '--yes']);
    expect(home.clientFiles()).to.deep.equal(before);
  });

  it('says that no gateway answers yet, and how to start the own one', async () => {
    const server = createServer((_, response) => void response.writeHead(405).end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const homes = [2, 2, port].map((at) =>
      makeClientHome({
        '.cursor/mcp.json': CURSOR,
        '.config/pegboard/config.yaml': `aggregator: { host: 127.0.0.1, port: ${at} }\n`,
      }),
    );
    const [absent, other, present] = await Promise.all(
      homes.map((home, at) =>
        home.run(['link', '--yes', ...(at === 1 ? ['--endpoint', 'http://127.0.0.1:2/other'] : [])]),
      ),
    );
    server.close();
    expect(absent?.code).to.equal(0);
    expect(absent?.stderr).to.include(
      `no gateway answers at ${GATEWAY} yet; start it with: pegboard serve\n`,
    );
    expect(other?.stderr).to.include(
      'no gateway answers at http://127.0.0.1:2/other yet; is the address right, and is it running?\n',
    );
    expect(present?.stderr).to.equal(
      `linked 1 to http://127.0.0.1:${port}/mcp; take it back with: pegboard unlink\n`,
    );
  });

  it('says before it writes that a file is shared with the project', async () => {
    const home = makeClientHome({ 'project/.mcp.json': '{"mcpServers":{"a":{"command":"a"}}}' });
    await home.run(['import', '--project', '--yes']);
    const { stderr } = await home.run(['link']);
    expect(stderr).to.match(
      /^\/.*\/project\/\.mcp\.json is shared with the project: everyone who works on it gets the change\npegboard: standard input/,
    );
  });

  it('says that Gemini CLI disables servers in folders that it does not trust', async () => {
    const home = makeClientHome({ '.gemini/settings.json': '{}', '.cursor/mcp.json': '{}' });
    const gemini = await home.run(['link', 'gemini', '--yes']);
    expect(gemini.stderr).to.include(
      'Gemini CLI disables MCP servers in folders that it does not trust; it asks for trust when you start gemini there\n',
    );
    const cursor = await home.run(['link', 'cursor', '--yes']);
    expect(cursor.stderr).not.to.include('Gemini');
  });
});

describe('pegboard unlink', () => {
  it('takes out only Pegboard and puts the servers back if others have changed the file', async () => {
    const home = makeClientHome({
      '.cursor/mcp.json': CURSOR,
      '.codex/config.toml': '[mcp_servers.a]\ncommand = "a"\n',
    });
    await home.run(['import', '--link', '--yes']);
    home.write(
      '.cursor/mcp.json',
      home.read('.cursor/mcp.json').replace('"pegboard"', '"new": {"command": "new"}, "pegboard"'),
    );
    home.write('.codex/config.toml', `${home.read('.codex/config.toml')}# mine\n[x]\ny = 1\n`);
    const { code, stderr } = await home.run(['unlink', '--yes']);
    expect(code, stderr).to.equal(0);
    expect(stderr).to.include(
      `${home.at('.cursor/mcp.json')} has been changed by others: only Pegboard was taken out`,
    );
    const backup = home.at('.cursor/mcp.json.pegboard-backup');
    expect(stderr).to.include(`its backup ${backup} is kept: it may hold secrets, and you may delete it\n`);
    expect(JSON.parse(home.read('.cursor/mcp.json'))).to.deep.equal({
      mcpServers: { a: { command: 'a' }, mine: { command: 'mine' }, new: { command: 'new' } },
    });
    expect(home.read('.codex/config.toml').trim()).to.equal(
      '# mine\n[x]\ny = 1\n\n[mcp_servers.a]\ncommand = "a"',
    );
  });

  it('keeps no backup that the file equals, and says where the one of a missing file is', async () => {
    const home = makeClientHome({ '.cursor/mcp.json': CURSOR, '.lmstudio/mcp.json': '{}\n' });
    await home.run(['link', '--yes']);
    home.write('.cursor/mcp.json', CURSOR);
    rmSync(home.at('.lmstudio/mcp.json'));
    const { stderr } = await home.run(['unlink', '--yes']);
    const backup = '.lmstudio/mcp.json.pegboard-backup';
    expect(Object.keys(home.clientFiles())).to.deep.equal(['.cursor/mcp.json', backup]);
    expect(stderr).to.include(`${home.at('.cursor/mcp.json')} is as it was\n`);
    expect(stderr).to.include(
      `${home.at('.lmstudio/mcp.json')} is gone; nothing to bring back; its backup ${home.at(backup)} is kept`,
    );
  });

  it('asks unless --yes is given, and shows with --dry-run what it would do', async () => {
    const home = makeClientHome({ '.cursor/mcp.json': CURSOR });
    await home.run(['link', 'cursor', 'codex', '--yes']);
    const linked = home.clientFiles();
    const dry = await home.run(['unlink', '--dry-run']);
    const asked = await home.run(['unlink']);
    expect([asked.code, asked.stdout]).to.deep.equal([1, '']);
    expect(asked.stderr).to.include(`${dry.stdout}pegboard: standard input is not a terminal to ask on`);
    expect([dry.code, dry.stdout]).to.deep.equal([
      0,
      `bring back ${home.at('.cursor/mcp.json')}\nremove ${home.at('.codex/config.toml')}\n`,
    ]);
    expect(home.clientFiles()).to.deep.equal(linked);
  });

  it('undoes links one by one, the newest first', async () => {
    const home = makeClientHome({ '.cursor/mcp.json': CURSOR, '.lmstudio/mcp.json': '{}\n' });
    const before = home.clientFiles();
    await home.run(['link', '--yes']);
    await home.run(['link', '--yes', '--endpoint', GATEWAY]);
    expect(home.read('.lmstudio/mcp.json')).to.include(GATEWAY);
    const other = await home.run(['unlink', 'lm-studio', '--yes']);
    expect(other.code, other.stderr).to.equal(0);
    expect(home.read('.lmstudio/mcp.json')).to.equal('{}\n');
    expect(home.read('.cursor/mcp.json')).to.include(GATEWAY);
    await home.run(['unlink', '--yes']);
    expect(home.clientFiles()).to.deep.equal(before);
    const none = await home.run(['unlink', 'cursor']);
    expect([none.code, none.stderr]).to.deep.equal([1, 'pegboard: cursor is not linked; linked are: none\n']);
  });
});
