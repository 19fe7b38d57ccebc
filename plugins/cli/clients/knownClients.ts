import { join, resolve } from 'node:path';
import type { Env, JsonObject } from 'pegboard';

export type Headers = Readonly<Record<string, string>>;
export type PlaceScope = 'user' | 'project' | 'file';
/** How a client spells a gateway at this URL. */
export type Spell = (url: string) => JsonObject;
/** How a client spells headers, beside that; empty for one that starts a process. */
export type Carry = (headers: Headers) => JsonObject;

/** Matches every key of its table; the keys are folders of projects. */
export const EACH_PROJECT = '*';

interface Base {
  readonly home: string;
  /** Where programs keep their settings: ~/.config or ~/Library/Application Support. */
  readonly settings: string;
  readonly config: string;
  readonly cwd: string;
  readonly env: Env;
}
export interface ClientKind {
  readonly name: string;
  readonly label: string;
  readonly at: readonly string[];
  readonly spell: Spell;
  /** Default: `headers`. */
  readonly carry?: Carry;
  readonly note?: string;
  /** Files of each scope; without keys, those of the client count. */
  readonly files: (
    base: Base,
  ) => readonly (readonly [scope: PlaceScope, path: string, at?: readonly string[]])[];
}

export const HTTP: Spell = (url) => ({ type: 'http', url });
const URL_ONLY: Spell = (url) => ({ url });
const CLINE: Spell = (url) => ({ type: 'streamableHttp', url, disabled: false });
export const HEADERS: Carry = (headers) => ({ headers });

