import { stat } from 'node:fs/promises';
import type { Command, Invocation } from 'pegboard';
import { carryOut } from '../clients/carryOut.ts';
import { followStarts } from '../clients/followStarts.ts';
import { ImportRecord } from '../clients/importRecord.ts';
import type { ImportPlan, PlannedServer } from '../clients/planImport.ts';
import { planLinks } from '../clients/linkClients.ts';
import { CLIENT_NAMES } from '../../kit/clients/places.ts';
import { notesOf } from '../clients/report.ts';
import { nearNotes, unpinnedIn, withPins } from '../clients/withPins.ts';
import { survey } from '../clients/survey.ts';
import { undo } from '../clients/undo.ts';
import { wholeEntries } from '../clients/wholeEntries.ts';
import { withConsent } from '../clients/withConsent.ts';
import { withSignIns } from '../clients/withSignIns.ts';
import { progressTo } from '../progressTo.ts';
import { writeRecorded } from '../clients/writeRecorded.ts';
import { optionsOf } from '../commonOptions.ts';
import { SERVER_KIND } from '../definitions/definitionKinds.ts';
import { importDirectory } from '../directory/importDirectory.ts';
import { Failure } from '../failure.ts';
import { schemaLineIn } from '../schemaLineIn.ts';
import { headersToLink } from '../signIn/localToken.ts';
import { verb } from '../verb.ts';

interface ImportOptions {
  readonly link?: boolean;
  readonly lossy?: boolean;
  readonly pin?: boolean;
  readonly undo?: boolean;
  readonly dryRun?: boolean;
}

export const importVerb: Command = verb({
  name: 'import',
  summary: 'take over the MCP servers of your clients',
  parameters: [
    {
      name: '[clients...]',
      description: `${CLIENT_NAMES.join(', ')}, or paths of files; all clients when none is named; or the directory of another gateway`,
    },
  ],
  options: [
    { flags: '--link', description: 'put Pegboard into the clients in place of what is imported' },
    {
      flags: '--lossy',
      description: 'with --link: also in place of servers of which something is left behind',
    },
    {
      flags: '--pin',
      description: 'ask the registries for the versions and hashes of what is run, and pin them',
    },
    { flags: '--trusted-root <file>', description: 'with --pin: keys of Sigstore in place of those shipped' },
    { flags: '--undo', description: 'take the last import back, with the links made since' },
    {
      flags: '--project',
      description: 'take servers of files of this project too, switched off; else each file is asked about',
    },
    {
      flags: '-y, --yes',
      description: 'write without asking; leaves the question about each file of this project',
    },
    { flags: '--dry-run', description: 'show what would be written, and write nothing' },
  ],
  examples: [
    'pegboard import --link',
    'pegboard import cursor ./mcp.json --dry-run',
    'pegboard import ./muster --config-path ./pegboard --dry-run',
    'pegboard import --undo',
  ],
  run: async (invocation) => {
    const { undo: isUndo, dryRun } = optionsOf<ImportOptions>(invocation);
    if (isUndo === true) return undoLast(invocation);
    const [source, ...more] = invocation.args;
    if (source !== undefined && more.length === 0 && (await isFolder(source)))
      return importDirectory(invocation, source, dryRun === true);
    if (dryRun === true) return (await importServers(invocation, undefined)).code;
    const { code, starting } = await ImportRecord.locked(invocation.directory, (record) =>
      importServers(invocation, record),
    );
    await followStarts(starting, invocation);
    return code;
  },
});

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
}

interface Imported {
  /** The exit code. */
  readonly code: number;
  /** Names of the servers that a running gateway starts now. */
  readonly starting: readonly string[];
}

/** @param record undefined shows only */
async function importServers(invocation: Invocation, record: ImportRecord | undefined): Promise<Imported> {
  const { link, lossy, pin } = optionsOf<ImportOptions>(invocation);
  const { places, found, endpoint, ...surveyed } = await survey(invocation);
  const consented = await withConsent(invocation, { found, ...surveyed });
  const { plan } = consented;
  // What is off stays in its client until `pegboard link`: nothing would offer it.
  const { whole, notes: staying } = wholeEntries(
    plan.servers.filter(({ isOff, server }) => !isOff && !server.isOff),
    lossy,
  );
  const { links, faults } =
    link === true
      ? planLinks({
          places,
          texts: found.texts,
          imported: whole,
          endpoint: endpoint.url,
          named: invocation.args,
          headers: await headersToLink(invocation, endpoint),
        })
      : { links: [], faults: [] };
  const fresh = plan.servers.filter(({ isPresent }) => !isPresent);
  const starting: string[] = [];
  const code = await carryOut(invocation, record, {
    plan,
    links,
    endpoint,
    faults: [...found.faults, ...faults],
    notes: [
      ...notesOf(plan),
      ...nearNotes(plan.servers),
      ...(pin === true ? [] : unpinnedNotes(plan)),
      ...consented.notes,
      ...(link === true ? staying : []),
    ],
    fresh: fresh.length,
    nothing: 'nothing to import',
    write: async (own) => {
      // Remotes are asked only after the user has agreed.
      const signed = await withSignIns(invocation, plan, surveyed.around);
      const planned = signed.plan.servers.filter(({ isPresent }) => !isPresent);
      const pins = pin === true ? await withPins(planned, invocation) : { servers: planned, notes: [] };
      const wanted = pins.servers;
      if (wanted.length > 0) await writeRecorded(await withLines(wanted, invocation.directory), own);
      starting.push(...wanted.filter(({ doesStart }) => doesStart).map(({ name }) => name));
      for (const note of [...signed.notes, ...pins.notes]) progressTo(invocation)(note);
    },
    done: (count) => {
      const linked = `linked ${count}; take it back with: pegboard`;
      return fresh.length > 0 ? `imported ${fresh.length}, ${linked} import --undo` : `${linked} unlink`;
    },
  });
  return { code, starting };
}

function unpinnedNotes({ servers }: ImportPlan): readonly string[] {
  const names = unpinnedIn(servers);
  if (names.length === 0) return [];
  return [`not pinned to a version: ${names.join(', ')}; add --pin, or pin one later with: pegboard upgrade`];
}

function undoLast(invocation: Invocation): Promise<number> {
  const { directory } = invocation;
  return ImportRecord.locked(directory, async (record) => {
    const last = record.steps.findLastIndex(({ kind }) => kind === 'import');
    if (last < 0) throw new Failure(`nothing to undo: no import is recorded in ${directory}`);
    return undo(record.steps.slice(last), record, invocation);
  });
}

/** The definitions with the line by which editors find their schema. */
async function withLines(
  servers: readonly PlannedServer[],
  directory: string,
): Promise<readonly PlannedServer[]> {
  const line = await schemaLineIn(directory, SERVER_KIND.kind);
  return servers.map((one) => {
    const { path, text } = one.definition;
    return { ...one, definition: { path, text: `${line}${text}` } };
  });
}
