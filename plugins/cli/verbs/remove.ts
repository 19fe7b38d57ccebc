import { SERVER_KIND } from '../definitions/definitionKinds.ts';
import { removeDefinition } from '../definitions/removeDefinition.ts';
import { verb } from '../verb.ts';

export const remove = verb({
  name: 'remove',
  summary: 'stop an MCP server and delete its definition',
  parameters: [{ name: '<server>', description: 'name of the server' }],
  examples: ['pegboard remove git', 'pegboard remove git --quiet'],
  run: (invocation) => removeDefinition(invocation, SERVER_KIND, invocation.args[0] ?? ''),
});
