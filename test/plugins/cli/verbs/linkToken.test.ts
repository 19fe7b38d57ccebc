import { chmodSync, statSync } from 'node:fs';
import { expect } from 'chai';
import { FORMATS } from '../../../../plugins/kit/clients/formats.ts';
import type { FormatName } from '../../../../plugins/kit/clients/formats.ts';
import type { DoctorFinding } from '../../../../plugins/cli/doctor/doctorFinding.ts';
import { makeClientHome } from '../clientHome.ts';
import type { ClientHome } from '../clientHome.ts';

const TOKEN = 'local-token-of-the-test-'.padEnd(43, 'x');
const HEADERS = { Authorization: `Bearer ${TOKEN}` };
/** Nothing listens on this port, which fetch does not refuse. */
const URL = 'http://127.0.0.1:2/mcp';
const CLINE = '.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json';
const OWN = {
  '.config/pegboard/config.yaml': 'aggregator: { host: 127.0.0.1, port: 2, localToken: true }\n',
  '.config/pegboard/state/local-token': `${TOKEN}\n`,
};

describe('pegboard link to a gateway with a local token', () => {
  const entryIn = (home: ClientHome, file: string, key: string, format: FormatName = 'json'): unknown => {
    const list = FORMATS[format].parse(home.read(file))[key] as Record<string, unknown>;
    return Array.isArray(list) ? list[0] : list['pegboard'];
  };

  it('writes it where each client has its headers, and nothing for those that start a process', async () => {
    const home = makeClientHome(OWN);
    const names = [
      ...['claude-code', 'claude-desktop', 'codex', 'gemini', 'vscode', 'cursor', 'windsurf', 'opencode'],
      ...['zed', 'lm-studio', 'cline', 'goose', 'continue'],
    ];
    const { code, stdout, stderr } = await home.run(['link', '--yes', ...names]);
    expect(code, stderr).to.equal(0);
    expect(stdout + stderr).not.to.include(TOKEN);
    expect(stdout).to.include('"Authorization":"[redacted]"');
    const headers = HEADERS;
    const found = {
      'claude-code': entryIn(home, '.claude.json', 'mcpServers'),
      'claude-desktop': entryIn(home, '.config/Claude/claude_desktop_config.json', 'mcpServers'),
      codex: entryIn(home, '.codex/config.toml', 'mcp_servers', 'toml'),
      gemini: entryIn(home, '.gemini/settings.json', 'mcpServers'),
      vscode: entryIn(home, '.config/Code/User/mcp.json', 'servers'),
      cursor: entryIn(home, '.cursor/mcp.json', 'mcpServers'),
      windsurf: entryIn(home, '.codeium/windsurf/mcp_config.json', 'mcpServers'),
      opencode: entryIn(home, '.config/opencode/opencode.json', 'mcp'),
      zed: entryIn(home, '.config/zed/settings.json', 'context_servers'),
      'lm-studio': entryIn(home, '.lmstudio/mcp.json', 'mcpServers'),
      cline: entryIn(home, CLINE, 'mcpServers'),
      goose: entryIn(home, '.config/goose/config.yaml', 'extensions', 'yaml'),
      continue: entryIn(home, '.continue/config.yaml', 'mcpServers', 'yaml'),
    };
    expect(JSON.parse(JSON.stringify(found))).to.deep.equal({
      'claude-code': { type: 'http', url: URL, headers },
      'claude-desktop': { command: 'pegboard', args: ['agent', '--mcp-server', '--endpoint', URL] },
      codex: { url: URL, http_headers: headers },
      gemini: { httpUrl: URL, headers },
      vscode: { type: 'http', url: URL, headers },
      cursor: { url: URL, headers },
      windsurf: { serverUrl: URL, headers },
      opencode: { type: 'remote', url: URL, enabled: true, headers },
      zed: { url: URL, headers },
      'lm-studio': { url: URL, headers },
      cline: { type: 'streamableHttp', url: URL, disabled: false, headers },
      goose: {
        type: 'streamable_http',
        name: 'pegboard',
        description: 'All MCP servers behind Pegboard',
        uri: URL,
        enabled: true,
        timeout: 300,
        headers,
      },
      continue: { name: 'pegboard', type: 'streamable-http', url: URL, requestOptions: { headers } },
    });
    await home.run(['unlink', '--yes']);
    expect(home.clientFiles()).to.deep.equal({});
  });

  it('takes the rights of others away from the files that get it, and says so', async () => {
    const home = makeClientHome({
      ...OWN,
      '.cursor/mcp.json': '{}\n',
      '.config/Claude/claude_desktop_config.json': '{}\n',
    });
    const modeOf = (file: string): number => statSync(home.at(file)).mode & 0o777;
    for (const file of ['.cursor/mcp.json', '.config/Claude/claude_desktop_config.json'])
      chmodSync(home.at(file), 0o644);
    const { stderr } = await home.run(['link', '--yes']);
    expect(modeOf('.cursor/mcp.json')).to.equal(0o600);
    expect(modeOf('.config/Claude/claude_desktop_config.json')).to.equal(0o644);
    expect(modeOf('.cursor/mcp.json.pegboard-backup')).to.equal(0o600);
    expect(stderr).to.include(
      `${home.at('.cursor/mcp.json')} gets the local token of the gateway: only you can read it from then on\n`,
    );
    expect(stderr).not.to.include('claude_desktop_config.json gets');
  });

  it('puts it into the user’s file of a client, and never into one of the project', async () => {
    const project = '{"mcpServers":{"a":{"command":"a"}}}\n';
    const home = makeClientHome({
      ...OWN,
      'project/.mcp.json': project,
      'project/.vscode/mcp.json': '{"servers":{}}',
      '.config/pegboard/mcpservers/a.yaml': 'type: stdio\ncommand: [a]\n',
    });
    const { code, stderr } = await home.run(['link', '--yes']);
    expect(code, stderr).to.equal(0);
    expect(home.read('project/.mcp.json')).not.to.include('pegboard').and.not.include('"a"');
    expect(home.read('project/.vscode/mcp.json')).to.equal('{"servers":{}}');
    expect(entryIn(home, '.claude.json', 'mcpServers')).to.deep.include({ headers: HEADERS });
    expect(entryIn(home, '.config/Code/User/mcp.json', 'servers')).to.deep.include({ headers: HEADERS });
    await home.run(['unlink', '--yes']);
    expect(home.read('project/.mcp.json')).to.equal(project);
  });

  it('replaces one that has changed, and takes it out when it is switched off', async () => {
    const home = makeClientHome({ ...OWN, '.cursor/mcp.json': '{}\n' });
    await home.run(['link', '--yes']);
    home.write('.config/pegboard/state/local-token', `${TOKEN}2\n`);
    await home.run(['link', '--yes']);
    const Authorization = `Bearer ${TOKEN}2`;
    expect(entryIn(home, '.cursor/mcp.json', 'mcpServers')).to.deep.equal({
      url: URL,
      headers: { Authorization },
    });
    expect((await home.run(['link', '--yes'])).stderr).to.include('nothing to link');
    home.write('.config/pegboard/config.yaml', 'aggregator: { host: 127.0.0.1, port: 2 }\n');
    await home.run(['link', '--yes']);
    expect(entryIn(home, '.cursor/mcp.json', 'mcpServers')).to.deep.equal({ url: URL });
  });

  it('is written by import --link too, and into no entry for another gateway', async () => {
    const home = makeClientHome({ ...OWN, '.cursor/mcp.json': '{"mcpServers":{"a":{"command":"a"}}}\n' });
    await home.run(['import', '--link', '--yes']);
    expect(entryIn(home, '.cursor/mcp.json', 'mcpServers')).to.deep.equal({ url: URL, headers: HEADERS });
    await home.run(['link', '--yes', '--endpoint', 'http://127.0.0.1:3/mcp']);
    expect(entryIn(home, '.cursor/mcp.json', 'mcpServers')).to.deep.equal({ url: 'http://127.0.0.1:3/mcp' });
  });

  it('writes nothing before the gateway has made its token', async () => {
    const { '.config/pegboard/config.yaml': config } = OWN;
    const home = makeClientHome({ '.config/pegboard/config.yaml': config, '.cursor/mcp.json': '{}\n' });
    const { code, stderr } = await home.run(['link', '--yes']);
    expect([code, stderr]).to.deep.equal([
      1,
      `pegboard: aggregator.localToken is on, and ${home.at('.config/pegboard/state/local-token')} does not exist: start the gateway first (pegboard serve), or name its state directory with PEGBOARD_STATE_PATH\n`,
    ]);
    expect(home.read('.cursor/mcp.json')).to.equal('{}\n');
  });

  it('is missed by doctor in clients that were linked before', async () => {
    const home = makeClientHome({
      ...OWN,
      '.cursor/mcp.json': JSON.stringify({ mcpServers: { pegboard: { url: URL } } }),
      '.gemini/settings.json': '{"mcpServers":{"pegboard":{"httpUrl":"http://127.0.0.1:3/mcp"}}}',
    });
    await home.run(['link', 'claude-desktop', 'zed', '--yes']);
    const { stdout } = await home.run(['doctor', '--endpoint', URL, '-o', 'json']);
    const findings = (JSON.parse(stdout) as readonly DoctorFinding[]).filter(({ subject }) =>
      subject.startsWith('client '),
    );
    expect(findings).to.have.deep.members([
      ...['Claude Desktop', 'Zed', 'Gemini CLI'].map((label) => ({
        level: 'ok',
        subject: `client ${label}`,
        message: 'has Pegboard',
      })),
      {
        level: 'warning',
        subject: 'client Cursor',
        message: 'has Pegboard, without the local token',
        fix: 'pegboard link cursor',
      },
    ]);
  });
});
