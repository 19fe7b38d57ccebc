import { isObject } from 'pegboard';
import type { Invocation, JsonObject } from 'pegboard';
import { shellWord } from '../../kit/faults/action.ts';
import { optionsOf } from '../commonOptions.ts';
import { Gateway } from '../gateway.ts';
import { KINDS, kindOf } from '../kinds.ts';
import { executionTree } from '../output/executionTree.ts';
import { printList, printObject } from '../output/print.ts';
import { verb } from '../verb.ts';

const PARAMETERS = [
  { name: '<kind>', description: KINDS.map(({ name }) => name).join(', ') },
  { name: '[name]', description: 'name, uri or id; without it, all are listed' },
];

export const get = verb({
  name: 'get',
  summary: 'show one thing in full, or list its kind',
  parameters: PARAMETERS,
  examples: ['pegboard get tool x_github_list_issues', 'pegboard get execution 3138d42e -o json'],
  run: show,
});

/** The same: kubectl knows both. */
export const describe = verb({
  name: 'describe',
  summary: 'the same as get',
  parameters: PARAMETERS,
  examples: ['pegboard describe tool x_github_list_issues', 'pegboard describe server github'],
  run: show,
});

function show(invocation: Invocation): Promise<number> {
  return Gateway.connected(invocation, async (gateway) => {
    const [word = '', name] = invocation.args;
    const kind = kindOf(word);
    if (name === undefined) {
      printList(invocation, kind.plural, await kind.list(gateway), kind.columns);
      return 0;
    }
    const object = await kind.get(gateway, name);
    const isTable = ['table', 'wide'].includes(optionsOf(invocation).output);
    if (kind.name === 'execution' && isTable) invocation.terminal.out(executionTree(object));
    else printObject(invocation, isTable ? withTypedCall(object) : object, name);
    return 0;
  });
}

/** The description of a tool, with the call as it is typed in place of that of an agent. */
function withTypedCall(object: JsonObject): JsonObject {
  const { name, invocation, inputSchema } = object;
  if (typeof invocation !== 'string' || !invocation.startsWith('call_tool ')) return object;
  const required = isObject(inputSchema) ? inputSchema['required'] : undefined;
  const needed = Array.isArray(required) ? required.map(String) : [];
  const typed = needed.filter((field) => TYPED.test(field));
  const flags = typed.map((field) => ` --${field} ${field.toUpperCase().replaceAll('-', '_')}`);
  const rest = typed.length < needed.length ? " --json '{…}'" : '';
  return { ...object, invocation: `pegboard call ${shellWord(String(name))}${flags.join('')}${rest}` };
}
/** Names of arguments that a shell leaves alone: the server chooses them, and people paste the line. */
const TYPED = /^\w[\w-]*$/;
