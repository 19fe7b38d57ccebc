import { definePlugin } from 'pegboard';
import type { ResourceKind } from 'pegboard';

/** Two kinds of definitions that exist for the store contract only. */
export const plugin = definePlugin<object>({
  name: 'contract-notes',
  api: 1,
  configSchema: { type: 'object', additionalProperties: false },
  kinds: [noteKind('Note', 'notes'), noteKind('Memo', 'memos')],
  apply: () => undefined,
});

function noteKind(name: string, directory: string): ResourceKind {
  return {
    name,
    directory,
    schema: {
      type: 'object',
      additionalProperties: false,
      required: ['text'],
      properties: {
        text: { description: 'What the note says.', type: 'string' },
        details: { description: 'Any value.' },
      },
    },
  };
}
