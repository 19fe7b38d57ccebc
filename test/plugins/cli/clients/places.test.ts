import { expect } from 'chai';
import { makeClientHome } from '../clientHome.ts';

interface Found {
  readonly servers: readonly {
    readonly name: string;
    readonly found: readonly { readonly client: string; readonly scope: string; readonly path: string }[];
  }[];
}

const CLINE = 'globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json';
const ROO = 'globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json';
const KILO = 'globalStorage/kilocode.kilo-code/settings/mcp_settings.json';
/** Files of clients: the client, and the keys that lead to its servers. */
const FILES: Readonly<Record<string, readonly [client: string, ...at: string[]]>> = {
  '.kiro/settings/mcp.json': ['kiro', 'mcpServers'],
  '.kiro/agents/mine.json': ['kiro', 'mcpServers'],
  'project/.kiro/settings/mcp.json': ['kiro', 'mcpServers'],
  [`.config/Code/User/${ROO}`]: ['roo', 'mcpServers'],
  [`.config/Cursor/User/${ROO}`]: ['roo-cursor', 'mcpServers'],
  'project/.roo/mcp.json': ['roo', 'mcpServers'],
  '.aws/amazonq/mcp.json': ['amazon-q', 'mcpServers'],
  '.aws/amazonq/cli-agents/mine.json': ['amazon-q', 'mcpServers'],
  'project/.amazonq/mcp.json': ['amazon-q', 'mcpServers'],
  'project/.amazonq/default.json': ['amazon-q', 'mcpServers'],
  '.junie/mcp/mcp.json': ['junie', 'mcpServers'],
  'project/.junie/mcp/mcp.json': ['junie', 'mcpServers'],
  'project/.ai/mcp/mcp.json': ['jetbrains', 'mcpServers'],
  '.config/kilo/kilo.jsonc': ['kilo', 'mcp'],
  [`.config/VSCodium/User/${KILO}`]: ['kilo', 'mcpServers'],
  '.kilocode/cli/global/settings/mcp_settings.json': ['kilo', 'mcpServers'],
  'project/.kilocode/mcp.json': ['kilo', 'mcpServers'],
  '.config/Code - Insiders/User/mcp.json': ['vscode-insiders', 'servers'],
  '.config/VSCodium/User/mcp.json': ['vscodium', 'servers'],
  '.vscode-server/data/User/mcp.json': ['vscode-server', 'servers'],
  '.config/Code/User/profiles/6f3c/mcp.json': ['vscode', 'servers'],
  '.config/Code/User/settings.json': ['vscode', 'mcp', 'servers'],
  'project/.vscode/settings.json': ['vscode', 'mcp', 'servers'],
  [`.config/VSCodium/User/${CLINE}`]: ['cline-vscodium', 'mcpServers'],
  [`.vscode-server/data/User/${CLINE}`]: ['cline-server', 'mcpServers'],
  '.continue/mcpServers/mine.json': ['continue', 'mcpServers'],
  'project/.continue/mcpServers/mine.json': ['continue', 'mcpServers'],
  '.gemini/antigravity/mcp_config.json': ['antigravity', 'mcpServers'],
  '.gemini/extensions/mine/gemini-extension.json': ['gemini', 'mcpServers'],
  '.config/crush/crush.json': ['crush', 'mcp'],
  'project/.crush.json': ['crush', 'mcp'],
  '.config/amp/settings.json': ['amp', 'amp.mcpServers'],
  'project/.amp/settings.json': ['amp', 'amp.mcpServers'],
  '.factory/mcp.json': ['droid', 'mcpServers'],
  'project/.factory/mcp.json': ['droid', 'mcpServers'],
  '.warp/.mcp.json': ['warp', 'mcpServers'],
  '.config/devin/mcp_config.json': ['devin', 'mcpServers'],
  '.config/Trae/User/mcp.json': ['trae', 'mcpServers'],
};

/** The file of a client with one server. */
function fileOf([, ...at]: readonly string[], server: string): string {
  const value = at.reduceRight<unknown>((inner, key) => ({ [key]: inner }), {
    [server]: { command: server },
  });
  return JSON.stringify(value);
}

