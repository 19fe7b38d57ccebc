import { optionsOf } from '../commonOptions.ts';
import { Gateway } from '../gateway.ts';
import { KINDS, filtered, kindOf } from '../kinds.ts';
import type { ItemFilter } from '../kinds.ts';
import { printList } from '../output/print.ts';
import { verb } from '../verb.ts';

export const list = verb({
  name: 'list',
  summary: 'list tools, servers, workflows and more',
  parameters: [{ name: '<kind>', description: KINDS.map(({ plural }) => plural).join(', ') }],
  options: [
    { flags: '--server <name>', description: 'only those of this server' },
    { flags: '--filter <glob>', description: 'only names that match, such as *_list' },
    {
      flags: '--label <name=value>',
      description: 'only those with this label; may be repeated',
      isList: true,
    },
  ],
  examples: ['pegboard list tools --server github', 'pegboard list servers -o wide'],
  run: (invocation) =>
    Gateway.connected(invocation, async (gateway) => {
      const kind = kindOf(invocation.args[0] ?? '');
      const items = filtered(await kind.list(gateway), optionsOf<ItemFilter>(invocation), kind);
      printList(invocation, kind.plural, items, kind.columns);
      return 0;
    }),
});
