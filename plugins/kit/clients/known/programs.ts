import { join, resolve } from 'node:path';
import { BRIDGE, EACH_PROJECT, HTTP, ofProject, ofUser, readOnly, URL_ONLY, mcpAdd } from './kind.ts';
import type { ClientKind } from './kind.ts';

/** The programs of those who make models, and opencode. */
export const PROGRAMS: readonly ClientKind[] = [
  {
    // https://code.claude.com/docs/en/mcp
    name: 'claude-code',
    label: 'Claude Code',
    words: ['claude', 'claude-cli'],
    at: ['mcpServers'],
    spell: HTTP,
    line: mcpAdd('claude'),
    files: ({ home, cwd, env }) => {
      const own = ofUser(env['CLAUDE_CONFIG_DIR'] ?? home, '.claude.json');
      return [
        own,
        { ...own, scope: 'project', at: ['projects', EACH_PROJECT, 'mcpServers'] },
        ofProject(cwd, '.mcp.json'),
      ];
    },
  },
  {
    // https://modelcontextprotocol.io/docs/develop/connect-local-servers
    name: 'claude-desktop',
    label: 'Claude Desktop',
    words: ['claude'],
    at: ['mcpServers'],
    ...BRIDGE,
    files: ({ settings }) => [ofUser(settings, 'Claude/claude_desktop_config.json')],
  },
  {
    // https://developers.openai.com/codex/mcp
    name: 'codex',
    label: 'Codex',
    words: ['codex-cli', 'openai-codex'],
    at: ['mcp_servers'],
    spell: URL_ONLY,
    carry: (headers) => ({ http_headers: headers }),
    line: (url) => ['codex', 'mcp', 'add', 'pegboard', '--url', url],
    files: ({ home, cwd, env }) => [
      ofUser(env['CODEX_HOME'] ?? join(home, '.codex'), 'config.toml'),
      ofProject(cwd, '.codex/config.toml'),
    ],
  },
  {
    // https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md, docs/extensions
    name: 'gemini',
    label: 'Gemini CLI',
    words: ['gemini-cli'],
    at: ['mcpServers'],
    spell: (url) => ({ httpUrl: url }),
    line: mcpAdd('gemini'),
    note: 'Gemini CLI disables MCP servers in folders that it does not trust; it asks for trust when you start gemini there',
    files: ({ home, cwd }) => [
      ofUser(home, '.gemini/settings.json'),
      ofProject(cwd, '.gemini/settings.json'),
      readOnly(ofUser(home, '.gemini/extensions/*/gemini-extension.json')),
    ],
  },
  {
    // https://qwenlm.github.io/qwen-code-docs/en/users/features/mcp
    name: 'qwen',
    label: 'Qwen Code',
    words: ['qwen-code'],
    at: ['mcpServers'],
    // It hides the tools of other servers from the model until the model searches for them.
    spell: (url) => ({ httpUrl: url, alwaysLoadTools: true }),
    files: ({ home, cwd, env }) => [
      ofUser(resolve(cwd, env['QWEN_HOME'] ?? join(home, '.qwen'), 'settings.json')),
      ofProject(cwd, '.qwen/settings.json'),
    ],
  },
  {
    // https://docs.github.com/en/copilot/how-tos/copilot-cli
    name: 'copilot',
    label: 'Copilot CLI',
    words: ['copilot-cli', 'github-copilot'],
    at: ['mcpServers'],
    // It may hide the tools of other servers likewise; its own line cannot say so.
    spell: (url) => ({ type: 'http', url, deferTools: 'never' }),
    files: ({ home, cwd, env }) => [
      ofUser(env['COPILOT_HOME'] ?? join(home, '.copilot'), 'mcp-config.json'),
      ofProject(cwd, '.mcp.json'),
      ofProject(cwd, '.github/mcp.json'),
    ],
  },
  {
    // https://opencode.ai/docs/config; it reads all of them
    name: 'opencode',
    label: 'opencode',
    at: ['mcp'],
    spell: (url) => ({ type: 'remote', url, enabled: true }),
    files: ({ config, cwd }) => [
      ...['opencode.json', 'opencode.jsonc', 'config.json'].map((name) => ofUser(config, 'opencode', name)),
      ...['opencode.json', 'opencode.jsonc', '.opencode/opencode.json', '.opencode/opencode.jsonc'].map(
        (name) => ofProject(cwd, name),
      ),
    ],
  },
];
