import { expect } from 'chai';
import { parse } from 'yaml';
import { makeClientHome } from '../clientHome.ts';

const one = { command: 'one-mcp' };

/** What importing a named file does: the definitions by name, what was said, and the exit code. */
async function imported(file: string, content: unknown) {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  const home = makeClientHome({ [file]: text });
  const { code, stdout, stderr } = await home.run(['import', '--yes', home.at(file)]);
  const names = home.ownFiles().filter((name) => name.startsWith('mcpservers/'));
  const read = (name: string) => parse(home.read(`.config/pegboard/${name}`)) as Record<string, unknown>;
  const definitions = Object.fromEntries(names.map((name) => [name.slice(11, -5), read(name)]));
  return { definitions, code, stdout, stderr: stderr.replaceAll(home.at(file), 'FILE') };
}

describe('a named file', () => {
  it('has its servers found wherever they are', async () => {
    const shapes: readonly unknown[] = [
      { one },
      { mcp: { inputs: [], servers: { one } } },
      { 'amp.mcpServers': { one } },
      { 'editor.fontSize': 12, mcp: { servers: { one } } },
      { mcpServers: {}, servers: { one } },
      { powers: { mcpServers: { one } } },
      { mcpServers: [{ name: 'one', ...one }] },
    ];
    for (const shape of shapes) {
      const { definitions, code } = await imported('x/servers.json', shape);
      expect([Object.keys(definitions), code], JSON.stringify(shape)).deep.equal([['one'], 0]);
    }
    const two = await imported('x/servers.json', {
      mcpServers: { one },
      servers: { two: { command: 'two-mcp' } },
    });
    expect(Object.keys(two.definitions)).deep.equal(['one', 'two']);
  });

  it('is a fault if it holds no server, with its keys and the next step', async () => {
    const steps: readonly (readonly [content: unknown, step: string])[] = [
      [
        { name: 'io.x/y', packages: [] },
        'its keys are name, packages; it is a server.json of the MCP registry: pegboard add FILE',
      ],
      [{ manifest_version: '0.2', name: 'b' }, 'it is the manifest of a bundle: pegboard add FILE'],
      [
        { startCommand: {} },
        'it is for Smithery, and describes its server with a function of JavaScript; use: pegboard add',
      ],
      [{ services: { a: {} } }, 'it is for docker compose; use: pegboard add'],
      [{ source: { path: 's.py' } }, 'it is for FastMCP; use: pegboard add <name> -- uvx fastmcp run FILE'],
      [{ name: 'p', author: { url: 'https://x.test' }, manifest_version: '0.3' }, 'the manifest of a bundle'],
      [{ packages: [], repository: { url: 'https://x.test' } }, 'a server.json of the MCP registry'],
      [{ mcpServers: {} }, 'its keys are mcpServers; servers are expected below mcpServers, servers'],
      [{}, 'it is empty; servers are expected'],
    ];
    for (const [content, step] of steps) {
      const { code, stderr } = await imported('x/server.json', content);
      expect(code).equal(1);
      expect(stderr)
        .match(/^pegboard: FILE holds no MCP servers: /)
        .and.include(step);
    }
  });

  it('has what is not an entry named', async () => {
    const { stdout, definitions } = await imported('a.json', { mcpServers: { one, two: 2, none: null } });
    expect(Object.keys(definitions)).deep.equal(['one']);
    for (const name of ['two', 'none'])
      expect(stdout).match(new RegExp(`${name} +- +left out: not an object`));
    const hub = await imported(
      'config.yaml',
      'mcpServers:\n  - name: one\n    command: one-mcp\n  - uses: a/b\n',
    );
    expect(hub.stdout).match(/a\/b +- +left out: a block of its client’s hub/);
    const twice = await imported('config.yaml', 'a: 1\n---\nb: 2\n');
    expect(twice.stderr).include('FILE:2:1: a second document begins; put its servers into the first');
  });

  it('says elsewhere which servers and tools are off', async () => {
    const gemini = await imported('settings.json', {
      mcp: { allowed: ['one', 'two'], excluded: ['two'] },
      mcpServers: { one, two: { command: 'two' }, three: { command: 'three' } },
    });
    const off = Object.entries(gemini.definitions).map(([name, { suspended }]) => [name, suspended]);
    expect(Object.fromEntries(off)).deep.equal({ one: undefined, two: true, three: true });
    const local = (name: string) => ({ type: 'local', command: [name] });
    const { definitions } = await imported('opencode.json', {
      tools: {
        'off_*': false,
        some_write: false,
        'some_delete*': false,
        'few*': false,
        few_read: true,
        'all_*': true,
      },
      mcp: { off: local('off'), some: local('some'), few: local('few'), all: local('all') },
    });
    expect(definitions['off']).include({ suspended: true });
    expect(definitions['some']).deep.include({ excludeTools: ['write', 'delete*'] });
    expect(definitions['few']).deep.include({ includeTools: ['read'] });
    expect(definitions['all']).not.have.any.keys('suspended', 'includeTools', 'excludeTools');
    const defaults = await imported('mcp.json', {
      serverDefaults: { env: { MODE: 'x' } },
      mcpServers: { one, two: { command: 'two', env: { LEVEL: '2' } } },
    });
    expect(defaults.definitions['one']).deep.include({ env: { MODE: 'x' } });
    expect(defaults.definitions['two']).deep.include({ env: { MODE: 'x', LEVEL: '2' } });
  });

  it('has patterns for tools of a server, and what agents may use', async () => {
    const local = (name: string) => ({ type: 'local', command: [name] });
    const { definitions } = await imported('opencode.json', {
      tools: { '*delete*': false, 'sl*_write': false },
      permission: { 'git_*': 'deny' },
      mcp: { one: local('one'), slack: local('slack'), git: local('git') },
    });
    expect(definitions['one']).deep.include({ excludeTools: ['*delete*'] });
    for (const name of ['slack', 'git']) expect(definitions[name]).include({ suspended: true });
    const agent = await imported('agent.json', {
      tools: ['read', '@git/git_status', '@one'],
      mcpServers: { one, git: { command: 'git-mcp' }, other: { command: 'other' } },
    });
    expect(agent.definitions['git']).deep.include({ includeTools: ['git_status'] });
    expect(agent.definitions['one']).not.have.any.keys('suspended', 'includeTools');
    expect(agent.definitions['other']).include({ suspended: true });
  });
});

