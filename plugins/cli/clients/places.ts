import { dirname, extname, join, resolve } from 'node:path';
import { nearest } from 'pegboard';
import type { Env, JsonObject } from 'pegboard';
import { Failure } from '../failure.ts';
import type { FormatName } from './formats.ts';

export type Headers = Readonly<Record<string, string>>;
export type PlaceScope = 'user' | 'project' | 'file';

/** A part of a client's file that lists MCP servers by name. */
export interface ClientPlace {
  readonly client: string;
  /** Name of the client for people, with the project's folder for a section of another project than the current one. */
  readonly label: string;
  readonly scope: PlaceScope;
  /** Whether it came with the current project, so that others may have written it. */
  readonly isOfProject: boolean;
  /** Absolute. */
  readonly path: string;
  /** Where relative paths in it begin: its project. */
  readonly folder: string;
  readonly format: FormatName;
  /** Keys that lead to the servers; undefined: the first of KEYS that the file has. EACH_PROJECT matches every key. */
  readonly at: readonly string[] | undefined;
  /** How the client spells a gateway at this URL. */
  readonly spell: (url: string) => JsonObject;
  /** How the client spells headers, beside that; empty for one that starts a process. */
  readonly carry: (headers: Headers) => JsonObject;
  /** What the client needs beside its entry. */
  readonly note?: string | undefined;
}

/** Where clients keep their servers, in order of preference. */
export const KEYS = ['mcpServers', 'servers', 'mcp_servers', 'context_servers', 'mcp', 'extensions'];

/** Matches every key of its table; the keys are folders of projects. */
export const EACH_PROJECT = '*';

interface Surroundings {
  readonly env: Env;
  readonly platform: NodeJS.Platform;
  readonly cwd: string;
}
interface Base {
  readonly home: string;
  /** Where programs keep their settings: ~/.config or ~/Library/Application Support. */
  readonly settings: string;
  readonly config: string;
  readonly cwd: string;
  readonly env: Env;
}
interface ClientKind {
  readonly name: string;
  readonly label: string;
  readonly at: readonly string[];
  readonly spell: ClientPlace['spell'];
  /** Default: `headers`. */
  readonly carry?: ClientPlace['carry'];
  readonly note?: string;
  /** Files of each scope; without keys, those of the client count. */
  readonly files: (
    base: Base,
  ) => readonly (readonly [scope: PlaceScope, path: string, at?: readonly string[]])[];
}

const HTTP: ClientPlace['spell'] = (url) => ({ type: 'http', url });
const URL_ONLY: ClientPlace['spell'] = (url) => ({ url });
const HEADERS: ClientPlace['carry'] = (headers) => ({ headers });

const CLIENTS: readonly ClientKind[] = [
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
    spell: (url) => ({ type: 'streamableHttp', url, disabled: false }),
    files: ({ settings }) => [
      [
        'user',
        join(settings, 'Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json'),
      ],
    ],
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
    files: ({ home }) => [['user', join(home, '.continue/config.yaml')]],
  },
];

export const CLIENT_NAMES: readonly string[] = CLIENTS.map(({ name }) => name);

/** The places of these clients and files; of all known clients when none is named.
 *  @param words names of clients, and paths of files @throws Failure */
export function placesOf(
  words: readonly string[],
  { env, platform, cwd }: Surroundings,
): readonly ClientPlace[] {
  const names = words.filter((word) => !isPath(word));
  const unknown = names.find((name) => !CLIENT_NAMES.includes(name));
  if (unknown !== undefined) throw unknownClient(unknown);
  const files = words.filter(isPath).map((word) => fileAt(resolve(cwd, word)));
  const wanted = CLIENTS.filter(({ name }) => words.length === 0 || names.includes(name));
  if (wanted.length === 0) return files;
  const home = env['HOME'];
  if (home === undefined || home === '')
    throw new Failure('HOME is not set, so the files of clients cannot be found; set it, or name a file');
  const config = env['XDG_CONFIG_HOME'] ?? join(home, '.config');
  const settings = platform === 'darwin' ? join(home, 'Library/Application Support') : config;
  const base = { home, settings, config, cwd, env };
  const all = [
    ...wanted.flatMap(({ name, label, at: own, spell, carry = HEADERS, note, files: paths }) =>
      paths(base).map(([scope, path, at = own]) => ({
        client: name,
        label,
        scope,
        path,
        at,
        spell,
        carry,
        note,
        // What Claude Code keeps for each project is in the user's own file.
        isOfProject: scope === 'project' && at[1] !== EACH_PROJECT,
        folder: scope === 'project' ? cwd : dirname(path),
        format: formatOf(path),
      })),
    ),
    ...files,
  ];
  // In the home folder, the file of a project may be that of the user.
  const keyOf = ({ path, at }: ClientPlace): string => JSON.stringify([path, at]);
  return [...new Map([...all].reverse().map((place) => [keyOf(place), place])).values()].reverse();
}

function fileAt(path: string): ClientPlace {
  return {
    client: path,
    label: path,
    scope: 'file',
    isOfProject: false,
    path,
    folder: dirname(path).replace(/\/\.(vscode|cursor|gemini|codex|opencode|zed)$/, ''),
    format: formatOf(path),
    at: undefined,
    spell: HTTP,
    carry: HEADERS,
  };
}

function formatOf(path: string): FormatName {
  const ending = extname(path).toLowerCase();
  if (ending === '.toml') return 'toml';
  return ending === '.yaml' || ending === '.yml' ? 'yaml' : 'json';
}

function isPath(word: string): boolean {
  return word.includes('/') || /\.(jsonc?|toml|ya?ml)$/i.test(word);
}

function unknownClient(name: string): Failure {
  const [close] = nearest(name, CLIENT_NAMES, 1);
  const hint = close === undefined ? '' : `; did you mean ${close}?`;
  return new Failure(
    `${name} is not a known client${hint} Known are ${CLIENT_NAMES.join(', ')}, and paths of files`,
  );
}
