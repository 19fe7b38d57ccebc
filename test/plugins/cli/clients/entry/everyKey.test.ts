import { expect } from 'chai';
import { parse } from 'yaml';
import { makeClientHome } from '../../clientHome.ts';

/** What a key of an entry becomes: keys of its definition, left behind, or nothing that the server would notice. */
type Becomes = Readonly<Record<string, unknown>> | 'left behind' | 'nothing';
/** The keys that each client documents, beside those that say what is started or where it is. */
type Keys = readonly (readonly [key: string, value: unknown, becomes: Becomes])[];

const OAUTH = { auth: { type: 'oauth' } };
const PROCESSES: Readonly<Record<string, Keys>> = {
  // https://code.claude.com/docs/en/mcp
  'claude-code': [
    ['type', 'stdio', 'nothing'],
    ['args', ['-v'], { command: ['p-mcp1', '-v'] }],
    ['env', { MODE: 'x' }, { env: { MODE: 'x' } }],
    ['timeout', 600_000, { callTimeout: 600 }],
  ],
  // https://developers.openai.com/codex/mcp
  codex: [
    ['cwd', '/srv', { cwd: '/srv' }],
    ['env_vars', ['REGION'], { env: { REGION: '${env:REGION}' } }],
    ['startup_timeout_sec', 20, { timeout: 20 }],
    ['startup_timeout_ms', 20_000, { timeout: 20 }],
    ['tool_timeout_sec', 90, { callTimeout: 90 }],
    ['enabled', false, { suspended: true }],
    ['enabled_tools', ['a'], { includeTools: ['a'] }],
    ['disabled_tools', ['b'], { excludeTools: ['b'] }],
    ['required', true, 'left behind'],
    ['default_tools_approval_mode', 'approve', 'left behind'],
    ['supports_parallel_tool_calls', true, 'left behind'],
    ['tools', { a: { approval_mode: 'approve' } }, 'left behind'],
  ],
  // https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md
  gemini: [
    ['timeout', 30_000, { callTimeout: 30 }],
    ['trust', true, 'left behind'],
    ['includeTools', ['a'], { includeTools: ['a'] }],
    ['excludeTools', ['b'], { excludeTools: ['b'] }],
    ['description', 'what', { description: 'what' }],
    ['authProviderType', 'google_credentials', 'left behind'],
  ],
  // https://code.visualstudio.com/docs/reference/mcp-configuration
  vscode: [
    ['envFile', '/none/.env', 'left behind'],
    ['dev', { watch: 'build/**' }, 'left behind'],
    ['sandboxEnabled', true, 'left behind'],
    ['gallery', true, 'nothing'],
    ['version', '1.0.0', 'nothing'],
  ],
  // https://opencode.ai/docs/mcp-servers
  opencode: [
    ['environment', { A: 'b' }, { env: { A: 'b' } }],
    ['enabled', false, { suspended: true }],
    ['timeout', 20_000, { timeout: 20 }],
  ],
  // https://kiro.dev/docs/mcp/configuration
  kiro: [
    ['disabled', true, { suspended: true }],
    ['autoApprove', ['a'], 'left behind'],
    ['disabledTools', ['b'], { excludeTools: ['b'] }],
    ['timeout', 120_000, { callTimeout: 120 }],
  ],
  // https://docs.roocode.com/features/mcp/using-mcp-in-roo
  roo: [
    ['alwaysAllow', ['a'], 'left behind'],
    ['watchPaths', ['/x'], 'left behind'],
    ['timeout', 60, { callTimeout: 60 }],
  ],
  // https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers
  copilot: [
    ['tools', ['a'], { includeTools: ['a'] }],
    ['deferTools', 'never', 'left behind'],
  ],
  // https://block.github.io/goose/docs/getting-started/using-extensions
  goose: [
    ['envs', { A: 'b' }, { env: { A: 'b' } }],
    ['env_keys', ['REGION'], { env: { REGION: '${env:REGION}' } }],
    ['available_tools', ['a'], { includeTools: ['a'] }],
    ['bundled', true, 'nothing'],
    ['timeout', 300, { callTimeout: 300 }],
  ],
  // https://github.com/samanhappy/mcphub
  mcphub: [
    ['tools', { a: { enabled: false }, b: { enabled: true } }, { excludeTools: ['a'] }],
    ['options', { timeout: 60_000, resetTimeoutOnProgress: true }, 'left behind'],
    ['keepAliveInterval', 60_000, 'left behind'],
    ['owner', 'admin', 'left behind'],
  ],
  // https://github.com/TBXark/mcp-proxy
  tbxark: [
    ['options', { toolFilter: { mode: 'allow', list: ['a'] } }, { includeTools: ['a'] }],
    ['options', { panicIfInvalid: true }, 'left behind'],
  ],
  // https://github.com/1mcp-app/agent
  '1mcp': [
    ['tags', ['web'], 'nothing'],
    ['restartOnExit', true, 'left behind'],
    ['connectionTimeout', 15_000, { timeout: 15 }],
    ['requestTimeout', 45_000, { callTimeout: 45 }],
    ['inheritParentEnv', true, 'left behind'],
  ],
  // https://github.com/CherryHQ/cherry-studio
  'cherry-studio': [
    ['isActive', false, { suspended: true }],
    ['longRunning', true, 'left behind'],
    ['registryUrl', 'https://registry.example.com', 'nothing'],
    ['disabledTools', ['b'], { excludeTools: ['b'] }],
  ],
  // https://zed.dev/docs/ai/mcp
  zed: [
    ['source', 'custom', 'nothing'],
    ['settings', { level: 2 }, 'left behind'],
  ],
};
const REMOTES: Readonly<Record<string, Keys>> = {
  'claude-code': [
    ['type', 'http', 'nothing'],
    ['type', 'streamable-http', { type: 'streamable-http' }],
    ['type', 'sse', { type: 'sse' }],
    ['headers', { 'X-A': 'b' }, { headers: { 'X-A': 'b' } }],
    ['headersHelper', '/opt/headers.sh', 'left behind'],
    ['oauth', { clientId: 'c', callbackPort: 8080 }, 'left behind'],
    ['oauth', { enabled: true }, OAUTH],
  ],
  codex: [
    ['bearer_token_env_var', 'TOKEN', { headers: { Authorization: 'Bearer ${env:TOKEN}' } }],
    ['http_headers', { 'X-A': 'b' }, { headers: { 'X-A': 'b' } }],
    ['env_http_headers', { 'X-A': 'NAME' }, { headers: { 'X-A': '${env:NAME}' } }],
    ['scopes', ['read'], 'left behind'],
  ],
  gemini: [['oauth', { enabled: true, scopes: ['read'] }, 'left behind']],
  cursor: [['auth', { CLIENT_ID: 'c', scopes: ['read'] }, 'left behind']],
  jetbrains: [['requestInit', { headers: { 'X-A': 'b' } }, { headers: { 'X-A': 'b' } }]],
  continue: [
    ['requestOptions', { headers: { 'X-A': 'b' } }, { headers: { 'X-A': 'b' } }],
    ['requestOptions', { verifySsl: false }, 'left behind'],
    ['requestOptions', { proxy: 'http://p.example.com' }, 'left behind'],
    ['apiKey', '${KEY}', { headers: { Authorization: 'Bearer ${env:KEY}' } }],
  ],
  librechat: [
    ['requiresOAuth', true, OAUTH],
    ['customUserVars', { KEY: { title: 'Key' } }, 'left behind'],
    ['initTimeout', 10_000, { timeout: 10 }],
    ['chatMenu', false, 'nothing'],
    ['iconPath', '/x.svg', 'nothing'],
  ],
  fastmcp: [
    ['auth', 'oauth', OAUTH],
    ['transport', 'streamable-http', { type: 'streamable-http' }],
    ['sse_read_timeout', 300, { callTimeout: 300 }],
  ],
  openai: [
    ['allowed_tools', ['a'], { includeTools: ['a'] }],
    ['require_approval', 'never', 'left behind'],
  ],
  vscode: [['oauth', { clientId: 'c' }, 'left behind']],
};