/** Where clients keep their servers, and how they spell one. */
export const CLIENTS: readonly ClientKind[] = [
  {
    name: 'claude-code',
    label: 'Claude Code',
    at: ['mcpServers'],
    spell: HTTP,
    files: ({ home, cwd, env }) => {
      const own = join(env['CLAUDE_CONFIG_DIR'] ?? home, '.claude.json');
      return [
        ['user', own],
        ['project', own, ['projects', EACH_PROJECT, 'mcpServers']],
        ['project', join(cwd, '.mcp.json')],
      ];
    },
  },
  {
    name: 'claude-desktop',
    label: 'Claude Desktop',
    at: ['mcpServers'],
    // It starts processes only.
    spell: (url) => ({ command: 'pegboard', args: ['agent', '--mcp-server', '--endpoint', url] }),
    carry: () => ({}),
    files: ({ settings }) => [['user', join(settings, 'Claude/claude_desktop_config.json')]],
  },
  {
    name: 'codex',
    label: 'Codex',
    at: ['mcp_servers'],
    spell: URL_ONLY,
    carry: (headers) => ({ http_headers: headers }),
    files: ({ home, cwd, env }) => [
      ['user', join(env['CODEX_HOME'] ?? join(home, '.codex'), 'config.toml')],
      ['project', join(cwd, '.codex/config.toml')],
    ],
  },
  {
    name: 'gemini',
    label: 'Gemini CLI',
    at: ['mcpServers'],
    spell: (url) => ({ httpUrl: url }),
    note: 'Gemini CLI disables MCP servers in folders that it does not trust; it asks for trust when you start gemini there',
    files: ({ home, cwd }) => [
      ['user', join(home, '.gemini/settings.json')],
      ['project', join(cwd, '.gemini/settings.json')],
    ],
  },
  {
    name: 'qwen',
    label: 'Qwen Code',
    at: ['mcpServers'],
    // It hides the tools of other servers from the model until the model searches for them.
    spell: (url) => ({ httpUrl: url, alwaysLoadTools: true }),
    files: ({ home, cwd, env }) => [
      ['user', resolve(cwd, env['QWEN_HOME'] ?? join(home, '.qwen'), 'settings.json')],
      ['project', join(cwd, '.qwen/settings.json')],
    ],
  },
  {
    name: 'copilot',
    label: 'Copilot CLI',
    at: ['mcpServers'],
    // It may hide the tools of other servers likewise.
    spell: (url) => ({ type: 'http', url, deferTools: 'never' }),
    files: ({ home, cwd, env }) => [
      ['user', join(env['COPILOT_HOME'] ?? join(home, '.copilot'), 'mcp-config.json')],
      ['project', join(cwd, '.mcp.json')],
      ['project', join(cwd, '.github/mcp.json')],
    ],
  },
  {
    name: 'vscode',
    label: 'VS Code',
    at: ['servers'],
    spell: HTTP,
    files: ({ settings, cwd }) => [
      ['user', join(settings, 'Code/User/mcp.json')],
      ['project', join(cwd, '.vscode/mcp.json')],
    ],
  },
  {
    name: 'cursor',
    label: 'Cursor',
    at: ['mcpServers'],
    spell: URL_ONLY,
    files: ({ home, cwd }) => [
      ['user', join(home, '.cursor/mcp.json')],
      ['project', join(cwd, '.cursor/mcp.json')],
    ],
  },
  {
    name: 'windsurf',
    label: 'Windsurf',
    at: ['mcpServers'],
    spell: (url) => ({ serverUrl: url }),
    files: ({ home }) => [['user', join(home, '.codeium/windsurf/mcp_config.json')]],
  },
  {
    name: 'opencode',
    label: 'opencode',
    at: ['mcp'],
    spell: (url) => ({ type: 'remote', url, enabled: true }),
    files: ({ config, cwd }) => [
      // It reads all of them.
      ...['opencode.json', 'opencode.jsonc', 'config.json'].map(
        (name) => ['user', join(config, 'opencode', name)] as const,
      ),
      ...['opencode.json', 'opencode.jsonc', '.opencode/opencode.json', '.opencode/opencode.jsonc'].map(
        (name) => ['project', join(cwd, name)] as const,
      ),
    ],
  },
  {
    name: 'zed',
    label: 'Zed',
    at: ['context_servers'],
    spell: URL_ONLY,
    files: ({ config, cwd }) => [
      ['user', join(config, 'zed/settings.json')],
      ['project', join(cwd, '.zed/settings.json')],
    ],
  },
  {
    name: 'lm-studio',
    label: 'LM Studio',
    at: ['mcpServers'],
    spell: URL_ONLY,
    files: ({ home }) => [['user', join(home, '.lmstudio/mcp.json')]],
  },
  {
    name: 'cline',
    label: 'Cline',
    at: ['mcpServers'],
    spell: CLINE,
    files: ({ settings }) => [
      [
        'user',
        join(settings, 'Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json'),
      ],
    ],
  },
  {
    name: 'cline-cli',
    label: 'Cline CLI',
    at: ['mcpServers'],
    spell: CLINE,
    files: ({ home, env }) => {
      const data = env['CLINE_DATA_DIR'] ?? join(env['CLINE_DIR'] ?? join(home, '.cline'), 'data');
      return [['user', env['CLINE_MCP_SETTINGS_PATH'] ?? join(data, 'settings/cline_mcp_settings.json')]];
    },
  },
  {
    name: 'goose',
    label: 'Goose',
    at: ['extensions'],
    spell: (uri) => ({
      type: 'streamable_http',
      name: 'pegboard',
      description: 'All MCP servers behind Pegboard',
      uri,
      enabled: true,
      timeout: 300,
    }),
    files: ({ config }) => [['user', join(config, 'goose/config.yaml')]],
  },
  {
    name: 'continue',
    label: 'Continue',
    at: ['mcpServers'],
    spell: (url) => ({ name: 'pegboard', type: 'streamable-http', url }),
    carry: (headers) => ({ requestOptions: { headers } }),
    files: ({ home, env }) => [
      ['user', join(env['CONTINUE_GLOBAL_DIR'] ?? join(home, '.continue'), 'config.yaml')],
    ],
  },
];
