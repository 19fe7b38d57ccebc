import { jsonResult } from 'pegboard';
import type { Scope, Tool } from 'pegboard';
import type { StillStarting } from './stillStarting.ts';
import { requiredText } from './arguments.ts';
import { alwaysLoad } from './clientHints.ts';
import type { MetatoolsConfig } from '../config.ts';
import { toDescription } from '../entry/entry.ts';
import { lookUp } from './lookUp.ts';
import { metaTool } from './metaTool.ts';

export function describeTool(scope: Scope<MetatoolsConfig>, starting: StillStarting): Tool {
  return metaTool({
    name: 'describe_tool',
    description:
      'Show the full description and input schema of one tool, by its exact name. Do this before call_tool.',
    properties: { name: { type: 'string', description: 'Exact name, as filter_tools gives it' } },
    required: ['name'],
    listed: () => alwaysLoad(scope.config),
    run: async (args, { request, cancel }) => {
      const name = requiredText(args, 'name');
      await starting.forTool(name, { request, cancel });
      return jsonResult(toDescription(lookUp(scope, name, { request, starting })));
    },
  });
}