interface Row {
  readonly key: string;
  readonly wanted: Becomes;
  readonly got: Becomes;
}

/** What importing one file with an entry for each key makes of the keys. */
async function rowsOf(
  client: string,
  keys: Keys,
  baseOf: (at: number) => Readonly<Record<string, unknown>>,
): Promise<readonly Row[]> {
  const entries = keys.map(([key, value], at) => [`s${at}`, { ...baseOf(at), [key]: value }] as const);
  const file = `${client}/a.json`;
  const home = makeClientHome({ [file]: JSON.stringify({ mcpServers: Object.fromEntries(entries) }) });
  const { stdout, stderr } = await home.run(['import', '--yes', home.at(file), '-o', 'json']);
  expect(stderr).not.to.include('left out');
  const { servers } = JSON.parse(stdout) as {
    readonly servers: readonly {
      readonly name: string;
      readonly found: readonly [{ readonly leftBehind: readonly object[] }];
    }[];
  };
  return keys.map(([key, , wanted], at) => {
    const text = home.read(`.config/pegboard/mcpservers/s${at}.yaml`);
    const definition = parse(text) as Record<string, unknown>;
    const plain = { type: 'auto', autoStart: true, ...plainOf(baseOf(at)) };
    const changed = Object.entries(definition).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify((plain as Record<string, unknown>)[name]),
    );
    const left = servers.find(({ name }) => name === `s${at}`)?.found[0].leftBehind ?? [];
    const otherwise = left.length > 0 ? 'left behind' : 'nothing';
    return {
      key,
      wanted,
      got: left.length > 0 || changed.length === 0 ? otherwise : Object.fromEntries(changed),
    };
  });
}

