import { isObject } from 'pegboard';
import type { Invocation } from 'pegboard';
import { readConfig } from '../readConfig.ts';
import { oauthRemotes } from './oauthRemotes.ts';
import { planImport } from './planImport.ts';
import type { ImportPlan, PlannedServer, Surroundings } from './planImport.ts';

interface SignedIn {
  readonly plan: ImportPlan;
  /** What the user should know or do, one line each. */
  readonly notes: readonly string[];
}

/** The plan with `auth` for the new remotes at which people sign in: their clients do so by themselves. What is off is not asked.
 *  @throws Failure */
export async function withSignIns(
  invocation: Invocation,
  plan: ImportPlan,
  around: Surroundings,
): Promise<SignedIn> {
  const asked = plan.servers.flatMap((one) => (isAsked(one) ? [one.server] : []));
  const remotes = asked.map(({ url = '', headers }) => ({ url, headers }));
  const found = await oauthRemotes(invocation, remotes);
  const oauthUrls = new Set(remotes.filter((_, at) => found[at] === 'yes').map(({ url }) => url));
  if (oauthUrls.size === 0) return { plan, notes: [] };
  const entries = plan.servers.flatMap((one) => one.entries);
  const { servers } = await planImport(entries, { ...around, oauthUrls });
  const names = servers.filter(({ server }) => oauthUrls.has(server.url ?? '')).map(({ name }) => name);
  const then = `then: pegboard auth login --server ${names[0] ?? ''}`;
  const note = `people sign in at ${names.join(', ')}, which got auth: { type: oauth }; ${(await isEnabled(around)) ? then : `set aggregator.oauth.mcpClient.enabled: true in config.yaml, ${then}`}`;
  return { plan: { servers, skipped: plan.skipped }, notes: [note] };
}

function isAsked({ server, isPresent, isOff }: PlannedServer): boolean {
  const { url, auth, secrets } = server;
  return (
    url !== undefined && auth === undefined && secrets.size === 0 && !isPresent && !isOff && !server.isOff
  );
}

async function isEnabled({ directory }: Surroundings): Promise<boolean> {
  let value: unknown = (await readConfig(directory)).value;
  for (const key of ['aggregator', 'oauth', 'mcpClient', 'enabled'])
    value = isObject(value) ? value[key] : undefined;
  return value === true;
}