describe('a server that two clients have', () => {
  it('has the times of both, stays where it is off, and is the one that pegboard add wrote', async () => {
    const home = makeClientHome({
      '.cursor/mcp.json': JSON.stringify({
        mcpServers: { one: { ...one, timeout: 600 }, off: { command: 'off', disabled: true } },
      }),
      '.lmstudio/mcp.json': JSON.stringify({ mcpServers: { one } }),
    });
    await home.run(['import', '--link', '--yes', 'lm-studio', 'cursor']);
    const written = parse(home.read('.config/pegboard/mcpservers/one.yaml')) as object;
    expect(written).deep.include({ command: ['one-mcp'], callTimeout: 600 });
    await home.run(['link', '--yes', 'cursor']);
    expect(home.read('.cursor/mcp.json')).include('"off"').and.not.include('one-mcp');
    const added = makeClientHome({
      '.lmstudio/mcp.json': JSON.stringify({ mcpServers: { one } }),
      '.config/pegboard/mcpservers/mine.yaml':
        'apiVersion: muster.giantswarm.io/v1alpha1\nkind: MCPServer\nmetadata: { name: mine }\nspec: { type: stdio, command: [one-mcp] }\n',
    });
    expect((await added.run(['import', '--yes', 'lm-studio'])).stderr).equal('nothing to import\n');
  });

  it('is the same by the name of the client and by that of its file', async () => {
    const text = JSON.stringify({ mcpServers: { loc: { command: 'node', args: ['x.js'], timeout: 5 } } });
    const home = makeClientHome({ '.cursor/mcp.json': text });
    await home.run(['import', '--yes', home.at('.cursor/mcp.json')]);
    expect(parse(home.read('.config/pegboard/mcpservers/loc.yaml'))).deep.equal({
      type: 'stdio',
      command: ['node', 'x.js'],
      callTimeout: 5,
      autoStart: true,
    });
    expect((await home.run(['import', '--yes', 'cursor'])).stderr).equal('nothing to import\n');
    const none = makeClientHome({ '.cursor/mcp.json': '{}' });
    expect((await none.run(['import', '--yes', none.at('.cursor/mcp.json')])).code).equal(1);
  });

  it('is off if the settings of its client say so, in whichever file it is', async () => {
    const home = makeClientHome({
      '.gemini/settings.json': JSON.stringify({ mcp: { excluded: ['one'] } }),
      '.gemini/extensions/x/gemini-extension.json': JSON.stringify({ mcpServers: { one } }),
    });
    await home.run(['import', '--yes', 'gemini']);
    expect(parse(home.read('.config/pegboard/mcpservers/one.yaml'))).include({ suspended: true });
  });

  it('is not linked at a client that would not load Pegboard', async () => {
    const text = JSON.stringify({ mcp: { allowed: ['one'] }, mcpServers: { one } });
    const home = makeClientHome({ '.gemini/settings.json': text });
    const { code, stderr } = await home.run(['import', '--link', '--yes', 'gemini']);
    expect(code).equal(1);
    expect(stderr).include('settings.json admits other servers only; add pegboard to them, and link again');
    expect(home.read('.gemini/settings.json')).equal(text);
  });
});
