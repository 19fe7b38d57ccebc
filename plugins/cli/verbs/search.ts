import { isObject } from 'pegboard';
import { optionsOf } from '../commonOptions.ts';
import { Failure } from '../failure.ts';
import { Gateway } from '../gateway.ts';
import { printList } from '../output/print.ts';
import { verb } from '../verb.ts';

export const search = verb({
  name: 'search',
  summary: 'find tools by what they do',
  parameters: [{ name: '<words...>', description: 'what the tool should do, in plain words' }],
  options: [{ flags: '--limit <number>', description: 'how many tools', default: '10' }],
  examples: ['pegboard search open a pull request', 'pegboard search "read a file" --limit 3'],
  run: (invocation) =>
    Gateway.connected(invocation, async (gateway) => {
      const { limit, quiet, output } = optionsOf<{ limit: string }>(invocation);
      if (!/^[1-9]\d{0,3}$/.test(limit))
        throw new Failure(`--limit must be a number from 1 to 9999, not ${limit}`);
      const answer = await gateway.read('filter_tools', {
        query: invocation.args.join(' '),
        limit: Number(limit),
      });
      const tools = Array.isArray(answer['tools']) ? answer['tools'].filter((tool) => isObject(tool)) : [];
      printList(invocation, 'tools', tools, [
        { title: 'name', value: 'name' },
        { title: 'server', value: 'server' },
        { title: 'score', value: 'score' },
        { title: 'summary', value: 'summary' },
      ]);
      if (answer['confident'] === false && quiet !== true && output !== 'json' && output !== 'yaml')
        invocation.terminal.err(
          'not sure: no tool matches well; try other words, or see: pegboard list tools\n',
        );
      return tools.length === 0 ? 1 : 0;
    }),
});
