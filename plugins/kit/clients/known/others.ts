import { join } from 'node:path';
import { BRIDGE, HTTP, ofProject, ofUser, readOnly, URL_ONLY } from './kind.ts';
import type { ClientKind } from './kind.ts';

/** Other programs. */
export const OTHERS: readonly ClientKind[] = [
  {
    // https://lmstudio.ai/docs/app/mcp
    name: 'lm-studio',
    label: 'LM Studio',
    words: ['lmstudio'],
    at: ['mcpServers'],
    spell: URL_ONLY,
    files: ({ home }) => [ofUser(home, '.lmstudio/mcp.json')],
  },
  {
    // https://block.github.io/goose/docs/guides/config-files
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
    files: ({ config, settings, platform }) => [
      platform === 'win32'
        ? ofUser(settings, 'Block/goose/config/config.yaml')
        : ofUser(config, 'goose/config.yaml'),
    ],
  },
  {
    // https://github.com/aws/amazon-q-developer-cli/blob/main/docs/agent-file-locations.md
    name: 'amazon-q',
    label: 'Amazon Q',
    words: ['q', 'amazonq', 'q-cli', 'amazon-q-cli'],
    at: ['mcpServers'],
    ...BRIDGE,
    files: ({ home, cwd }) => [
      ofUser(home, '.aws/amazonq/mcp.json'),
      ofProject(cwd, '.amazonq/mcp.json'),
      ...['default.json', 'agents/*.json', 'cli-agents/*.json'].flatMap((name) => [
        readOnly(ofUser(home, '.aws/amazonq', name)),
        readOnly(ofProject(cwd, '.amazonq', name)),
      ]),
    ],
  },
  {
    // https://github.com/charmbracelet/crush/blob/main/internal/config/load.go
    name: 'crush',
    label: 'Crush',
    at: ['mcp'],
    spell: HTTP,
    files: ({ config, cwd, env }) => [
      ofUser(env['CRUSH_GLOBAL_CONFIG'] ?? join(config, 'crush'), 'crush.json'),
      ofProject(cwd, '.crush.json'),
      ofProject(cwd, 'crush.json'),
    ],
  },
  {
    // https://ampcode.com/manual#configuration
    name: 'amp',
    label: 'Amp',
    at: ['amp.mcpServers'],
    spell: URL_ONLY,
    files: ({ home, cwd }) => [
      ...['settings.json', 'settings.jsonc'].map((name) => ofUser(home, '.config/amp', name)),
      ...['settings.json', 'settings.jsonc'].map((name) => ofProject(cwd, '.amp', name)),
    ],
  },
  {
    // https://docs.factory.ai/cli/configuration/mcp
    name: 'droid',
    label: 'Droid',
    words: ['factory'],
    at: ['mcpServers'],
    spell: (url) => ({ type: 'http', url, disabled: false }),
    files: ({ home, cwd }) => [ofUser(home, '.factory/mcp.json'), ofProject(cwd, '.factory/mcp.json')],
  },
  {
    // https://docs.warp.dev/agent-platform/capabilities/mcp
    name: 'warp',
    label: 'Warp',
    at: ['mcpServers'],
    spell: URL_ONLY,
    files: ({ home, cwd }) => [ofUser(home, '.warp/.mcp.json'), ofProject(cwd, '.warp/.mcp.json')],
  },
  {
    // https://github.com/nousresearch/hermes-agent/blob/main/website/docs/reference/cli-commands.md
    name: 'hermes',
    label: 'Hermes',
    at: ['mcp_servers'],
    spell: URL_ONLY,
    files: ({ home }) => [ofUser(home, '.hermes/config.yaml')],
  },
];
