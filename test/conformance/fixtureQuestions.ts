import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { FormSchema } from './fixtureSchemas.ts';
import type { FixtureTool } from './fixtureTools.ts';

const NAME = 'What is your name?';
const CONFIRM = 'Please confirm';
const OK: FormSchema = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] };

/** Tools for the suite's "input required" scenarios on a server of an older revision: it asks during the call. */
export const ASKING: Readonly<Record<string, FixtureTool>> = {
  test_input_required_result_elicitation: {
    description: 'Asks for a name',
    run: async (_, { elicit }) => {
      const { content } = await elicit(NAME, field('name'));
      return told(`Hello, ${String(content?.['name'])}!`);
    },
  },
  test_input_required_result_sampling: {
    description: 'Asks for a capital',
    run: async (_, { sample }) => told(JSON.stringify(await sample('What is the capital of France?'))),
  },
  test_input_required_result_list_roots: {
    description: 'Asks for the roots',
    run: async (_, { roots }) => told(JSON.stringify(await roots())),
  },
  test_input_required_result_request_state: {
    description: 'Asks for a confirmation',
    run: async (_, { elicit }) => {
      const { action } = await elicit(CONFIRM, OK);
      return told(`state-ok: ${action}`);
    },
  },
  test_input_required_result_tampered_state: {
    description: 'Asks for a confirmation',
    run: async (_, { elicit }) => told((await elicit(CONFIRM, OK)).action),
  },
  test_input_required_result_multiple_inputs: {
    description: 'Asks three questions at a time',
    run: async (_, { elicit, sample, roots }) => {
      const asked = [elicit(NAME, field('name')), sample('Generate a greeting'), roots()];
      return told(JSON.stringify(await Promise.all(asked)));
    },
  },
  test_input_required_result_multi_round: {
    description: 'Asks two questions, one after the other',
    run: async (_, { elicit }) => {
      const name = await elicit('Step 1: What is your name?', field('name'));
      const color = await elicit('Step 2: What is your favorite color?', field('color'));
      return told(`${JSON.stringify(name.content)} ${JSON.stringify(color.content)}`);
    },
  },
  test_input_required_result_capabilities: {
    description: 'Asks every kind of question the client supports',
    run: async (_, { elicit, sample }) => {
      const refused = (error: unknown): string => String(error);
      const asked = [elicit(NAME, field('name')).catch(refused), sample('Say something').catch(refused)];
      return told(JSON.stringify(await Promise.all(asked)));
    },
  },
  test_missing_capability: {
    description: "Cannot do without the client's model",
    run: async (_, { sample }) => told(JSON.stringify(await sample('Say something'))),
  },
  test_streaming_elicitation: {
    description: 'Asks while it runs',
    run: async (_, { elicit }) => told((await elicit(CONFIRM, OK)).action),
  },
  test_logging_tool: {
    description: 'Logs',
    run: async (_, { log }) => {
      await log('logged');
      return told('Logged');
    },
  },
};

/** A form with one text. */
export function field(name: string): FormSchema {
  return { type: 'object', properties: { [name]: { type: 'string' } }, required: [name] };
}
function told(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}
