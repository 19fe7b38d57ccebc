import { jsonResult } from 'pegboard';
import type { Scope, Tool } from 'pegboard';
import { requiredText } from './arguments.ts';
import { toDescription } from '../entry/entry.ts';
import { lookUp } from './lookUp.ts';
import { metaTool } from './metaTool.ts';

export function describeTool(scope: Scope<unknown>): Tool {
  return metaTool({
    name: 'describe_tool',
    description:
      'Show the full description and input schema of one tool, by its exact name. Do this before call_tool.',
    properties: { name: { type: 'string', description: 'Exact name, as filter_tools gives it' } },
    required: ['name'],
    run: (args, { request }) => jsonResult(toDescription(lookUp(scope, requiredText(args, 'name'), request))),
  });
}
