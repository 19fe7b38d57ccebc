import type { Command, Invocation } from 'pegboard';
import { checkedName, checkedUrl, readContexts, writeContexts } from '../contexts.ts';
import type { Context } from '../contexts.ts';
import { optionsOf } from '../commonOptions.ts';
import { Failure } from '../failure.ts';
import { printList, printObject } from '../output/print.ts';
import { verb } from '../verb.ts';

const NAME = [{ name: '<name>', description: 'name of the context' }];

const deletion = verb({
  name: 'delete',
  summary: 'remove one; its gateway is not touched',
  parameters: NAME,
  examples: ['pegboard context delete work', 'pegboard context delete home -q'],
  run: (invocation) =>
    change(
      invocation,
      ({ current, contexts }, name) => {
        find(contexts, name);
        return {
          current: current === name ? undefined : current,
          contexts: contexts.filter((one) => one.name !== name),
        };
      },
      'deleted',
    ),
});

export const context: Command = {
  name: 'context',
  summary: 'the gateways that you use',
  examples: ['pegboard context list', 'pegboard context use work'],
  subcommands: [
    verb({
      name: 'list',
      summary: 'list them',
      examples: ['pegboard context list', 'pegboard context list -o json'],
      run: async (invocation) => {
        const { current, contexts } = await readContexts(invocation.directory);
        printList(
          invocation,
          'contexts',
          contexts.map((one) => ({ ...one, current: one.name === current })),
          [
            { title: 'name', value: 'name' },
            { title: 'current', value: (one) => (one['current'] === true ? '*' : '') },
            { title: 'endpoint', value: 'endpoint' },
          ],
        );
        return 0;
      },
    }),
    verb({
      name: 'show',
      summary: 'show one, by default the current',
      parameters: [{ name: '[name]', description: 'name of the context' }],
      examples: ['pegboard context show', 'pegboard context show work -o name'],
      run: async (invocation) => {
        const { current, contexts } = await readContexts(invocation.directory);
        const name = invocation.args[0] ?? current;
        if (name === undefined)
          throw new Failure('no context is current; select one with: pegboard context use');
        printObject(invocation, { ...find(contexts, name), current: name === current }, name);
        return 0;
      },
    }),
    verb({
      name: 'use',
      summary: 'make one the current',
      parameters: NAME,
      examples: ['pegboard context use work', 'pegboard context use home'],
      run: (invocation) =>
        change(
          invocation,
          ({ contexts }, name) => ({ current: find(contexts, name).name, contexts }),
          'is the current one',
        ),
    }),
    verb({
      name: 'add',
      summary: 'add one; the first becomes the current',
      parameters: [...NAME, { name: '<url>', description: 'such as https://tools.example.com/mcp' }],
      options: [{ flags: '--use', description: 'make it the current' }],
      examples: [
        'pegboard context add work https://tools.example.com/mcp --use',
        'pegboard context add home http://localhost:8090/mcp',
      ],
      run: (invocation) =>
        change(
          invocation,
          ({ current, contexts }, name) => {
            if (contexts.some((one) => one.name === name))
              throw new Failure(
                `there is a context ${name} already; change it with: pegboard context set ${name}`,
              );
            const added = { name: checkedName(name), endpoint: checkedUrl(invocation.args[1] ?? '') };
            const isCurrent = current === undefined || optionsOf<{ use?: boolean }>(invocation).use === true;
            return { current: isCurrent ? name : current, contexts: [...contexts, added] };
          },
          'added',
        ),
    }),
    verb({
      name: 'set',
      summary: 'change the URL of one',
      parameters: [...NAME, { name: '<url>', description: 'the new one' }],
      examples: [
        'pegboard context set work https://mcp.example.com/mcp',
        'pegboard context set home http://localhost:9000/mcp',
      ],
      run: (invocation) =>
        change(
          invocation,
          ({ current, contexts }, name) => {
            const endpoint = checkedUrl(invocation.args[1] ?? '');
            find(contexts, name);
            return {
              current,
              contexts: contexts.map((one) => (one.name === name ? { ...one, endpoint } : one)),
            };
          },
          'changed',
        ),
    }),
    verb({
      name: 'rename',
      summary: 'give one another name',
      parameters: [...NAME, { name: '<new-name>', description: 'its new name' }],
      examples: ['pegboard context rename work office', 'pegboard context rename home laptop'],
      run: (invocation) =>
        change(
          invocation,
          ({ current, contexts }, name) => {
            const next = checkedName(invocation.args[1] ?? '');
            find(contexts, name);
            if (contexts.some((one) => one.name === next))
              throw new Failure(`there is a context ${next} already`);
            return {
              current: current === name ? next : current,
              contexts: contexts.map((one) => (one.name === name ? { ...one, name: next } : one)),
            };
          },
          'renamed',
        ),
    }),
    deletion,
    // As kubectl, docker and gh have it.
    ...['rm', 'remove'].map((name) => ({ ...deletion, name, isHidden: true })),
  ],
};

type All = Awaited<ReturnType<typeof readContexts>>;

async function change(
  invocation: Invocation,
  next: (all: All, name: string) => All,
  done: string,
): Promise<number> {
  const [name = ''] = invocation.args;
  await writeContexts(invocation.directory, next(await readContexts(invocation.directory), name));
  if (optionsOf(invocation).quiet !== true) invocation.terminal.err(`context ${name} ${done}\n`);
  return 0;
}

function find(contexts: readonly Context[], name: string): Context {
  const found = contexts.find((one) => one.name === name);
  if (found !== undefined) return found;
  const known = contexts.map((one) => one.name).join(', ');
  throw new Failure(`there is no context ${name}; ${known === '' ? 'none was added' : `known are ${known}`}`);
}
