/** A program that people use, pinned. */
export interface Program {
  readonly name: string;
  readonly version: string;
  /** Its npm package. */
  readonly package: string;
  /** Keeps it from updating itself and from asking. */
  readonly env: Readonly<Record<string, string>>;
}

/** A client that keeps its MCP servers in files. */
export interface Configured extends Program {
  /** Its name in `pegboard import` and `pegboard link`. */
  readonly word: string;
  /** Its files with MCP servers, below the home folder, whose `project` is the current one. */
  readonly files: readonly string[];
  /** A command line that adds a stdio server, to its default scope. @param command words of the server's command, quoted */
  readonly addCommand: (name: string, command: string) => string;
}

/** One with a command line that lists its servers. */
export interface Listing extends Configured {
  /** Its command line that adds an http server for all projects. */
  readonly addUrl: (name: string, url: string) => string;
  readonly list: string;
  /** A server in the output of `list` which is connected, or switched on if the client does not connect. */
  readonly listed: RegExp;
}

/** One that is an agent, whose model is scripted. */
export interface Agent extends Configured {
  /** Number of our tools that its model is offered at once. */
  readonly offered: number;
  /** Command line for one prompt without a terminal. @param model address of the scripted model */
  readonly ask: (model: string) => readonly string[];
  readonly modelEnv: (model: string) => Readonly<Record<string, string>>;
  /** Files below the home folder that name the model, or keep it from calling home, for want of a variable. */
  readonly settings?: (model: string) => Readonly<Record<string, string>>;
  /** Matches our tools as it names them; default: their server's name is in them. */
  readonly ours?: RegExp;
  /** Its refusal of a tool that is not allowed: its own, or that of a model that is not offered the tool. None: it allows all without a terminal. */
  readonly refusal?: string;
  /** Whether it runs a tool declared read-only without asking for permission. */
  readonly trustsReading?: boolean;
  /** Whether it may refuse the first call after a restart, with a connection that is new to it. */
  readonly isThrownByRestart?: boolean;
}

/** An agent that takes all legs. */
export interface Client extends Agent, Listing {}

const anthropicEnv = (model: string): Readonly<Record<string, string>> => ({
  ANTHROPIC_BASE_URL: model,
  ANTHROPIC_API_KEY: 'none',
});

const claudeCode = {
  name: 'Claude Code',
  package: '@anthropic-ai/claude-code',
  env: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' },
  word: 'claude-code',
  files: ['.claude.json'],
  addCommand: (name: string, command: string) => `claude mcp add ${name} -- ${command}`,
  addUrl: (name: string, url: string) => `claude mcp add --scope user --transport http ${name} ${url}`,
  list: 'claude mcp list',
  listed: /^(\S+): .* - \S Connected$/gm,
  ask: () => ['claude', '-p', 'go', '--model', 'scripted'],
  modelEnv: anthropicEnv,
  refusal: "you haven't granted it",
};
const codexProvider = (model: string): string =>
  `model_providers.scripted={name="scripted",base_url="${model}/v1",wire_api="responses",env_key="MODEL_KEY"}`;

export const CLIENTS: readonly Client[] = [
  { ...claudeCode, version: '2.1.197', offered: 13 },
  { ...claudeCode, version: '2.1.332', offered: 3 },
  {
    name: 'Codex',
    version: '0.169.0',
    package: '@openai/codex',
    env: {},
    word: 'codex',
    files: ['.codex/config.toml'],
    addCommand: (name, command) => `codex mcp add ${name} -- ${command}`,
    addUrl: (name, url) => `codex mcp add ${name} --url ${url}`,
    list: 'codex mcp list',
    listed: /^(\S+) .* enabled /gm,
    offered: 13,
    ask: (model) => [
      ...['codex', 'exec', '--skip-git-repo-check'],
      ...['-c', 'model="scripted"', '-c', 'model_provider="scripted"', '-c', codexProvider(model), 'go'],
    ],
    modelEnv: () => ({ MODEL_KEY: 'none' }),
    refusal: 'requires approval',
    trustsReading: true,
  },
  {
    name: 'Gemini CLI',
    version: '0.61.0',
    package: '@google/gemini-cli',
    // Without a terminal it cannot ask for trust in a new folder, and shows all servers as disabled.
    env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    word: 'gemini',
    files: ['.gemini/settings.json', 'project/.gemini/settings.json'],
    addCommand: (name, command) => `gemini mcp add ${name} ${command}`,
    addUrl: (name, url) => `gemini mcp add --scope user --transport http ${name} ${url}`,
    list: 'gemini mcp list',
    listed: /^✓ (\S+): .* - Connected$/gm,
    offered: 13,
    ask: () => ['gemini', '-m', 'gemini-2.5-flash', '-p', 'go'],
    modelEnv: (model) => ({
      // It accepts another address with a key only as Vertex AI's.
      GOOGLE_GENAI_USE_VERTEXAI: 'true',
      GOOGLE_VERTEX_BASE_URL: model,
      GOOGLE_API_KEY: 'none',
    }),
    refusal: 'call_tool is not offered',
  },
];

