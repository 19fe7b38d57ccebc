/** One agent that people use, pinned. */
export interface Client {
  /** Its name in the README's tables. */
  readonly name: string;
  readonly version: string;
  /** Its npm package. */
  readonly package: string;
  /** Number of our tools that its model is offered at once. */
  readonly offered: number;
  /** Command line for one prompt without a terminal. @param model address of the scripted model */
  readonly ask: (model: string) => readonly string[];
  readonly env: (model: string) => Readonly<Record<string, string>>;
  /** Its refusal of a tool that is not allowed: its own, or that of a model that is not offered the tool. */
  readonly refusal: string;
  /** Whether it runs a tool declared read-only without asking for permission. */
  readonly trustsReading: boolean;
}

const claudeCode = {
  name: 'Claude Code',
  ask: () => ['claude', '-p', 'go', '--model', 'scripted'],
  env: (model: string) => ({
    ANTHROPIC_BASE_URL: model,
    ANTHROPIC_API_KEY: 'none',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  }),
  refusal: "you haven't granted it",
  trustsReading: false,
};
const codexProvider = (model: string): string =>
  `model_providers.scripted={name="scripted",base_url="${model}/v1",wire_api="responses",env_key="MODEL_KEY"}`;

export const CLIENTS: readonly Client[] = [
  {
    ...claudeCode,
    version: '2.1.197',
    package: '@anthropic-ai/claude-code',
    offered: 13,
  },
  {
    ...claudeCode,
    version: '2.1.330',
    package: '@anthropic-ai/claude-code',
    offered: 3,
  },
  {
    name: 'Codex',
    version: '0.169.0',
    package: '@openai/codex',
    offered: 13,
    ask: (model) => [
      ...['codex', 'exec', '--skip-git-repo-check'],
      ...['-c', 'model="scripted"', '-c', 'model_provider="scripted"', '-c', codexProvider(model), 'go'],
    ],
    env: () => ({ MODEL_KEY: 'none' }),
    refusal: 'requires approval',
    trustsReading: true,
  },
  {
    name: 'Gemini CLI',
    version: '0.61.0',
    package: '@google/gemini-cli',
    offered: 13,
    ask: () => ['gemini', '-m', 'gemini-2.5-flash', '-p', 'go'],
    env: (model) => ({
      // It accepts another address with a key only as Vertex AI's.
      GOOGLE_GENAI_USE_VERTEXAI: 'true',
      GOOGLE_VERTEX_BASE_URL: model,
      GOOGLE_API_KEY: 'none',
      // Without a terminal it cannot ask for trust in a new folder.
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    }),
    refusal: 'call_tool is not offered',
    trustsReading: false,
  },
];
