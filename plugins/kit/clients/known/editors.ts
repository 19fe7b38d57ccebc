import { join } from 'node:path';
import { BRIDGE, HTTP, ofProject, ofUser, readOnly, SERVER_URL, URL_ONLY } from './kind.ts';
import type { Base, ClientKind } from './kind.ts';

/** VS Code and what is built from its source: names, and the folder of a user's settings.
 *  https://code.visualstudio.com/docs/agents/reference/mcp-configuration */
const VS_CODES: readonly (readonly [name: string, label: string, user: (base: Base) => string])[] = [
  ['vscode', 'VS Code', ({ settings }) => join(settings, 'Code/User')],
  ['vscode-insiders', 'VS Code Insiders', ({ settings }) => join(settings, 'Code - Insiders/User')],
  ['vscodium', 'VSCodium', ({ settings }) => join(settings, 'VSCodium/User')],
  ['vscode-server', 'VS Code Server', ({ home }) => join(home, '.vscode-server/data/User')],
];

/** Editors. */
export const EDITORS: readonly ClientKind[] = [
  ...VS_CODES.map(([name, label, user]): ClientKind => ({
    name,
    label,
    ...(name === 'vscode' && {
      words: ['code', 'vs-code'],
      line: (url) => ['code', '--add-mcp', JSON.stringify({ name: 'pegboard', ...HTTP(url) })],
    }),
    at: ['servers'],
    spell: HTTP,
    files: (base) => [
      ofUser(user(base), 'mcp.json'),
      ofProject(base.cwd, '.vscode/mcp.json'),
      // A profile has servers of its own; settings.json had them before mcp.json.
      readOnly(ofUser(user(base), 'profiles/*/mcp.json')),
      readOnly(ofUser(user(base), 'settings.json'), ['mcp', 'servers']),
      readOnly(ofProject(base.cwd, '.vscode/settings.json'), ['mcp', 'servers']),
    ],
  })),
  {
    // https://cursor.com/docs/context/mcp
    name: 'cursor',
    label: 'Cursor',
    at: ['mcpServers'],
    spell: URL_ONLY,
    files: ({ home, cwd }) => [ofUser(home, '.cursor/mcp.json'), ofProject(cwd, '.cursor/mcp.json')],
  },
  {
    // https://docs.windsurf.com/windsurf/cascade/mcp
    name: 'windsurf',
    label: 'Windsurf',
    at: ['mcpServers'],
    spell: SERVER_URL,
    files: ({ home }) => [ofUser(home, '.codeium/windsurf/mcp_config.json')],
  },
  {
    // https://docs.devin.ai/desktop/cascade/mcp; the name of Windsurf since June 2026
    name: 'devin',
    label: 'Devin Desktop',
    words: ['devin-desktop'],
    at: ['mcpServers'],
    spell: URL_ONLY,
    files: ({ config, settings, cwd, platform }) => [
      ofUser(platform === 'win32' ? settings : config, 'devin/mcp_config.json'),
      ofProject(cwd, '.devin/mcp_config.json'),
    ],
  },
  {
    // https://zed.dev/docs/ai/mcp, https://zed.dev/docs/configuring-zed
    name: 'zed',
    label: 'Zed',
    at: ['context_servers'],
    spell: URL_ONLY,
    files: ({ home, config, settings, cwd, platform }) => [
      platform === 'win32'
        ? ofUser(settings, 'Zed/settings.json')
        : ofUser(platform === 'darwin' ? join(home, '.config') : config, 'zed/settings.json'),
      ofProject(cwd, '.zed/settings.json'),
    ],
  },
  {
    // https://kiro.dev/docs/mcp/configuration
    name: 'kiro',
    label: 'Kiro',
    words: ['kiro-cli'],
    at: ['mcpServers'],
    spell: URL_ONLY,
    files: ({ home, cwd }) => [
      ofUser(home, '.kiro/settings/mcp.json'),
      ofProject(cwd, '.kiro/settings/mcp.json'),
      readOnly(ofUser(home, '.kiro/settings/mcp.json'), ['powers', 'mcpServers']),
      readOnly(ofUser(home, '.kiro/agents/*.json')),
      readOnly(ofProject(cwd, '.kiro/agents/*.json')),
    ],
  },
  {
    // https://antigravity.google/docs/mcp
    name: 'antigravity',
    label: 'Antigravity',
    words: ['agy'],
    at: ['mcpServers'],
    spell: SERVER_URL,
    files: ({ home, cwd }) => [
      ofUser(home, '.gemini/antigravity/mcp_config.json'),
      ofUser(home, '.gemini/config/mcp_config.json'),
      ofProject(cwd, '.agents/mcp_config.json'),
    ],
  },
  {
    // https://junie.jetbrains.com/docs/junie-cli-mcp-configuration.html
    name: 'junie',
    label: 'Junie',
    at: ['mcpServers'],
    ...BRIDGE,
    files: ({ home, cwd }) => [ofUser(home, '.junie/mcp/mcp.json'), ofProject(cwd, '.junie/mcp/mcp.json')],
  },
  {
    // https://www.jetbrains.com/help/ai-assistant/mcp.html; servers of all projects are in the IDE only
    name: 'jetbrains',
    label: 'JetBrains AI Assistant',
    words: ['ai-assistant', 'intellij', 'jetbrains-ai'],
    at: ['mcpServers'],
    ...BRIDGE,
    files: ({ cwd }) => [ofProject(cwd, '.ai/mcp/mcp.json')],
  },
  {
    // https://docs.trae.ai/ide/model-context-protocol
    name: 'trae',
    label: 'Trae',
    at: ['mcpServers'],
    spell: URL_ONLY,
    files: ({ settings, cwd }) => [ofUser(settings, 'Trae/User/mcp.json'), ofProject(cwd, '.trae/mcp.json')],
  },
  {
    // https://learn.microsoft.com/visualstudio/ide/mcp-servers
    name: 'visual-studio',
    label: 'Visual Studio',
    words: ['vs', 'visualstudio'],
    at: ['servers'],
    spell: HTTP,
    files: ({ home, cwd, platform }) =>
      platform === 'win32'
        ? [
            ofUser(home, '.mcp.json'),
            readOnly(ofProject(cwd, '.vs/mcp.json')),
            readOnly(ofProject(cwd, '.mcp.json')),
          ]
        : [],
  },
];
