import { definitionKindOf } from '../definitions/definitionKinds.ts';
import { removeDefinition } from '../definitions/removeDefinition.ts';
import { verb } from '../verb.ts';

export const deleteVerb = verb({
  name: 'delete',
  summary: 'delete a definition; a server is stopped first',
  parameters: [
    { name: '<kind>', description: 'server or workflow' },
    { name: '<name>', description: 'its name' },
  ],
  examples: ['pegboard delete workflow release-notes', 'pegboard delete server git'],
  run: (invocation) => {
    const [kind = '', name = ''] = invocation.args;
    return removeDefinition(invocation, definitionKindOf(kind), name);
  },
});
