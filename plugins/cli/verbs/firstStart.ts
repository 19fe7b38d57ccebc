import { existsSync, readdirSync } from 'node:fs';
import type { Command } from 'pegboard';
import type { ImportPlan } from '../clients/planImport.ts';
import { survey } from '../clients/survey.ts';
import { confirm } from '../confirm.ts';
import { verb } from '../verb.ts';
import { importVerb } from './importVerb.ts';

const START = 'Start the gateway with: pegboard serve\n';

/** Says what to type. Before there is a configuration, it imports the servers of the clients if the user agrees; only then does the
 *  gateway start. */
export const firstStart: Command = verb({
  name: 'first-start',
  summary: 'what pegboard says without a verb',
  isHidden: true,
  isFirstStart: true,
  run: async (invocation) => {
    const { terminal, options, directory } = invocation;
    if (existsSync(directory) && readdirSync(directory).some((name) => name !== 'state')) {
      terminal.out(`The configuration is in ${directory}\n${START}`);
      terminal.out('While it runs, see what it has with: pegboard list servers\n');
      terminal.out('Find out what is wrong with: pegboard doctor\nAll verbs: pegboard --help\n');
      return 0;
    }
    const { plan, found } = await survey(invocation);
    for (const fault of found.faults) terminal.err(`pegboard: ${fault}\n`);
    const clients = Object.entries(namesByClient(plan));
    for (const [client, names] of clients) terminal.out(`${client}: ${names.join(', ')}\n`);
    if (clients.length === 0) terminal.out('No MCP servers were found in your clients.\n');
    else if (await confirm(invocation, 'Import these servers of your clients, and start the gateway?')) {
      await importVerb.run?.({ ...invocation, options: { ...options, yes: true } });
      terminal.out('Put Pegboard into your clients in their place with: pegboard link\n');
      return 0;
    } else terminal.out('Import them later with: pegboard import\n');
    terminal.out(`Add a server with: pegboard add <name> -- <command>\n${START}`);
    return 0;
  },
});

/** The servers that can be imported, under the label of each client that has them. */
function namesByClient({ servers }: ImportPlan): Readonly<Record<string, readonly string[]>> {
  const names: Record<string, string[]> = {};
  for (const { place, name } of servers.flatMap(({ entries }) => entries)) {
    const own = (names[place.isOfProject ? `${place.label} (this project)` : place.label] ??= []);
    if (!own.includes(name)) own.push(name);
  }
  return names;
}
