/** A program that people use, pinned. */
export interface Program {
  readonly name: string;
  readonly version: string;
  /** Its npm package. */
  readonly package: string;
  /** Keeps it from updating itself and from asking. */
  readonly env: Readonly<Record<string, string>>;
}

/** A client that keeps its MCP servers in files, and has a command line for them. */
export interface Configured extends Program {
  /** Its name in `pegboard import` and `pegboard link`. */
  readonly word: string;
  /** Its files with MCP servers, below the home folder, whose `project` is the current one. */
  readonly files: readonly string[];
  /** Its command line that adds a stdio server, to its default scope. @param command words of the server's command, quoted */
  readonly addCommand: (name: string, command: string) => string;
  /** Its command line that adds an http server for all projects. */
  readonly addUrl: (name: string, url: string) => string;
  readonly list: string;
  /** A server in the output of `list` which is connected, or switched on if the client does not connect. */
  readonly listed: RegExp;
}

/** An agent, whose model is scripted. */
export interface Client extends Configured {
  /** Number of our tools that its model is offered at once. */
  readonly offered: number;
  /** Command line for one prompt without a terminal. @param model address of the scripted model */
  readonly ask: (model: string) => readonly string[];
  readonly modelEnv: (model: string) => Readonly<Record<string, string>>;
  /** Its refusal of a tool that is not allowed: its own, or that of a model that is not offered the tool. */
  readonly refusal: string;
  /** Whether it runs a tool declared read-only without asking for permission. */
  readonly trustsReading: boolean;
}

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
  modelEnv: (model: string) => ({ ANTHROPIC_BASE_URL: model, ANTHROPIC_API_KEY: 'none' }),
  refusal: "you haven't granted it",
  trustsReading: false,
};
const codexProvider = (model: string): string =>
  `model_providers.scripted={name="scripted",base_url="${model}/v1",wire_api="responses",env_key="MODEL_KEY"}`;

export const CLIENTS: readonly Client[] = [
  { ...claudeCode, version: '2.1.197', offered: 13 },
  { ...claudeCode, version: '2.1.330', offered: 3 },
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
    trustsReading: false,
  },
];

export const OPENCODE: Configured = {
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