describe('the places of clients', () => {
  it('are known for every client, of the user and of the project', async () => {
    const paths = Object.keys(FILES);
    const home = makeClientHome(
      Object.fromEntries(Object.entries(FILES).map(([path, keys], at) => [path, fileOf(keys, `s${at}`)])),
    );
    const { stdout, stderr } = await home.run(['import', '--dry-run', '--project', '-o', 'json']);
    const { servers } = JSON.parse(stdout) as Found;
    const found = Object.fromEntries(
      servers.flatMap((server) =>
        server.found.map(({ client, scope, path }) => [path.slice(home.path.length + 1), [client, scope]]),
      ),
    );
    expect(found, stderr).to.deep.equal(
      Object.fromEntries(
        paths.map((path) => [path, [FILES[path]?.[0], path.startsWith('project/') ? 'project' : 'user']]),
      ),
    );
  });

  it('of an extension are those in each editor, and its name means all', async () => {
    const home = makeClientHome({
      [`.config/Code/User/${CLINE}`]: fileOf(['', 'mcpServers'], 'one'),
      [`.config/Windsurf/User/${CLINE}`]: fileOf(['', 'mcpServers'], 'two'),
      '.cursor/mcp.json': fileOf(['', 'mcpServers'], 'three'),
    });
    const { stdout } = await home.run(['import', 'cline', '--dry-run', '-o', 'name']);
    expect(stdout).to.equal('one\ntwo\n');
    await home.run(['import', 'cline', '--link', '--yes']);
    for (const editor of ['Code', 'Windsurf'])
      expect(home.read(`.config/${editor}/User/${CLINE}`)).to.include('"pegboard"');
    expect((await home.run(['unlink', 'cline', '--yes'])).code).to.equal(0);
    for (const editor of ['Code', 'Windsurf'])
      expect(home.read(`.config/${editor}/User/${CLINE}`)).not.to.include('"pegboard"');
  });

  it('get Pegboard in the words of their client', async () => {
    const home = makeClientHome({});
    const names = [
      'vscode-insiders',
      'kiro',
      'antigravity',
      'junie',
      'trae',
      'devin',
      'amazon-q',
      'crush',
      'amp',
    ];
    const more = ['droid', 'warp', 'hermes', 'roo', 'kilo'];
    const endpoint = 'http://127.0.0.1:2/mcp';
    const { code, stderr } = await home.run(['link', '--yes', ...names, ...more, '--endpoint', endpoint]);
    expect(code, stderr).to.equal(0);
    const entry = (path: string, ...keys: readonly string[]): unknown =>
      [...keys, 'pegboard'].reduce<unknown>(
        (value, key) => (value as Record<string, unknown>)[key],
        JSON.parse(home.read(path)),
      );
    const url = { url: endpoint };
    const bridge = { command: 'pegboard', args: ['agent', '--mcp-server', '--endpoint', endpoint] };
    const user = '.config/Code - Insiders/User/mcp.json';
    expect(entry(user, 'servers')).to.deep.equal({ type: 'http', ...url });
    expect(entry('.kiro/settings/mcp.json', 'mcpServers')).to.deep.equal(url);
    expect(entry('.gemini/antigravity/mcp_config.json', 'mcpServers')).to.deep.equal({ serverUrl: endpoint });
    expect(entry('.junie/mcp/mcp.json', 'mcpServers')).to.deep.equal(bridge);
    expect(entry('.config/Trae/User/mcp.json', 'mcpServers')).to.deep.equal(url);
    expect(entry('.config/devin/mcp_config.json', 'mcpServers')).to.deep.equal(url);
    expect(entry('.aws/amazonq/mcp.json', 'mcpServers')).to.deep.equal(bridge);
    expect(entry('.config/crush/crush.json', 'mcp')).to.deep.equal({ type: 'http', ...url });
    expect(entry('.config/amp/settings.json', 'amp.mcpServers')).to.deep.equal(url);
    expect(entry('.factory/mcp.json', 'mcpServers')).to.deep.equal({ type: 'http', ...url, disabled: false });
    expect(entry('.warp/.mcp.json', 'mcpServers')).to.deep.equal(url);
    expect(home.read('.hermes/config.yaml')).to.equal(`mcp_servers:\n  pegboard:\n    url: ${endpoint}\n`);
    expect(entry(`.config/Code/User/${ROO}`, 'mcpServers')).to.deep.equal({
      type: 'streamable-http',
      ...url,
    });
    expect(entry('.config/kilo/kilo.json', 'mcp')).to.deep.equal({ type: 'remote', ...url, enabled: true });
    const undone = await home.run(['unlink', '--yes']);
    expect(undone.code, undone.stderr).to.equal(0);
    expect(home.clientFiles()).to.deep.equal({});
  });

  it('that others write are imported, and left as they are by link', async () => {
    const path = '.gemini/extensions/mine/gemini-extension.json';
    const home = makeClientHome({
      [path]: fileOf(['', 'mcpServers'], 'one'),
      '.gemini/settings.json': '{}',
    });
    const before = home.read(path);
    const { code, stderr } = await home.run(['import', 'gemini', '--link', '--yes']);
    expect(code, stderr).to.equal(0);
    expect(home.ownFiles()).to.include('mcpservers/one.yaml');
    expect(home.read(path)).to.equal(before);
    expect(home.read('.gemini/settings.json')).to.include('"pegboard"');
  });

  it('that link leaves alone are not missed by doctor', async () => {
    const home = makeClientHome({
      '.gemini/settings.json': '{}',
      '.gemini/extensions/mine/gemini-extension.json': fileOf(['', 'mcpServers'], 'one'),
      'project/.vscode/settings.json': '{ "editor.tabSize": 2 }',
    });
    const { stdout } = await home.run(['doctor', '-o', 'json', '--endpoint', 'http://127.0.0.1:2/mcp']);
    const clients = (JSON.parse(stdout) as { subject: string; message: string }[]).filter(({ subject }) =>
      subject.startsWith('client '),
    );
    expect(clients.map(({ subject, message }) => `${subject}: ${message}`)).to.deep.equal([
      'client Gemini CLI: does not have Pegboard',
    ]);
  });

  it('that are named run their servers in the folder of the project', async () => {
    for (const folder of [
      '.kiro/settings',
      '.roo',
      '.amazonq',
      '.junie/mcp',
      '.kilocode',
      '.factory',
      '.vs',
    ]) {
      const home = makeClientHome({
        [`work/${folder}/mcp.json`]: '{"mcpServers":{"x":{"command":"node","args":["./x.js"]}}}',
      });
      await home.run(['import', '--yes', home.at(`work/${folder}/mcp.json`)]);
      expect(home.read('.config/pegboard/mcpservers/x.yaml'), folder).to.include(`cwd: ${home.at('work')}\n`);
    }
  });

  it('are named by words that people use, or the name is said', async () => {
    const home = makeClientHome({ 'mcp.json': fileOf(['', 'mcpServers'], 'one') });
    const said = async (word: string): Promise<string> => (await home.run(['import', word])).stderr;
    expect(await said('claude')).to.match(
      /^pegboard: claude is not a known client; did you mean claude-code or claude-desktop\? Known are claude-code, /,
    );
    expect(await said('Roo-Code')).to.include('did you mean roo? Known');
    expect(await said('gemini-cli')).to.include('did you mean gemini? Known');
    expect(await said('xyzzy')).to.include('xyzzy is not a known client; known are claude-code, ');
    const { stdout } = await home.run(['import', '~/mcp.json', '--dry-run', '-o', 'name']);
    expect(stdout).to.equal('one\n');
    expect(await said('https://x.example.com/mcp.json?a&b')).to.equal(
      'pegboard: https://x.example.com/mcp.json?a&b is an address, and import reads files; fetch it: ' +
        "curl -fsSL 'https://x.example.com/mcp.json?a&b' -o mcp.json && pegboard import ./mcp.json\n",
    );
    expect(await said('https://x.example.com/mcp')).to.include(
      'add a server with: pegboard add <name> https://',
    );
  });
});
