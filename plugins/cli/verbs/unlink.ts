import { resolve } from 'node:path';
import type { Command } from 'pegboard';
import { ImportRecord } from '../clients/importRecord.ts';
import { CLIENT_NAMES, isNamedBy } from '../../kit/clients/places.ts';
import { undo } from '../clients/undo.ts';
import { Failure } from '../failure.ts';
import { progressTo } from '../progressTo.ts';
import { verb } from '../verb.ts';

export const unlink: Command = verb({
  name: 'unlink',
  summary: 'bring back the files of your clients as they were before link',
  parameters: [
    {
      name: '[clients...]',
      description: `${CLIENT_NAMES.join(', ')}, or paths of files; all that are linked when none is named`,
    },
  ],
  options: [
    { flags: '-y, --yes', description: 'write without asking' },
    { flags: '--dry-run', description: 'show what would be written, and write nothing' },
  ],
  examples: ['pegboard unlink', 'pegboard unlink claude-code --yes'],
  run: async (invocation) => {
    const { args, directory } = invocation;
    return ImportRecord.locked(directory, async (record) => {
      const linked = record.steps.filter((step) => step.kind === 'link');
      const clients = [...new Set(linked.map(({ client }) => client))];
      const isMeant = (client: string, word: string): boolean =>
        client === word || isNamedBy(client, word) || client === resolve(word);
      const missing = args.findIndex((word) => !clients.some((client) => isMeant(client, word)));
      if (missing >= 0)
        throw new Failure(
          `${args[missing] ?? ''} is not linked; linked are: ${clients.join(', ') || 'none'}`,
        );
      if (clients.length === 0) progressTo(invocation)('no client is linked');
      const wanted = linked.filter(
        ({ client }) => args.length === 0 || args.some((word) => isMeant(client, word)),
      );
      return undo(wanted, record, invocation);
    });
  },
});
