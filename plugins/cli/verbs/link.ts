import type { Command, Invocation } from 'pegboard';
import { carryOut } from '../clients/carryOut.ts';
import { ImportRecord } from '../clients/importRecord.ts';
import { planLinks } from '../clients/linkClients.ts';
import { CLIENT_NAMES } from '../../kit/clients/places.ts';
import { survey } from '../clients/survey.ts';
import { wholeEntries } from '../clients/wholeEntries.ts';
import { optionsOf } from '../commonOptions.ts';
import { headersToLink } from '../signIn/localToken.ts';
import { verb } from '../verb.ts';

interface LinkOptions {
  readonly dryRun?: boolean;
  readonly lossy?: boolean;
}

export const link: Command = verb({
  name: 'link',
  summary: 'put Pegboard into your clients in place of imported servers',
  parameters: [
    {
      name: '[clients...]',
      description: `${CLIENT_NAMES.join(', ')}, or paths of files; all clients that have a file when none is named`,
    },
  ],
  options: [
    { flags: '--lossy', description: 'also in place of servers of which something is left behind' },
    { flags: '-y, --yes', description: 'write without asking' },
    { flags: '--dry-run', description: 'show what would be written, and write nothing' },
  ],
  examples: ['pegboard link', 'pegboard link codex cursor --endpoint https://mcp.example.com/mcp --yes'],
  run: async (invocation) => {
    const { dryRun } = optionsOf<LinkOptions>(invocation);
    if (dryRun === true) return linkClients(invocation, undefined);
    return ImportRecord.locked(invocation.directory, (record) => linkClients(invocation, record));
  },
});

/** @param record undefined shows only */
async function linkClients(invocation: Invocation, record: ImportRecord | undefined): Promise<number> {
  const { places, found, plan: all, endpoint } = await survey(invocation);
  // What is stopped is not offered, so it stays in its client.
  const plan = {
    servers: all.servers.filter(({ isPresent, server }) => isPresent && !server.isOff),
    skipped: [],
  };
  const { whole: imported, notes } = wholeEntries(plan.servers, optionsOf<LinkOptions>(invocation).lossy);
  const { texts } = found;
  const named = invocation.args;
  const headers = await headersToLink(invocation, endpoint);
  const { links, faults } = planLinks({ places, texts, imported, endpoint: endpoint.url, headers, named });
  return carryOut(invocation, record, {
    plan,
    links,
    endpoint,
    faults: [...found.faults, ...faults],
    notes,
    fresh: 0,
    nothing: 'nothing to link: name a client, or import first',
    write: () => Promise.resolve(),
    done: (count) => `linked ${count} to ${endpoint.url}; take it back with: pegboard unlink`,
  });
}
