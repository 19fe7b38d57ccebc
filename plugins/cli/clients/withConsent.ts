import { plainText } from 'pegboard';
import { variableIn } from 'pegboard/kit';
import type { Invocation } from 'pegboard';
import { optionsOf } from '../commonOptions.ts';
import { ask } from '../confirm.ts';
import { shownSpec } from '../../kit/definitions/shownSpec.ts';
import type { ClientEntry } from '../../kit/clients/clientEntry.ts';
import { planImport } from './planImport.ts';
import type { ImportPlan, PlannedServer } from './planImport.ts';
import { projectApprovals } from './projectApprovals.ts';
import type { Survey } from './survey.ts';

interface Consented {
  readonly plan: ImportPlan;
  /** What was left out, for the operator, one line each. */
  readonly notes: readonly string[];
}
/** A new server of a file of the project. */
interface Offer {
  readonly entry: ClientEntry;
  readonly server: PlannedServer;
}

/** The plan without the servers of the project that the user has not agreed to: strangers may have written its files, and a server
 *  that is taken over can be run. --project agrees to all, a question to each file, Claude Code's record to single servers.
 *  @throws Failure at Ctrl-C */
export async function withConsent(
  invocation: Invocation,
  { found, plan, around }: Pick<Survey, 'found' | 'plan' | 'around'>,
): Promise<Consented> {
  const { project, dryRun } = optionsOf<{ project?: boolean; dryRun?: boolean }>(invocation);
  const approvalOf = await projectApprovals(process.cwd(), around.env);
  const left = new Map<ClientEntry, string>();
  const notes: string[] = [];
  for (const [path, offers] of offersByFile(plan)) {
    const refused = offers.filter(({ entry }) => approvalOf(entry) === 'refused');
    for (const { entry } of refused)
      left.set(entry, 'Claude Code has it as disabled (disabledMcpjsonServers)');
    const open = offers.filter(({ entry }) => approvalOf(entry) === undefined);
    if (project === true || open.length === 0) continue;
    const canAsk = dryRun !== true && invocation.terminal.input.isTTY === true;
    if (canAsk && (await ask(invocation, questionOf(path, open)))) continue;
    for (const { entry } of open) left.set(entry, 'it came with this project');
    notes.push(
      `${path} came with this project and is left out; to take its servers over: pegboard import --project`,
    );
  }
  if (left.size === 0) return { plan, notes };
  const { servers, skipped } = await planImport(
    found.entries.filter((entry) => !left.has(entry)),
    around,
  );
  const declined = [...left].map(([entry, reason]) => ({ entry, reason }));
  return { plan: { servers, skipped: [...skipped, ...declined] }, notes };
}

function offersByFile({ servers }: ImportPlan): ReadonlyMap<string, readonly Offer[]> {
  const offers = servers
    .filter(({ isOff }) => isOff)
    .flatMap((server) => server.entries.map((entry) => ({ entry, server })));
  const paths = [...new Set(offers.map(({ entry }) => entry.place.path))];
  return new Map(paths.map((path) => [path, offers.filter(({ entry }) => entry.place.path === path)]));
}

function questionOf(path: string, offers: readonly Offer[]): string {
  const lines = offers.map(({ entry, server }) => {
    const { env, headers, command = [], url = '', cwd = '' } = server.server;
    const texts = [...Object.values(env), ...Object.values(headers), ...command, url, cwd].join(' ');
    const references = [...texts.matchAll(/\$\{env:([^{}]+)\}/g)];
    const names = references.map(([, target = '']) => variableIn(target).name);
    // A variable such as NODE_OPTIONS decides what runs, too.
    const all = [...new Set([...names, ...Object.keys(env)])];
    const given = all.length === 0 ? '' : ` (is given ${all.join(', ')})`;
    // On one line, so that no command can look like another.
    return `  ${plainText(`${entry.name}: ${shownSpec(server.server)}${given}`).replaceAll(/\s+/g, ' ')}\n`;
  });
  return `${path} came with this project:\n${lines.join('')}Take over what it runs, switched off?`;
}
