import type { GetPromptResult, Prompt } from '@modelcontextprotocol/sdk/types.js';
import { PNG } from './fixtureTools.ts';

type Messages = GetPromptResult['messages'];
type Words = Readonly<Record<string, string>>;

export const ASKING_PROMPT = 'test_input_required_result_prompt';
export const PROMPTS: readonly Prompt[] = [
  { name: 'test_simple_prompt', description: 'No arguments' },
  {
    name: 'test_prompt_with_arguments',
    description: 'Two arguments',
    arguments: [
      { name: 'arg1', description: 'The first', required: true },
      { name: 'arg2', description: 'The second', required: true },
    ],
  },
  {
    name: 'test_prompt_with_embedded_resource',
    description: 'Embeds a resource',
    arguments: [{ name: 'resourceUri', description: 'The resource', required: true }],
  },
  { name: 'test_prompt_with_image', description: 'Shows an image' },
  { name: ASKING_PROMPT, description: 'Asks the user for its context' },
];

const MESSAGES: ReadonlyMap<string, (words: Words) => Messages> = new Map([
  ['test_simple_prompt', () => [said('This is a simple prompt for testing.')]],
  [
    'test_prompt_with_arguments',
    ({ arg1 = '', arg2 = '' }: Words) => [said(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  ],
  [
    'test_prompt_with_embedded_resource',
    ({ resourceUri = '' }: Words): Messages => [
      {
        role: 'user',
        content: {
          type: 'resource',
          resource: {
            uri: resourceUri,
            mimeType: 'text/plain',
            text: 'Embedded resource content for testing.',
          },
        },
      },
      said('Please process the embedded resource above.'),
    ],
  ],
  [
    'test_prompt_with_image',
    (): Messages => [
      { role: 'user', content: { type: 'image', data: PNG, mimeType: 'image/png' } },
      said('Please analyze the image above.'),
    ],
  ],
]);

/** @throws Error for a name that is not listed */
export function promptMessages(name: string, words: Words): Messages {
  const make = MESSAGES.get(name);
  if (make === undefined) throw new Error(`no prompt ${name}`);
  return make(words);
}

function said(text: string): Messages[number] {
  return { role: 'user', content: { type: 'text', text } };
}
