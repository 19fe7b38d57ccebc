import type { Invocation } from 'pegboard';
import { confirm } from '../confirm.ts';
import type { NamedEndpoint } from '../endpointOf.ts';
import { progressTo } from '../progressTo.ts';
import { Failure, NoGateway } from '../failure.ts';
import { absenceFix, gatewayUnreachable } from '../gatewayUnreachable.ts';
import type { ImportRecord } from './importRecord.ts';
import type { Report } from './report.ts';
import { reportText } from './report.ts';
import { linkFile } from './linkClients.ts';
import type { PlannedLink } from './linkClients.ts';

const PATIENCE_MS = 1_000;

export interface ImportWork extends Report {
  readonly endpoint: NamedEndpoint;
  /** What the user should know before it is written, besides what linking entails. */
  readonly notes: readonly string[];
  /** Number of definitions that are written. */
  readonly fresh: number;
  /** Said if there is nothing to write. */
  readonly nothing: string;
  /** Writes the definitions. */
  readonly write: (record: ImportRecord) => Promise<void>;
  /** What was done, in words. */
  readonly done: (linked: number) => string;
}

/** Shows what was found and what would be written, asks, and writes. @param record undefined shows only
 *  @returns the exit code @throws Failure */
export async function carryOut(
  invocation: Invocation,
  record: ImportRecord | undefined,
  { endpoint, notes, fresh, nothing, write, done, ...report }: ImportWork,
): Promise<number> {
  const { terminal } = invocation;
  const { links, faults } = report;
  const tell = progressTo(invocation);
  terminal.out(reportText(report, invocation));
  for (const fault of faults) terminal.err(`pegboard: ${fault}\n`);
  for (const note of [...notes, ...notesBeforeLink(links)]) tell(note);
  const isNothing = fresh === 0 && links.length === 0;
  if (isNothing) tell(nothing);
  const code = faults.length > 0 ? 1 : 0;
  if (record === undefined || isNothing) return code;
  if (!(await confirm(invocation, questionOf(fresh, links.length)))) {
    tell('nothing was written');
    return 1;
  }
  await write(record);
  const refused = await linkAll(links, record);
  for (const fault of refused) terminal.err(`pegboard: ${fault}\n`);
  tell(done(links.length - refused.length));
  for (const note of await notesAfterLink(links, endpoint)) tell(note);
  return refused.length > 0 ? 1 : code;
}

function questionOf(servers: number, links: number): string {
  const parts = [
    ...(servers > 0 ? [`write ${servers} definition${servers === 1 ? '' : 's'}`] : []),
    ...(links > 0 ? [`edit ${links} file${links === 1 ? '' : 's'} of clients`] : []),
  ];
  const words = parts.join(' and ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}?`;
}

/** Links each file that can be linked. @returns the faults of the others */
async function linkAll(links: readonly PlannedLink[], record: ImportRecord): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const one of links)
    await linkFile(one, record).catch((error: unknown) => {
      if (!(error instanceof Failure)) throw error;
      faults.push(error.message);
    });
  return faults;
}

/** What the user should know before these files are written, one line each. */
function notesBeforeLink(links: readonly PlannedLink[]): readonly string[] {
  return links.flatMap(({ place: { scope, path }, isPrivate }) => [
    ...(scope === 'project'
      ? [`${path} is shared with the project: everyone who works on it gets the change`]
      : []),
    ...(isPrivate ? [`${path} gets the local token of the gateway: only you can read it from then on`] : []),
  ]);
}

/** What is still to be done before the linked clients work, one line each. */
async function notesAfterLink(
  links: readonly PlannedLink[],
  endpoint: NamedEndpoint,
): Promise<readonly string[]> {
  if (links.length === 0) return [];
  const notes = new Set(links.flatMap(({ place: { note } }) => note ?? []));
  if (await isAnswering(endpoint)) return [...notes];
  return [`no gateway answers at ${endpoint.url} yet; ${absenceFix(endpoint)}`, ...notes];
}

/** Looks once. Any answer will do, and HEAD opens no session and no stream. */
async function isAnswering(endpoint: NamedEndpoint): Promise<boolean> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  try {
    await fetch(endpoint.url, { method: 'HEAD', redirect: 'manual', signal });
    return true;
  } catch (error) {
    return !signal.aborted && !(gatewayUnreachable(error, endpoint) instanceof NoGateway);
  }
}