function plainOf({ command, url }: Readonly<Record<string, unknown>>): object {
  return url === undefined ? { type: 'stdio', command: [command] } : { url };
}

describe('every key that a client documents', () => {
  for (const [client, keys] of Object.entries(PROCESSES))
    it(`is in the definition or left behind: ${client}, what it starts`, async () => {
      for (const { key, wanted, got } of await rowsOf(client, keys, (at) => ({
        command: `p-mcp${at === 0 ? '' : at}`,
      })))
        expect({ [key]: got }).deep.equal({ [key]: wanted });
    });
  for (const [client, keys] of Object.entries(REMOTES))
    it(`is in the definition or left behind: ${client}, where it connects`, async () => {
      for (const { key, wanted, got } of await rowsOf(client, keys, (at) => ({
        url: `https://s${at}.example.com/mcp`,
      })))
        expect({ [key]: got }).deep.equal({ [key]: wanted });
    });

  it('is left behind if no one knows it, with what to do about a server that would lose it', async () => {
    const home = makeClientHome({
      '.cursor/mcp.json':
        '{ "mcpServers": { "a": { "command": "a-mcp", "quota": 3 }, "b": { "command": "b-mcp" } } }',
    });
    const { stdout, stderr } = await home.run(['import', '--link', '--yes', 'cursor']);
    expect(stdout).match(/CLIENT +SCOPE +SERVER +DEFINITION +LEFT BEHIND +WHAT\n.* a +a +quota +a-mcp\n/);
    expect(stderr)
      .include('a: quota is left behind: Pegboard does not know it\n')
      .and.include(
        `a stays in ${home.at('.cursor/mcp.json')}, because quota would be lost; to take it out nevertheless: --lossy\n`,
      );
    expect(home.read('.cursor/mcp.json')).include('a-mcp').and.not.include('b-mcp');
    await home.run(['link', '--lossy', '--yes', 'cursor']);
    expect(home.read('.cursor/mcp.json')).not.include('a-mcp');
    await home.run(['unlink', '--yes']);
    expect(home.read('.cursor/mcp.json')).include('"quota": 3');
  });
});
