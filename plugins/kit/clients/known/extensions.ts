import { join } from 'node:path';
import { ofProject, ofUser, readOnly } from './kind.ts';
import type { Base, ClientKind, KnownFile, Spell } from './kind.ts';

/** Editors that run extensions of VS Code: suffix of the client's name, label, and the folder of a user's settings. */
const HOSTS: readonly (readonly [suffix: string, label: string, user: (base: Base) => string])[] = [
  ['', '', ({ settings }) => join(settings, 'Code/User')],
  ['-insiders', ' (VS Code Insiders)', ({ settings }) => join(settings, 'Code - Insiders/User')],
  ['-vscodium', ' (VSCodium)', ({ settings }) => join(settings, 'VSCodium/User')],
  ['-cursor', ' (Cursor)', ({ settings }) => join(settings, 'Cursor/User')],
  ['-windsurf', ' (Windsurf)', ({ settings }) => join(settings, 'Windsurf/User')],
  ['-server', ' (VS Code Server)', ({ home }) => join(home, '.vscode-server/data/User')],
];
const CLINE: Spell = (url) => ({ type: 'streamableHttp', url, disabled: false });

/** Extensions of editors, with their programs of the command line. */
export const EXTENSIONS: readonly ClientKind[] = [
  // https://docs.cline.bot/mcp/configuring-mcp-servers
  ...inEachHost({ name: 'cline', label: 'Cline', at: ['mcpServers'], spell: CLINE }, (user) => [
    ofUser(user, 'globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json'),
  ]),
  {
    // https://github.com/cline/cline/tree/main/apps/cli
    name: 'cline-cli',
    label: 'Cline CLI',
    at: ['mcpServers'],
    spell: CLINE,
    line: (url) => ['cline', 'mcp', 'add', 'pegboard', '--yes', '--transport', 'http', url],
    files: ({ home, env }) => {
      const data = env['CLINE_DATA_DIR'] ?? join(env['CLINE_DIR'] ?? join(home, '.cline'), 'data');
      return [ofUser(env['CLINE_MCP_SETTINGS_PATH'] ?? join(data, 'settings/cline_mcp_settings.json'))];
    },
  },
  // https://docs.roocode.com/features/mcp/using-mcp-in-roo
  ...inEachHost(
    {
      name: 'roo',
      label: 'Roo Code',
      words: ['roo-code', 'roocode'],
      at: ['mcpServers'],
      spell: (url) => ({ type: 'streamable-http', url }),
    },
    (user, { cwd }) => [
      ofUser(user, 'globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json'),
      ofProject(cwd, '.roo/mcp.json'),
    ],
  ),
  {
    // https://kilo.ai/docs/automate/mcp/using-in-kilo-code; its former files have mcpServers
    name: 'kilo',
    label: 'Kilo Code',
    words: ['kilo-code', 'kilocode'],
    at: ['mcp'],
    spell: (url) => ({ type: 'remote', url, enabled: true }),
    files: (base) => {
      const { home, config, cwd } = base;
      const former = [
        ...HOSTS.map(([, , user]) =>
          ofUser(user(base), 'globalStorage/kilocode.kilo-code/settings/mcp_settings.json'),
        ),
        ofUser(home, '.kilocode/cli/global/settings/mcp_settings.json'),
        ofProject(cwd, '.kilocode/mcp.json'),
      ];
      return [
        ...['kilo.json', 'kilo.jsonc'].map((name) => ofUser(config, 'kilo', name)),
        ...['kilo.json', 'kilo.jsonc', '.kilo/kilo.json', '.kilo/kilo.jsonc'].map((name) =>
          ofProject(cwd, name),
        ),
        ...former.map((file) => readOnly(file, ['mcpServers'])),
      ];
    },
  },
  {
    // https://docs.continue.dev/customize/deep-dives/mcp
    name: 'continue',
    label: 'Continue',
    at: ['mcpServers'],
    spell: (url) => ({ name: 'pegboard', type: 'streamable-http', url }),
    carry: (headers) => ({ requestOptions: { headers } }),
    files: ({ home, cwd, env }) => {
      const own = env['CONTINUE_GLOBAL_DIR'] ?? join(home, '.continue');
      return [
        ofUser(own, 'config.yaml'),
        ...['*.yaml', '*.yml', '*.json'].flatMap((name) => [
          readOnly(ofUser(own, 'mcpServers', name)),
          readOnly(ofProject(cwd, '.continue/mcpServers', name)),
        ]),
      ];
    },
  },
];

/** One client for each editor, because each has settings of its own. */
function inEachHost(
  { words = [], ...kind }: Omit<ClientKind, 'files'>,
  files: (user: string, base: Base) => readonly KnownFile[],
): readonly ClientKind[] {
  return HOSTS.map(([suffix, label, user]) => ({
    ...kind,
    name: `${kind.name}${suffix}`,
    label: `${kind.label}${label}`,
    ...(suffix === '' ? { words } : { group: kind.name }),
    files: (base) => files(user(base), base),
  }));
}
