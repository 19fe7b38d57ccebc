import { setTimeout as pause } from 'node:timers/promises';
import type { CallToolResult, ElicitResult, Tool } from '@modelcontextprotocol/sdk/types.js';
import { DEFAULTS, ENUMS, SCHEMA_2020_12, USER } from './fixtureSchemas.ts';
import type { FormSchema } from './fixtureSchemas.ts';
import { ASKING } from './fixtureQuestions.ts';

/** One red pixel, and the header of a sound without samples. */
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=';

type Args = Readonly<Record<string, unknown>>;
export interface Caller {
  readonly progressToken: string | number | undefined;
  readonly log: (data: string) => Promise<void>;
  readonly progress: (progress: number, token: string | number) => Promise<void>;
  readonly sample: (text: string) => Promise<{ readonly content: unknown }>;
  readonly elicit: (message: string, schema: FormSchema) => Promise<ElicitResult>;
  readonly roots: () => Promise<unknown>;
}
export interface FixtureTool {
  readonly description: string;
  readonly inputSchema?: Tool['inputSchema'];
  run(args: Args, caller: Caller): CallToolResult | Promise<CallToolResult>;
}

const needsText = (name: string): Tool['inputSchema'] => ({
  type: 'object',
  properties: { [name]: { type: 'string' } },
  required: [name],
});

const FIXTURES: Readonly<Record<string, FixtureTool>> = {
  ...ASKING,
  test_simple_text: {
    description: 'Returns text',
    run: () => told('This is a simple text response for testing.'),
  },
  test_image_content: {
    description: 'Returns an image',
    run: () => ({ content: [{ type: 'image', data: PNG, mimeType: 'image/png' }] }),
  },
  test_audio_content: {
    description: 'Returns a sound',
    run: () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] }),
  },
  test_embedded_resource: {
    description: 'Returns a resource',
    run: () => ({
      content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
    }),
  },
  test_multiple_content_types: {
    description: 'Returns text, an image and a resource',
    run: () => ({
      content: [
        { type: 'text', text: 'Multiple content types test:' },
        { type: 'image', data: PNG, mimeType: 'image/png' },
        embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
      ],
    }),
  },
  test_tool_with_logging: {
    description: 'Logs while it runs',
    run: async (_, { log }) => {
      await log('Tool execution started');
      await pause(50);
      await log('Tool processing data');
      await pause(50);
      await log('Tool execution completed');
      return told('Logged three times');
    },
  },
  test_error_handling: {
    description: 'Fails',
    run: () => ({ ...told('This tool intentionally returns an error for testing'), isError: true }),
  },
  test_tool_with_progress: {
    description: 'Reports progress',
    run: async (_, { progress, progressToken }) => {
      for (const value of [0, 50, 100]) {
        if (progressToken !== undefined) await progress(value, progressToken);
        await pause(50);
      }
      return told('Done');
    },
  },
  test_sampling: {
    description: "Asks the client's model",
    inputSchema: needsText('prompt'),
    run: async ({ prompt }, { sample }) => {
      const { content } = await sample(String(prompt));
      return told(`LLM response: ${JSON.stringify(content)}`);
    },
  },
  test_elicitation: {
    description: 'Asks the user',
    inputSchema: needsText('message'),
    run: async ({ message }, { elicit }) => {
      const { action, content } = await elicit(String(message), USER);
      return told(`User response: action=${action}, content=${JSON.stringify(content ?? {})}`);
    },
  },
  test_elicitation_sep1034_defaults: {
    description: 'Asks the user for fields with defaults',
    run: async (_, { elicit }) => elicited(await elicit('Please look over the defaults', DEFAULTS)),
  },
  test_elicitation_sep1330_enums: {
    description: 'Asks the user to choose',
    run: async (_, { elicit }) => elicited(await elicit('Please choose', ENUMS)),
  },
  json_schema_2020_12_tool: {
    description: 'Tool with JSON Schema 2020-12 features',
    inputSchema: SCHEMA_2020_12,
    run: (args) => told(JSON.stringify(args)),
  },
};

const NO_ARGUMENTS: Tool['inputSchema'] = { type: 'object', properties: {} };
export const TOOLS: readonly Tool[] = Object.entries(FIXTURES).map(
  ([name, { description, inputSchema = NO_ARGUMENTS }]) => ({ name, description, inputSchema }),
);

/** @throws Error for a name that is not listed */
export async function runTool(name: string, args: Args, caller: Caller): Promise<CallToolResult> {
  const tool = FIXTURES[name];
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool.run(args, caller);
}

function told(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}
function elicited({ action, content }: ElicitResult): CallToolResult {
  return told(`Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`);
}
function embedded(uri: string, mimeType: string, text: string): CallToolResult['content'][number] {
  return { type: 'resource', resource: { uri, mimeType, text } };
}
