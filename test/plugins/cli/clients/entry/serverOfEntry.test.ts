import { expect } from 'chai';
import { parse } from 'yaml';
import { makeClientHome } from '../../clientHome.ts';

const TOOLS = { type: 'local', command: 'tools-mcp' };

/** The definitions that importing this file writes, by name, without `type: stdio` and `autoStart: true`. */
async function imported(
  file: string,
  text: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{
  readonly definitions: Record<string, unknown>;
  readonly stdout: string;
  readonly stderr: string;
}> {
  const home = makeClientHome({ [`files/${file}`]: text });
  const { stdout, stderr } = await home.run(['import', '--yes', home.at(`files/${file}`)], env);
  const names = home.ownFiles().filter((name) => name.startsWith('mcpservers/'));
  const read = (name: string): unknown => {
    const { type, autoStart, ...rest } = parse(home.read(`.config/pegboard/${name}`)) as Record<
      string,
      unknown
    >;
    expect(autoStart).to.equal(true);
    return type === 'stdio' ? rest : { type, ...rest };
  };
  const definitions = Object.fromEntries(names.map((name) => [name.slice(11, -5), read(name)]));
  return { definitions, stdout, stderr };
}
const servers = (mcpServers: object): string => JSON.stringify({ mcpServers });

describe('an entry of a client', () => {
  it('is taken over without its tags, which is said with what groups servers here', async () => {
    const text = servers({ a: { command: 'node', args: ['/x.js'], tags: ['web', 'dev'] } });
    const { definitions, stdout, stderr } = await imported('a.json', text);
    expect(definitions).to.deep.equal({ a: { command: ['node', '/x.js'] } });
    expect(stdout + stderr).to.include(
      'its tags (web, dev) are not taken over; group servers by toolsetPresets',
    );
  });

  it('keeps arguments that are numbers, switches or empty, and is left out if one has no text', async () => {
    const { definitions, stdout } = await imported(
      'a.json',
      servers({
        numbers: { command: 'node', args: ['x.js', '--port', 3000, '--flag', true] },
        empty: { command: 'uvx', args: ['mcp-server-git', '--repository', '', '--verbose'] },
        nested: { command: 'node', args: [{ port: 1 }] },
      }),
    );
    expect(definitions).to.deep.equal({
      numbers: { command: ['node', 'x.js', '--port', '3000', '--flag', 'true'] },
      empty: { command: ['uvx', 'mcp-server-git', '--repository', '', '--verbose'] },
    });
    expect(stdout).to.include('left out: its arguments hold a list or an object');
    const yaml =
      'mcpServers:\n  - { name: n, command: npx, args: [-y, "@a/b", --version, 1.5, --on, true] }\n';
    expect((await imported('config.yaml', yaml)).definitions).to.deep.equal({
      n: { command: ['npx', '-y', '@a/b', '--version', '1.5', '--on', 'true'] },
    });
  });

  it('has its command line split as a shell does, or run by one that needs it', async () => {
    const { definitions, stderr } = await imported(
      'a.json',
      servers({
        clicked: { command: 'npx -y @a/server-memory', args: [] },
        quoted: { command: `run "a b" 'c "d"' e\\ f` },
        shell: { command: 'cd /srv/x && nix-shell', args: [] },
        one: { command: 'with-args', args: ['a b'] },
        path: { command: '/Users/x/Library/Application Support/php', args: ['artisan'] },
        both: { command: 'npx -y @a/b', args: ['--c'] },
      }),
    );
    expect(definitions).to.deep.equal({
      clicked: { command: ['npx', '-y', '@a/server-memory'] },
      quoted: { command: ['run', 'a b', 'c "d"', 'e f'] },
      shell: { command: ['sh', '-c', 'cd /srv/x && nix-shell'] },
      one: { command: ['with-args', 'a b'] },
      path: { command: ['/Users/x/Library/Application Support/php', 'artisan'] },
      both: { command: ['npx', '-y', '@a/b', '--c'] },
    });
    expect(stderr).to.include('shell: its command is one for a shell, so sh runs it');
  });

  it('says its transport in any word and case, and is left out if MCP has no such transport', async () => {
    const url = 'http://127.0.0.1:7101/events';
    const { definitions, stdout } = await imported(
      'a.json',
      servers({
        word: { url, transport: 'sse' },
        object: { url: `${url}?2`, transport: { type: 'sse' } },
        key: { url: `${url}?3`, transportType: 'sse' },
        upper: { url: `${url}?4`, type: 'SSE' },
        untyped: { url: `${url}?5` },
        reverse: { url: 'http://127.0.0.1:7103/sse', transport: 'streamable-http' },
        remote: { url: 'http://127.0.0.1:7102/sse', type: 'remote' },
        agent: { url: 'http://127.0.0.1:7103/a2a', type: 'a2a' },
        both: { command: 'both-mcp', url: 'http://127.0.0.1:7104/mcp', type: 'http' },
      }),
    );
    const types = Object.entries(definitions).map(([name, one]) => [name, (one as { type?: string }).type]);
    expect(Object.fromEntries(types)).to.deep.equal({
      word: 'sse',
      object: 'sse',
      key: 'sse',
      upper: 'sse',
      remote: 'auto',
      untyped: 'auto',
      reverse: 'streamable-http',
      both: 'auto',
    });
    expect(stdout).to.match(/agent +- +- +left out: its transport a2a is not one of MCP/);
  });

  it('is tried over both transports if clients say different ones', async () => {
    const url = 'http://127.0.0.1:7101/mcp';
    const { definitions } = await imported(
      'a.json',
      servers({ new: { url, type: 'streamable-http' }, old: { url, type: 'sse' } }),
    );
    expect(definitions).to.deep.equal({ new: { type: 'auto', url } });
  });

  it('has all its limits at once, none that fails open, and all of two parts', async () => {
    const { definitions, stderr } = await imported(
      'a.json',
      servers({
        both: {
          command: 'a',
          includeTools: ['a', 'b'],
          tools: ['*'],
          disabledTools: ['b'],
          exclude_tools: ['c'],
        },
        cut: { command: 'b', includeTools: ['x'], tools: ['y'] },
        none: { command: 'c', tools: [] },
        more: { command: 'd', tools: { a: { enabled: false, mode: 'x' }, b: 'odd' } },
        parts: {
          url: 'https://p.test/mcp',
          headers: { A: '1' },
          transport: { type: 'sse', headers: { B: '2' } },
        },
        odd: { command: 'e', env: { GOOD: '1', BAD: ['x'] } },
        unclear: { command: 'f', enabled: { default: false } },
        off: { command: 'g', enabled: 'no' },
        token: { url: 'https://t.test/mcp', auth: { type: 'bearer', token: '${T}' } },
      }),
    );
    expect(definitions).to.deep.equal({
      both: { command: ['a'], includeTools: ['a', 'b'], excludeTools: ['c', 'b'] },
      cut: { command: ['b'], includeTools: [] },
      none: { command: ['c'], includeTools: [] },
      more: { command: ['d'], excludeTools: ['a'] },
      parts: { type: 'sse', url: 'https://p.test/mcp', headers: { A: '1', B: '2' } },
      odd: { command: ['e'], env: { GOOD: '1' } },
      unclear: { command: ['f'], suspended: true },
      off: { command: ['g'], suspended: true },
      token: { type: 'auto', url: 'https://t.test/mcp', headers: { Authorization: 'Bearer ${env:T}' } },
    });
    for (const left of ['more: tools', 'odd: env.BAD', 'unclear: enabled'])
      expect(stderr).to.include(`${left} is left behind`);
  });

  it('is left out with an odd transport or arguments that are not a list, and the others come', async () => {
    const { definitions, stdout } = await imported(
      'a.json',
      servers({
        odd: { url: 'https://o.test', type: 'constructor' },
        args: { command: 'npx', args: { 0: '-y' } },
        quoted: { command: `npx -y foo --header="X-Kind: v" --path="/a b"/c` },
        windows: { command: 'C:\\Program Files\\nodejs\\node.exe', args: [] },
      }),
    );
    expect(definitions).to.deep.equal({
      quoted: { command: ['npx', '-y', 'foo', '--header=X-Kind: v', '--path=/a b/c'] },
      windows: { command: ['C:\\Program Files\\nodejs\\node.exe'] },
    });
    expect(stdout)
      .to.include('left out: its transport constructor is not one of MCP')
      .and.include('left out: its arguments are not a list');
  });

  it('is never Pegboard itself, whatever runs it', async () => {
    const commands = [
      ['npx', '-y', 'pegboard', 'serve', '--transport', 'stdio'],
      ['npx', 'pegboard@0.1.0', 'agent'],
      ['node', '/opt/pegboard/dist/kernel/program/pegboard.js', 'serve'],
      ['/usr/local/bin/pegboard', 'serve'],
      ['docker', 'run', '-i', '--rm', '-v', './x:/config', 'ghcr.io/acme/pegboard:1.2', 'serve'],
      ['sh', '-c', 'exec pegboard serve --transport stdio'],
      ['cmd', '/c', 'pegboard', 'agent'],
    ];
    const own = commands.map(([command, ...args], at) => [`s${at}`, { command, args }] as const);
    const { definitions, stdout } = await imported(
      'a.json',
      servers({
        ...Object.fromEntries(own),
        folder: { command: 'npx', args: ['server-files', '/srv/pegboard'] },
        mount: { command: 'docker', args: ['run', '-v', '/srv/pegboard:/x', 'image'] },
      }),
    );
    expect(Object.keys(definitions)).to.deep.equal(['folder', 'mount']);
    expect(stdout.match(/left out: Pegboard itself/g)).to.have.lengthOf(own.length);
  });

  it('loses what is of Windows only, and is told what of this shell it does not get', async () => {
    const { definitions, stderr } = await imported(
      'a.json',
      servers({
        windows: { command: 'cmd', args: ['/c', 'npx.cmd', '-y', 'win-mcp'] },
        cloud: { command: 'uvx', args: ['awslabs.core-mcp-server'], env: { AWS_REGION: 'eu' } },
      }),
      { AWS_PROFILE: 'dev', AWS_REGION: 'us', KUBECONFIG: '/k' },
    );
    expect(definitions['windows']).to.deep.equal({ command: ['npx', '-y', 'win-mcp'] });
    expect(stderr)
      .to.include('windows: `cmd /c` is of Windows, so it is left out\n')
      .and.include(
        "cloud: AWS_PROFILE of this shell is not passed on; if the server needs it: env: { AWS_PROFILE: '${env:AWS_PROFILE}' }\n",
      );
    expect(stderr.match(/is not passed on/g)).to.have.lengthOf(1);
    const script = await imported('a.json', servers({ s: { command: 'node', args: ['gone.js'] } }));
    expect(script.stderr).to.include(
      's: gone.js is looked for in the folder of Pegboard; write cwd into the definition\n',
    );
  });

  it('is called after what it runs if a definition cannot have its name', async () => {
    const { definitions } = await imported(
      'a.json',
      servers({
        数据库: { command: 'npx', args: ['-y', '@acme/mysql-mcp'] },
        メモ: { url: 'https://mcp.notes.dev/mcp' },
        'Bücher!': { command: 'books' },
      }),
    );
    expect(Object.keys(definitions)).to.deep.equal(['Bucher', 'mysql', 'notes']);
  });

  it('keeps placeholders as its client does, and names them', async () => {
    const entry = { command: 'a-mcp', args: ['/path/to/files'], env: { API_KEY: 'YOUR_API_KEY' } };
    const { definitions, stderr } = await imported('a.json', servers({ a: entry }));
    expect(definitions['a']).to.deep.equal({ command: ['a-mcp', '/path/to/files'], env: entry.env });
    for (const text of ['YOUR_API_KEY', '/path/to/files'])
      expect(stderr).to.include(
        `a: ${text} represents a value of yours; put it there with: pegboard edit server a\n`,
      );
  });

  it('is stopped if its client does not use it, in the words of any client', async () => {
    const off = [
      ...[{ disabled: true }, { disabled: 'true' }, { disabled: 1 }, { enabled: false }, { isActive: false }],
      ...[{ active: false }, { quarantined: true }],
    ];
    const entries = off.map((one, at) => [`s${at}`, { command: `mcp-${at}`, ...one }]);
    const { definitions, stderr } = await imported(
      'a.json',
      servers(Object.fromEntries<unknown>(entries as [string, unknown][])),
    );
    const stopped = off.map((_, at) => [`s${at}`, { command: [`mcp-${at}`], suspended: true }]);
    expect(definitions).to.deep.equal(Object.fromEntries(stopped));
    expect(stderr).to.include(
      's0: its client does not use it, so it is off; start it with: pegboard start s0\n',
    );
  });

  it('keeps its times, description, folder and headers, in the words and units of its client', async () => {
    const { definitions } = await imported(
      'a.json',
      servers({
        slow: { command: 'slow-mcp', timeout: 300, description: 'what it is for' },
        millis: { command: 'millis-mcp', timeout: 600_000 },
        text: { command: 'text-mcp', timeout: '5m' },
        dir: { command: 'dir-mcp', working_dir: '/srv' },
        drive: { command: 'drive-mcp', cwd: 'D:\\Work' },
        home: { command: 'home-mcp', cwd: '~/app' },
        key: { url: 'https://h.test/mcp', bearerToken: '${TOKEN}', customHeaders: { 'X-A': 'b' } },
        list: { url: 'https://l.test/mcp', headers: ['X-B: c'] },
        vars: { command: 'vars-mcp', env: ['MODE=fast', 'LEVEL=2'] },
      }),
      { TOKEN: 'abc' },
    );
    expect(definitions).to.deep.include({
      slow: { command: ['slow-mcp'], callTimeout: 300, description: 'what it is for' },
      millis: { command: ['millis-mcp'], callTimeout: 600 },
      text: { command: ['text-mcp'], callTimeout: 300 },
      dir: { command: ['dir-mcp'], cwd: '/srv' },
      drive: { command: ['drive-mcp'], cwd: 'D:\\Work' },
      key: {
        type: 'auto',
        url: 'https://h.test/mcp',
        headers: { Authorization: 'Bearer ${env:TOKEN}', 'X-A': 'b' },
      },
      list: { type: 'auto', url: 'https://l.test/mcp', headers: { 'X-B': 'c' } },
      vars: { command: ['vars-mcp'], env: { MODE: 'fast', LEVEL: '2' } },
    });
    expect((definitions['home'] as { cwd: string }).cwd).to.match(/^\/.+[^~]\/app$/);
    const toml =
      '[mcp_servers.slow]\ncommand = "node-mcp"\nstartup_timeout_sec = 90\ntool_timeout_sec = 600\n';
    expect((await imported('config.toml', toml)).definitions).to.deep.equal({
      slow: { command: ['node-mcp'], timeout: 90, callTimeout: 600 },
    });
  });

  it('passes on the variables that a container takes from its client', async () => {
    const args = ['run', '-i', '-e', 'GITHUB_TOKEN', '-e', 'MODE=fast', '--env', 'REGION', 'img'];
    const { definitions, stderr } = await imported(
      'a.json',
      servers({ docker: { command: 'docker', args, env: { REGION: 'eu' } } }),
    );
    expect(definitions).to.deep.equal({
      docker: { command: ['docker', ...args], env: { GITHUB_TOKEN: '${env:GITHUB_TOKEN}', REGION: 'eu' } },
    });
    expect(stderr).to.include('docker: set GITHUB_TOKEN where `pegboard serve` runs');
  });

  it('is the same server at a second import, also with a variable that is not set here', async () => {
    const home = makeClientHome({
      '.cursor/mcp.json': servers({
        b: { command: 'b-mcp', args: ['--token', 'pa$$w0rd$1', '--org', '${ORG}'] },
        c: { command: 'c-mcp', args: ['--mode', '${MODE:-plain}'] },
      }),
    });
    await home.run(['import', '--yes'], { MODE: 'set' });
    const files = home.ownFiles();
    expect((await home.run(['import', '--yes'], { MODE: 'set' })).stderr).to.equal('nothing to import\n');
    expect(home.ownFiles()).to.deep.equal(files);
    expect(parse(home.read('.config/pegboard/mcpservers/c.yaml'))).to.deep.include({
      command: ['c-mcp', '--mode', '${env:MODE:-plain}'],
    });
  });

  it('is imported as Cline CLI and Copilot CLI write it', async () => {
    const json = (mcpServers: object): string => JSON.stringify({ mcpServers });
    const home = makeClientHome({
      '.cline/data/settings/cline_mcp_settings.json': json({
        nested: { transport: { type: 'stdio', command: 'nested-mcp', args: ['-v'] } },
        far: { transport: { type: 'streamableHttp', url: 'https://far.example.com/mcp' }, disabled: false },
        off: { transport: { type: 'stdio', command: 'off-mcp' }, disabled: true },
      }),
      'own/mcp-config.json': json({
        all: { ...TOOLS, args: ['all'], tools: ['*'] },
        some: { ...TOOLS, args: ['some'], tools: ['read', 'list'] },
      }),
    });
    const { code, stderr } = await home.run(['import', '--yes'], { COPILOT_HOME: home.at('own') });
    expect(code, stderr).to.equal(0);
    const definition = (name: string): unknown =>
      parse(home.read(`.config/pegboard/mcpservers/${name}.yaml`));
    const stdio = { type: 'stdio', autoStart: true };
    expect(home.ownFiles().filter((name) => name.startsWith('mcpservers/'))).to.have.lengthOf(5);
    expect(definition('off')).to.deep.equal({ ...stdio, command: ['off-mcp'], suspended: true });
    expect(definition('nested')).to.deep.equal({ ...stdio, command: ['nested-mcp', '-v'] });
    expect(definition('all')).to.deep.equal({ ...stdio, command: ['tools-mcp', 'all'] });
    expect(definition('some')).to.deep.equal({
      ...stdio,
      command: ['tools-mcp', 'some'],
      includeTools: ['read', 'list'],
    });
    expect(definition('far')).to.deep.include({
      type: 'streamable-http',
      url: 'https://far.example.com/mcp',
    });
  });
});
