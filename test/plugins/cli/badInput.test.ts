import { expect } from 'chai';
import { makeClientHome } from './clientHome.ts';

describe('bad input in the files of clients', function () {
  this.timeout(30_000);

  it('is named with its line, in JSON, TOML and YAML', async () => {
    const home = makeClientHome({
      '.cursor/mcp.json': '{ "mcpServers": {\n  "a": { "command": } } }',
      '.codex/config.toml': '[mcp_servers.a]\ncommand = \n',
      '.config/goose/config.yaml': 'extensions:\n  a: [\n',
      '.gemini/settings.json': '{ "mcpServers": { "good": { "command": "good-mcp" } } }',
    });
    const { code, stderr } = await home.run(['import', '--yes']);
    expect(code).equal(1);
    expect(stderr).contain(`${home.at('.cursor/mcp.json')}:2:21: value expected\n`);
    expect(stderr).match(/config\.toml:2:\d+: .+\n/);
    expect(stderr).match(/config\.yaml:\d:\d+: .+\n/);
    expect(home.ownFiles()).include('mcpservers/good.yaml');
  });

  it('may be imported by two at once: one does it, the other waits or finds it done', async () => {
    const servers = Object.fromEntries(
      Array.from({ length: 50 }, (_, at) => [`s${at}`, { command: `c${at}` }]),
    );
    const home = makeClientHome({ '.cursor/mcp.json': JSON.stringify({ mcpServers: servers }) });
    const both = await Promise.all([
      home.runProgram(['import', '--link', '--yes']),
      home.runProgram(['import', '--link', '--yes']),
    ]);
    const refused = both.filter(({ code }) => code !== 0);
    for (const { stderr } of refused) expect(stderr).contain('another import is running');
    expect(refused.length).at.most(1);
    expect(home.ownFiles().filter((name) => name.startsWith('mcpservers/'))).length(50);
    expect((await home.run(['import', '--undo', '--yes'])).code).equal(0);
    expect(home.ownFiles()).deep.equal(['imports/record.json']);
    expect(JSON.parse(home.read('.cursor/mcp.json'))).deep.equal({ mcpServers: servers });
  });
});
