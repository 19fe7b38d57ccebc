import type { Command, Invocation } from 'pegboard';
import { linkAll } from '../clients/linkAll.ts';
import { ImportRecord } from '../clients/importRecord.ts';
import { planLinks } from '../clients/linkClients.ts';
import { notesAfterLink } from '../clients/notesAfterLink.ts';
import { notesBeforeLink } from '../clients/notesBeforeLink.ts';
import { CLIENT_NAMES } from '../clients/places.ts';
import { reportText } from '../clients/report.ts';
import { survey } from '../clients/survey.ts';
import { optionsOf } from '../commonOptions.ts';
import { confirm } from '../confirm.ts';
import { progressTo } from '../progressTo.ts';
import { verb } from '../verb.ts';

interface LinkOptions {
  readonly dryRun?: boolean;
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
    { flags: '-y, --yes', description: 'write without asking' },
    { flags: '--dry-run', description: 'show what would be written, and write nothing' },
  ],
  examples: ['pegboard link', 'pegboard link codex cursor --endpoint https://mcp.example.com/mcp --yes'],
  run: async (invocation) => {
    const { dryRun } = optionsOf<LinkOptions>(invocation);
    if (dryRun === true) return linkClients(invocation, undefined);
    return ImportRecord.with(invocation.directory, (record) => linkClients(invocation, record));
  },
});

/** @param record undefined shows only */
async function linkClients(invocation: Invocation, record: ImportRecord | undefined): Promise<number> {
  const { terminal, args } = invocation;
  const tell = progressTo(invocation);
  const { places, found, plan, endpoint } = await survey(invocation);
  const present = { servers: plan.servers.filter(({ isPresent }) => isPresent), skipped: [] };
  const imported = present.servers.flatMap(({ entries }) => entries);
  const { links, faults: unlinkable } = planLinks({
    places,
    texts: found.texts,
    imported,
    endpoint: endpoint.url,
    named: args,
  });
  const faults = [...found.faults, ...unlinkable];
  terminal.out(reportText({ plan: present, links, faults }, invocation));
  for (const fault of faults) terminal.err(`pegboard: ${fault}\n`);
  for (const note of notesBeforeLink(links)) tell(note);
  if (links.length === 0) tell('nothing to link: name a client, or import first');
  const code = faults.length > 0 ? 1 : 0;
  if (record === undefined || links.length === 0) return code;
  if (!(await confirm(invocation, `Edit ${links.length} file${links.length === 1 ? '' : 's'} of clients?`))) {
    tell('nothing was written');
    return 1;
  }
  const refused = await linkAll(links, record);
  for (const fault of refused) terminal.err(`pegboard: ${fault}\n`);
  tell(`linked ${links.length - refused.length} to ${endpoint.url}; take it back with: pegboard unlink`);
  for (const note of await notesAfterLink(links, endpoint)) tell(note);
  return refused.length > 0 ? 1 : code;
}