/** Agents that take the short legs, so that the run stays short. */
export const AGENTS: readonly Agent[] = [
  {
    name: 'Qwen Code',
    version: '0.24.4',
    package: '@qwen-code/qwen-code',
    env: { QWEN_USAGE_STATISTICS_ENABLED: 'false', QWEN_CODE_SKIP_UPDATE_CHECK_ONCE: 'true' },
    word: 'qwen',
    files: ['.qwen/settings.json'],
    addCommand: (name, command) => `qwen mcp add ${name} ${command}`,
    offered: 13,
    ask: () => ['qwen', '--auth-type', 'anthropic', '-m', 'scripted', '-p', 'go'],
    modelEnv: anthropicEnv,
    refusal: 'that permission was declined',
  },
  {
    name: 'Copilot CLI',
    version: '1.0.102',
    package: '@github/copilot',
    // Its runs without a GitHub account reach no host but the model's.
    env: { COPILOT_OFFLINE: 'true', COPILOT_AUTO_UPDATE: 'false' },
    word: 'copilot',
    files: ['.copilot/mcp-config.json'],
    addCommand: (name, command) => `copilot mcp add ${name} -- ${command}`,
    offered: 13,
    ask: () => ['copilot', '-p', 'go'],
    modelEnv: (model) => ({
      COPILOT_PROVIDER_TYPE: 'anthropic',
      COPILOT_PROVIDER_BASE_URL: model,
      COPILOT_PROVIDER_API_KEY: 'none',
      COPILOT_MODEL: 'scripted',
    }),
    trustsReading: true,
    isThrownByRestart: true,
    refusal: 'Permission denied because no interactive user response was available',
  },
  {
    name: 'Cline CLI',
    version: '3.0.65',
    package: 'cline',
    // Else it starts a daemon that outlives it.
    env: { CLINE_SESSION_BACKEND_MODE: 'local', CLINE_NO_AUTO_UPDATE: '1' },
    word: 'cline-cli',
    files: ['.cline/data/settings/cline_mcp_settings.json'],
    addCommand: (name, command) => `cline mcp add ${name} --yes -- ${command}`,
    offered: 13,
    ask: () => ['cline', '-P', 'anthropic', 'go on'],
    modelEnv: () => ({}),
    settings: (model) => ({
      '.cline/data/settings/global-settings.json': '{ "telemetryOptOut": true, "autoUpdateEnabled": false }',
      '.cline/data/settings/providers.json': JSON.stringify({
        version: 1,
        lastUsedProvider: 'anthropic',
        modes: {},
        providers: {
          anthropic: {
            settings: { provider: 'anthropic', apiKey: 'none', model: 'scripted', baseUrl: `${model}/v1` },
            updatedAt: '2026-01-01T00:00:00.000Z',
            tokenSource: 'manual',
          },
        },
      }),
    }),
  },
  {
    name: 'Continue',
    version: '1.5.47',
    package: '@continuedev/cli',
    // It asks its own service for nothing that it needs.
    env: {
      CONTINUE_METRICS_ENABLED: '0',
      CONTINUE_CLI_ENABLE_TELEMETRY: '0',
      CONTINUE_API_BASE: 'http://127.0.0.1:9/',
    },
    word: 'continue',
    files: ['.continue/config.yaml'],
    addCommand: (name, command) => {
      const [program = '', ...args] = command.split(' ');
      const server = JSON.stringify({ name, command: program, args });
      return `printf 'mcpServers:\\n  - %s\\n' '${server}' >> ~/.continue/config.yaml`;
    },
    offered: 13,
    ask: () => ['cn', '-p', 'go'],
    modelEnv: () => ({}),
    settings: (model) => ({
      '.continue/config.yaml': [
        'name: scripted',
        'version: 1.0.0',
        'schema: v1',
        'models:',
        `  - { name: scripted, provider: anthropic, model: scripted, apiKey: none, apiBase: "${model}/v1/" }`,
        '',
      ].join('\n'),
    }),
    // It adds no prefix, and its own begin with a capital.
    ours: /^[a-z_]+$/,
  },
];

export const OPENCODE: Listing = {
  name: 'opencode',
  version: '1.18.33',
  package: 'opencode-ai',
  env: { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
  word: 'opencode',
  files: ['.config/opencode/opencode.jsonc'],
  addCommand: (name, command) => `opencode mcp add ${name} -- ${command}`,
  addUrl: (name, url) => `opencode mcp add ${name} --url ${url}`,
  list: 'opencode mcp list',
  listed: /✓ (\S+) connected$/gm,
};

export const INSPECTOR: Program = {
  name: 'Inspector',
  version: '2.12.0',
  package: '@modelcontextprotocol/inspector',
  env: {},
};
