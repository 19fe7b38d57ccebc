import { chmodSync, mkdirSync, rmSync, statSync, symlinkSync, lstatSync, writeFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { parse } from 'yaml';
import { Cancellation } from '../../../../kernel/lib/cancellation.ts';
import type { Terminal } from '../../../../kernel/contracts/command.ts';
import { placesOf } from '../../../../plugins/kit/clients/places.ts';
import { importVerb } from '../../../../plugins/cli/verbs/importVerb.ts';
import { makeClientHome } from '../clientHome.ts';
import type { ClientHome } from '../clientHome.ts';

const URL = 'http://localhost:8090/mcp';
const TOKEN = 'ghp_0123456789abcdefghij';

const CURSOR = `{
    // my servers
    "mcpServers": {
        "github": { "command": "npx", "args": ["-y", "server-github"], "env": { "GITHUB_TOKEN": "${TOKEN}" } }, // forge
        "remote": { "url": "https://x.example.com/mcp", "headers": { "Authorization": "Bearer \${env:FOO}" } },
    },
}
`;
const CODEX = `model = "x" # mine

[mcp_servers.github]
command = "npx"
args = [
  "-y",
  "server-github",
]

[mcp_servers.github.env]
GITHUB_TOKEN = "${TOKEN}"

# keep me
[profiles.fast]
model = "y"
`;
const GOOSE = `# goose
extensions:
  developer:
    type: builtin
    enabled: true
  memory:
    type: stdio
    cmd: uvx
    args: [memory]
    envs: {}
    enabled: true
GOOSE_MODEL: x
`;
const CONTINUE = `name: mine
mcpServers:
  - name: sqlite
    command: npx
    args: ["-y", sqlite]
  - name: docs
    type: streamable-http
    url: https://docs.example.com/mcp
`;
const ALL = {
  '.cursor/mcp.json': CURSOR,
  '.codex/config.toml': CODEX,
  '.config/goose/config.yaml': GOOSE,
  '.continue/config.yaml': CONTINUE,
  '.claude.json': JSON.stringify({
    numStartups: 3,
    mcpServers: { time: { type: 'stdio', command: 'time-mcp', args: [], env: {} } },
    projects: {},
  }),
  '.config/Claude/claude_desktop_config.json':
    '{\r\n\t"mcpServers": {\r\n\t\t"fs": {"command": "fs-mcp"}\r\n\t}\r\n}',
  '.gemini/settings.json': '{"mcpServers":{"events":{"url":"https://e.example.com/sse"}}}\n',
  '.config/Code/User/mcp.json':
    '{ "servers": { "web": { "type": "http", "url": "https://w.example.com/mcp" } }, "inputs": [] }\n',
  '.codeium/windsurf/mcp_config.json':
    '{ "mcpServers": { "wind": { "serverUrl": "https://wind.example.com/mcp" } } }\n',
  '.config/opencode/opencode.json':
    '{ "mcp": { "oc": { "type": "local", "command": ["oc-mcp", "-v"], "environment": { "A": "{env:B}" } } } }\n',
  '.config/zed/settings.json':
    '// Zed\n{ "context_servers": { "z": { "source": "custom", "command": "z-mcp", "args": ["x"] } }, "tabs": {} }\n',
  '.lmstudio/mcp.json': '{ "mcpServers": { "lm": { "command": "lm-mcp" } } }\n',
  '.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json':
    '{ "mcpServers": { "cl": { "command": "cl-mcp", "disabled": false }, "off": { "command": "off", "disabled": true } } }\n',
};

describe('pegboard import', () => {
  it('reads a file once that is both of the user and of the project, in the folder of each platform', () => {
    const of = (word: string, platform: NodeJS.Platform, env = { HOME: '/h', APPDATA: '/r' }): unknown =>
      placesOf([word], { env, platform, cwd: '/h' }).map(({ scope, path }) => [scope, path]);
    expect(of('codex', 'linux')).deep.equal([['user', '/h/.codex/config.toml']]);
    expect(of('zed', 'win32')).deep.include(['user', '/r/Zed/settings.json']);
  });

  it('writes a definition for each server of every known client, the same server once', async () => {
    const home = makeClientHome(ALL);
    const { code, stdout } = await home.run(['import', '--yes']);
    expect(code, stdout).to.equal(0);
    const names = home.ownFiles().filter((name) => name.startsWith('mcpservers/'));
    const expected = 'cl docs events fs github lm memory oc off remote sqlite time web wind z'.split(' ');
    expect(names).to.deep.equal(expected.map((name) => `mcpservers/${name}.yaml`));
    expect(definition(home, 'github')).to.deep.equal({
      type: 'stdio',
      command: ['npx', '-y', 'server-github'],
      env: { GITHUB_TOKEN: '${file:secrets/github.GITHUB_TOKEN}' },
      autoStart: true,
    });
    expect(definition(home, 'oc')).to.deep.include({ command: ['oc-mcp', '-v'], env: { A: '${env:B}' } });
    expect(definition(home, 'remote')).to.deep.include({
      type: 'auto',
      headers: { Authorization: 'Bearer ${env:FOO}' },
    });
    expect(definition(home, 'events')).to.include({ type: 'auto', url: 'https://e.example.com/sse' });
    const check = await home.runProgram(['check']);
    expect(check.code, check.stdout + check.stderr).to.equal(0);
  });

  it('puts secrets into files of mode 0600, never into YAML or the output', async () => {
    const inArgs =
      '{"mcpServers":{"a":{"command":"a-mcp","args":["--token","s3cret-in-args","--url","https://u:pa55word1@h"]}}}';
    const home = makeClientHome({ '.cursor/mcp.json': CURSOR, '.lmstudio/mcp.json': inArgs });
    const { stdout, stderr } = await home.run(['import', '--yes']);
    const written = home.ownFiles().filter((name) => !name.startsWith('secrets/'));
    const texts = [stdout, stderr, ...written.map((name) => home.read(`.config/pegboard/${name}`))].join(
      '\n',
    );
    for (const secret of [TOKEN, 's3cret-in-args', 'pa55word1']) expect(texts).not.to.include(secret);
    const file = '.config/pegboard/secrets/github.GITHUB_TOKEN';
    expect(home.read(file)).to.equal(`${TOKEN}\n`);
    expect(statSync(home.at(file)).mode & 0o777).to.equal(0o600);
    expect(definition(home, 'a')['command']).to.deep.equal([
      ...['a-mcp', '--token', '${file:secrets/a.token}'],
      ...['--url', 'https://${file:secrets/a.user_and_password}@h'],
    ]);
    expect(home.read('.config/pegboard/secrets/a.user_and_password')).to.equal('u:pa55word1\n');
  });

  it('brings back every client byte for byte, and leaves nothing of its own', async () => {
    const home = makeClientHome(ALL);
    const before = home.clientFiles();
    const linked = await home.run(['import', '--link', '--yes']);
    expect(linked.code, linked.stderr).to.equal(0);
    const after = home.clientFiles();
    for (const name of Object.keys(ALL)) expect(after[name], name).not.to.equal(before[name]);
    for (const name of Object.keys(ALL)) expect(home.read(name), name).to.match(/pegboard/);
    const again = await home.run(['import', '--link', '--yes']);
    expect(again.stderr).to.equal('nothing to import\n');
    const undone = await home.run(['import', '--undo', '--yes']);
    expect(undone.code, undone.stderr).to.equal(0);
    expect(home.clientFiles()).to.deep.equal(before);
    expect(home.ownFiles()).to.deep.equal(['imports/record.json']);
  });

  it('names unlink as the way back if it has only linked', async () => {
    const home = makeClientHome({ '.cursor/mcp.json': '{"mcpServers":{}}' });
    const { code, stderr } = await home.run(['import', '--link', '--yes']);
    expect(code, stderr).to.equal(0);
    expect(stderr).to.include('linked 1; take it back with: pegboard unlink\n');
    expect(stderr).not.to.include('--undo');
  });

  it('leaves comments and order of the edited files as they were', async () => {
    const home = makeClientHome(ALL);
    await home.run(['import', '--link', '--yes', 'cursor', 'codex', 'continue', 'claude-desktop']);
    expect(home.read('.cursor/mcp.json')).to.equal(`{
    // my servers
    "mcpServers": {
        "pegboard": {
            "url": "${URL}"
        },
    },
}
`);
    expect(home.read('.codex/config.toml')).to.equal(`model = "x" # mine

# keep me
[profiles.fast]
model = "y"

[mcp_servers.pegboard]
url = "${URL}"
`);
    expect(home.read('.continue/config.yaml')).to.equal(`name: mine
mcpServers:
  - name: pegboard
    type: streamable-http
    url: ${URL}
`);
    const desktop = JSON.parse(home.read('.config/Claude/claude_desktop_config.json')) as unknown;
    const args = ['agent', '--mcp-server', '--endpoint', URL];
    expect(desktop).to.deep.equal({ mcpServers: { pegboard: { command: 'pegboard', args } } });
    expect(home.read('.config/goose/config.yaml')).to.equal(GOOSE);
  });

  it('names a bad file with line and column, and imports the others', async () => {
    const home = makeClientHome({
      '.cursor/mcp.json': '{\n  "mcpServers": { "a": }\n}',
      '.codex/config.toml': 'a = 1\nb == 2\n',
      '.continue/config.yaml': 'a: [1\nb: 2\n',
      '.lmstudio/mcp.json': ALL['.lmstudio/mcp.json'],
    });
    const { code, stderr } = await home.run(['import', '--yes', '--link']);
    expect(code).to.equal(1);
    expect(stderr).to.include(`${home.at('.cursor/mcp.json')}:2:24: value expected`);
    expect(stderr).to.include(`${home.at('.codex/config.toml')}:2:4: `);
    expect(stderr).to.match(/\.continue\/config\.yaml:2:\d+: /);
    expect(home.ownFiles()).to.include('mcpservers/lm.yaml');
    expect(home.read('.lmstudio/mcp.json')).to.include('pegboard');
  });

  it('gives servers of one name a suffix, and keeps existing definitions', async () => {
    const home = makeClientHome({
      '.cursor/mcp.json': '{"mcpServers":{"my files!":{"command":"one"},"x":{"command":"x"}}}',
      '.lmstudio/mcp.json': '{"mcpServers":{"my files!":{"command":"two"}}}',
      '.config/pegboard/mcpservers/X.yaml': 'type: stdio\ncommand: other\n',
    });
    await home.run(['import', '--yes']);
    expect(definition(home, 'my-files')['command']).to.deep.equal(['one']);
    expect(definition(home, 'my-files-2')['command']).to.deep.equal(['two']);
    expect(definition(home, 'x-2')['command']).to.deep.equal(['x']);
    expect(home.read('.config/pegboard/mcpservers/X.yaml')).to.equal('type: stdio\ncommand: other\n');
  });

  it('gives no server a name with which its tools could not be told from another’s', async () => {
    const home = makeClientHome({
      '.cursor/mcp.json':
        '{"mcpServers":{"play":{"command":"p"},"play_ui":{"command":"pu"},"git":{"command":"g"}}}',
      '.config/pegboard/mcpservers/git_hub.yaml': 'type: stdio\ncommand: other\n',
      '.config/pegboard/mcpservers/named.yaml': 'type: stdio\ncommand: n\ntoolPrefix: play-ui\n',
    });
    const { stderr } = await home.run(['import', '--yes']);
    expect(definition(home, 'play')['command']).to.deep.equal(['p']);
    expect(definition(home, 'play-ui-2')['command']).to.deep.equal(['pu']);
    expect(definition(home, 'git-2')['command']).to.deep.equal(['g']);
    const told = 'because its tools could not be told from those of';
    expect(stderr).to.include(`play-ui-2: not named play_ui, ${told} play\n`);
    expect(stderr).to.include(`git-2: not named git, ${told} git_hub\n`);
    const check = await home.run(['check']);
    expect(check.stdout + check.stderr).not.to.include('may hide');
  });

  it('imports a server again only if it has changed', async () => {
    const home = makeClientHome({ '.cursor/mcp.json': CURSOR });
    await home.run(['import', '--yes']);
    const own = home.ownFiles();
    const { stdout, stderr } = await home.run(['import', '--yes']);
    expect(stdout).to.include('github (already there)');
    expect(stderr).to.equal('nothing to import\n');
    expect(home.ownFiles()).to.deep.equal(own);
  });

  it('reads projects and any file, and runs relative commands in their folder', async () => {
    const home = makeClientHome({
      'project/.mcp.json':
        '{"mcpServers":{"here":{"command":"node","args":["./dist/index.js","${HOME}/x"]}}}',
      'elsewhere/servers.json': '{"servers":{"there":{"command":"there","cwd":"/srv/it\'s"}}}',
    });
    const local = { command: 'node', args: ['./local.js'] };
    const claude = { projects: { [home.at('project')]: { mcpServers: { local } } } };
    home.write('.claude.json', JSON.stringify(claude));
    const { code, stderr } = await home.run([
      'import',
      '--yes',
      '--project',
      'claude-code',
      '../elsewhere/servers.json',
    ]);
    expect(code, stderr).to.equal(0);
    const project = home.at('project');
    const here = { command: ['node', './dist/index.js', `${home.path}/x`], cwd: project };
    expect(definition(home, 'here')).to.deep.include(here);
    expect(definition(home, 'there')).to.deep.include({ command: ['there'], cwd: "/srv/it's" });
    expect(definition(home, 'local')).to.deep.include({ command: ['node', './local.js'], cwd: project });
  });

  it('runs a command of a project in its folder, unless it fetches what it runs', async () => {
    const servers = {
      dot: { command: 'files-mcp', args: ['.'] },
      script: { command: 'node', args: ['server.js'] },
      flag: { command: 'flag-mcp', args: ['--root=../x'] },
      plain: { command: 'plain-mcp', args: ['-v', 'other.js'] },
      script2: { command: 'npm', args: ['run', 'mcp'] },
      fetched: { command: 'npx', args: ['-y', 'fetched-mcp'] },
      fetching: { command: 'npx', args: ['-y', 'fetched-mcp', './data'] },
    };
    const home = makeClientHome({
      'project/.mcp.json': JSON.stringify({ mcpServers: servers }),
      'project/server.js': '',
    });
    await home.run(['import', '--yes', '--project']);
    for (const [name, { command, args }] of Object.entries(servers)) {
      const written = definition(home, name);
      expect(written['command']).to.deep.equal([command, ...args]);
      expect(written['cwd'], name).to.equal(name === 'fetched' ? undefined : home.at('project'));
    }
  });

  it('reads the servers of every project of Claude Code, and runs each in its folder', async () => {
    const home = makeClientHome({
      'shop/server.js': '',
      'blog/server.js': '',
      'project/server.js': '',
    });
    const api = { type: 'stdio', command: 'node', args: ['server.js'], env: {} };
    const shared = { type: 'http', url: 'https://x.example.com/mcp' };
    const projects = {
      [home.at('shop')]: { allowedTools: [], mcpServers: { api, shared } },
      [home.at('blog')]: { mcpServers: { api, shared } },
      [home.at('gone')]: { mcpServers: { lost: api } },
      [home.at('project')]: { mcpServers: { api } },
      [home.at('none')]: { history: [] },
    };
    const claude = `${JSON.stringify({ numStartups: 3, projects, tips: {} }, undefined, 2)}\n`;
    home.write('.claude.json', claude);
    const { code, stdout, stderr } = await home.run(['import', '--link', '--yes']);
    expect(code, stderr).to.equal(0);
    const definitions = home.ownFiles().filter((name) => name.startsWith('mcpservers/'));
    expect(definitions).to.deep.equal(
      ['api-2', 'api-3', 'api', 'shared'].map((name) => `mcpservers/${name}.yaml`),
    );
    for (const [name, folder] of Object.entries({ api: 'project', 'api-2': 'shop', 'api-3': 'blog' }))
      expect(definition(home, name)).to.deep.include({
        command: ['node', 'server.js'],
        cwd: home.at(folder),
      });
    expect(stdout).to.match(/lost +- +left out: its project folder .*\/gone is gone/);
    expect(stdout).to.include(`Claude Code (${home.at('blog')})`);
    expect(JSON.parse(home.read('.claude.json'))).to.deep.equal({
      numStartups: 3,
      projects: {
        ...projects,
        [home.at('shop')]: { allowedTools: [], mcpServers: {} },
        [home.at('blog')]: { mcpServers: {} },
        [home.at('project')]: { mcpServers: {} },
      },
      tips: {},
      mcpServers: { pegboard: { type: 'http', url: URL } },
    });
    await home.run(['unlink', '--yes']);
    expect(home.read('.claude.json')).to.equal(claude);
    await home.run(['link', '--yes']);
    home.write('.claude.json', home.read('.claude.json').replace('"numStartups": 3', '"numStartups": 4'));
    await home.run(['unlink', '--yes']);
    expect(JSON.parse(home.read('.claude.json'))).to.deep.include({ numStartups: 4, projects });
  });

  it('keeps the limits on tools, and says so if clients limit one server differently', async () => {
    const home = makeClientHome({
      '.gemini/settings.json':
        '{"mcpServers":{"g":{"httpUrl":"https://g.example.com/mcp","includeTools":["a","b"],"excludeTools":["b"]}}}',
      '.codex/config.toml': '[mcp_servers.x]\ncommand = "x"\nenabled_tools = ["a"]\ndisabled_tools = ["b"]\n',
      '.codeium/windsurf/mcp_config.json': '{"mcpServers":{"w":{"command":"w","disabledTools":["b"]}}}',
      '.config/goose/config.yaml':
        'extensions:\n  o: {type: stdio, cmd: o, available_tools: [a]}\n  p: {type: stdio, cmd: p, available_tools: []}\n',
      '.lmstudio/mcp.json': '{"mcpServers":{"w":{"command":"w"}}}',
    });
    const { code, stderr } = await home.run(['import', '--yes']);
    expect(code, stderr).to.equal(0);
    expect(definition(home, 'g')).to.deep.include({ includeTools: ['a', 'b'], excludeTools: ['b'] });
    expect(definition(home, 'x')).to.deep.include({ includeTools: ['a'], excludeTools: ['b'] });
    expect(definition(home, 'w')).to.deep.include({ excludeTools: ['b'] });
    expect(definition(home, 'o')).to.deep.include({ includeTools: ['a'] });
    expect(definition(home, 'p')).not.to.have.property('includeTools');
    expect(stderr).to.include('w: LM Studio offers other tools of it: look at includeTools and excludeTools');
    expect((await home.runProgram(['check'])).code).to.equal(0);
  });

  it('reads every file that opencode reads', async () => {
    const file = (name: string): string => `{"mcp":{"${name}":{"type":"local","command":["${name}"]}}}`;
    const home = makeClientHome({
      '.config/opencode/opencode.json': file('a'),
      '.config/opencode/opencode.jsonc': file('b'),
      '.config/opencode/config.json': file('c'),
      'project/opencode.json': file('d'),
      'project/opencode.jsonc': file('e'),
      'project/.opencode/opencode.json': file('f'),
      'project/.opencode/opencode.jsonc': file('g'),
    });
    const { stdout, stderr } = await home.run(['import', '--link', '--yes', '--project', '-o', 'name']);
    expect(stdout.split('\n').filter(Boolean).sort(), stderr).to.deep.equal([
      'a',
      'b',
      'c',
      'd',
      'e',
      'f',
      'g',
    ]);
    const linked = Object.keys(home.clientFiles()).filter((name) => home.read(name).includes('pegboard'));
    expect(linked).to.deep.equal(['.config/opencode/opencode.json']);
  });

  it('writes nothing with --dry-run, and nothing without a terminal or --yes', async () => {
    const home = makeClientHome(ALL);
    const dry = await home.run(['import', '--link', '--dry-run']);
    expect(dry.code).to.equal(0);
    expect(dry.stdout).to.include(`+++ ${home.at('.config/pegboard/mcpservers/github.yaml')}`);
    expect(dry.stdout).to.include(
      `edit ${home.at('.codex/config.toml')}\n- mcp_servers.github\n+ mcp_servers.pegboard`,
    );
    expect(home.ownFiles()).to.deep.equal([]);
    const asked = await home.run(['import']);
    expect(asked.code).to.equal(1);
    expect(asked.stderr).to.include('add --yes to write');
    expect(home.ownFiles()).to.deep.equal([]);
  });

  it('prints what it found as JSON', async () => {
    const home = makeClientHome({ '.cursor/mcp.json': CURSOR });
    const { stdout } = await home.run(['import', '--dry-run', '-o', 'json', '--link']);
    const { servers, links } = JSON.parse(stdout) as Record<string, unknown[]>;
    expect(servers?.[0]).to.deep.equal({
      name: 'github',
      type: 'stdio',
      isPresent: false,
      found: [
        {
          client: 'cursor',
          scope: 'user',
          path: home.at('.cursor/mcp.json'),
          name: 'github',
          leftBehind: [],
        },
      ],
      notes: [],
    });
    expect(links).to.deep.equal([
      { client: 'cursor', path: home.at('.cursor/mcp.json'), removed: ['github', 'remote'] },
    ]);
  });

  it('asks on a terminal, and leaves a file alone that has changed since', async () => {
    const home = makeClientHome({
      '.cursor/mcp.json': CURSOR,
      '.lmstudio/mcp.json': ALL['.lmstudio/mcp.json'],
    });
    const no = await asking(home, ['n']);
    expect(no.code).to.equal(1);
    expect(no.err).to.include('Write 3 definitions and edit 2 files of clients? [y/N] nothing was written');
    const yes = await asking(home, ['y'], () => home.write('.cursor/mcp.json', '{"mcpServers":{}}'));
    expect(yes.code).to.equal(1);
    expect(yes.err).to.include(`${home.at('.cursor/mcp.json')} has changed since it was read`);
    expect(home.read('.cursor/mcp.json')).to.equal('{"mcpServers":{}}');
    expect(home.read('.lmstudio/mcp.json')).to.include('pegboard');
    expect(Object.keys(home.clientFiles()).filter((name) => name.includes('backup'))).to.deep.equal([
      '.lmstudio/mcp.json.pegboard-backup',
    ]);
  });

  it('lets one import run at a time, and takes over the lock of a dead one', async () => {
    const home = makeClientHome({ '.cursor/mcp.json': CURSOR });
    home.write('.config/pegboard/imports/lock', String(process.pid));
    const second = await home.run(['import', '--yes']);
    expect(second.code).to.equal(1);
    expect(second.stderr).to.include(`another import is running (process ${process.pid})`);
    home.write('.config/pegboard/imports/lock', '2147483646');
    expect((await home.run(['import', '--yes'])).code).to.equal(0);
  });

  it('keeps definitions that were changed since when it is undone', async () => {
    const home = makeClientHome({ '.cursor/mcp.json': CURSOR });
    await home.run(['import', '--yes']);
    home.write('.config/pegboard/mcpservers/github.yaml', 'type: stdio\ncommand: mine\n');
    const asked = await home.run(['import', '--undo']);
    expect([asked.code, asked.stderr]).to.deep.equal([
      1,
      ['github', 'remote']
        .map((name) => `remove ${home.at(`.config/pegboard/mcpservers/${name}.yaml`)}\n`)
        .join('') +
        'pegboard: standard input is not a terminal to ask on; add --yes to write, or --dry-run to look\n',
    ]);
    const { code, stderr } = await home.run(['import', '--undo', '--yes']);
    expect(code).to.equal(0);
    expect(stderr).to.include('github.yaml has been changed, so it is left as it is');
    expect(home.ownFiles()).to.deep.equal([
      'imports/record.json',
      'mcpservers/github.yaml',
      'secrets/github.GITHUB_TOKEN',
    ]);
    const none = await home.run(['import', '--undo', '--yes']);
    expect([none.code, none.stderr]).to.deep.equal([
      1,
      `pegboard: nothing to undo: no import is recorded in ${home.at('.config/pegboard')}\n`,
    ]);
  });

  it('imports a server again whose definition was deleted, with a new secret', async () => {
    const home = makeClientHome({ '.cursor/mcp.json': CURSOR });
    await home.run(['import', '--yes']);
    rmSync(home.at('.config/pegboard/mcpservers/github.yaml'));
    home.write('.cursor/mcp.json', CURSOR.replace(TOKEN, 'ghp_another'));
    const { code, stderr } = await home.run(['import', '--yes']);
    expect(code, stderr).to.equal(0);
    expect(definition(home, 'github')['env']).to.deep.equal({
      GITHUB_TOKEN: '${file:secrets/github.GITHUB_TOKEN-2}',
    });
    await home.run(['import', '--undo', '--yes']);
    await home.run(['import', '--undo', '--yes']);
    expect(home.ownFiles()).to.deep.equal(['imports/record.json']);
  });

  it('puts the secret of a URL into a file, and imports it only once', async () => {
    const url = 'https://x.example.com/mcp?team=a&api_key=s3cretvalue';
    const home = makeClientHome({ '.cursor/mcp.json': JSON.stringify({ mcpServers: { x: { url } } }) });
    const { stdout } = await home.run(['import', '--yes']);
    expect(stdout).not.to.include('s3cret');
    const hidden = url.replace('s3cretvalue', '${file:secrets/x.parameter_api_key}');
    expect(definition(home, 'x')['url']).to.equal(hidden);
    expect(home.read('.config/pegboard/secrets/x.parameter_api_key')).to.equal('s3cretvalue\n');
    expect((await home.run(['import', '--yes'])).stderr).to.equal('nothing to import\n');
  });

  it('says what is wrong without HOME, in a folder that cannot be written, and with an unknown client', async () => {
    const home = makeClientHome({ '.cursor/mcp.json': CURSOR });
    const lost = await home.run(['import', '--dry-run', '--config-path', home.path], { HOME: '' });
    expect([lost.code, lost.stderr]).to.deep.equal([
      1,
      'pegboard: HOME is not set, so the files of clients cannot be found; set it, or name a file\n',
    ]);
    const fixed = await home.run(['import', '--yes', '--config-path', home.at('.cursor/mcp.json')]);
    expect(fixed.code).to.equal(1);
    expect(fixed.stderr).to.match(/mcp\.json\/imports cannot be written: .*--config-path\n$/);
    const unknown = await home.run(['import', 'curser']);
    expect(unknown.stderr).to.include('curser is not a known client; did you mean cursor?');
  });

  it('keeps the mode of a client’s file, and a link as a link', async () => {
    const home = makeClientHome({ 'dotfiles/mcp.json': CURSOR });
    chmodSync(home.at('dotfiles/mcp.json'), 0o640);
    mkdirSync(home.at('.cursor'));
    symlinkSync(home.at('dotfiles/mcp.json'), home.at('.cursor/mcp.json'));
    await home.run(['import', '--link', '--yes']);
    expect(lstatSync(home.at('.cursor/mcp.json')).isSymbolicLink()).to.equal(true);
    expect(home.read('dotfiles/mcp.json')).to.include('pegboard');
    expect(statSync(home.at('dotfiles/mcp.json')).mode & 0o777).to.equal(0o640);
  });

  it('leaves out what is not valid UTF-8 instead of damaging it', async () => {
    const home = makeClientHome({ '.cursor/mcp.json': '' });
    writeFileSync(
      home.at('.cursor/mcp.json'),
      Buffer.from('{"mcpServers":{"a":{"command":"\xe4"}}}', 'latin1'),
    );
    const { code, stderr } = await home.run(['import', '--link', '--yes']);
    expect([code, stderr.split('\n', 1)[0]]).to.deep.equal([
      1,
      `pegboard: ${home.at('.cursor/mcp.json')} is not valid UTF-8`,
    ]);
  });
});

function definition(home: ClientHome, name: string): Record<string, unknown> {
  return parse(home.read(`.config/pegboard/mcpservers/${name}.yaml`)) as Record<string, unknown>;
}

/** Runs the verb on a terminal that answers the question with a line. @param meanwhile runs when the question is asked */
async function asking(
  home: ClientHome,
  [answer = '']: readonly string[],
  meanwhile: () => void = () => undefined,
): Promise<{ readonly code: number | undefined; readonly err: string }> {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  let err = '';
  const terminal: Terminal = {
    input,
    isTerminal: true,
    hasColour: false,
    columns: 80,
    out: () => undefined,
    err: (text) => {
      err += text;
      if (!text.endsWith('[y/N] ')) return;
      meanwhile();
      input.write(`${answer}\n`);
    },
  };
  const code = await importVerb.run?.({
    args: ['cursor', 'lm-studio'],
    options: { output: 'table', headers: true, timeout: '300', link: true },
    directory: home.at('.config/pegboard'),
    env: { HOME: home.path },
    cancel: new Cancellation(),
    terminal,
    commands: () => Promise.resolve([]),
    plugins: () => Promise.resolve({ on: [], off: [], issues: [] }),
    check: () => Promise.resolve({ issues: [], definitions: [] }),
  });
  return { code, err };
}
