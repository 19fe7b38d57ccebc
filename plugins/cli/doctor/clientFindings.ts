import type { Invocation } from 'pegboard';
import { survey } from '../clients/survey.ts';
import { Failure } from '../failure.ts';
import type { Finding } from './finding.ts';

/** Which clients of this user have Pegboard, and which still have servers of their own. */
export async function clientFindings(invocation: Invocation): Promise<readonly Finding[]> {
  try {
    return await surveyed(invocation);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const fix = 'pegboard import --dry-run';
    return [{ level: 'warning', subject: 'clients', message: error.message, fix }];
  }
}

async function surveyed(invocation: Invocation): Promise<readonly Finding[]> {
  const { places, found, plan } = await survey({ ...invocation, args: [] });
  const present = places.filter(({ path }) => found.texts.has(path));
  const clients = new Map(present.map(({ client, label }) => [client, label]));
  const linked = new Set(
    plan.skipped.filter(({ reason }) => reason === 'Pegboard itself').map(({ entry }) => entry.place.client),
  );
  const entries = plan.servers.flatMap((server) => server.entries);
  return [
    ...[...clients].map(([client, label]): Finding => {
      const subject = `client ${label}`;
      const own = entries.filter(({ place }) => place.client === client).map(({ name }) => name);
      const state = linked.has(client) ? 'has Pegboard' : 'does not have Pegboard';
      if (own.length > 0) {
        const message = `${state}, and servers of its own: ${own.join(', ')}`;
        return { level: 'warning', subject, message, fix: `pegboard import --link ${client}` };
      }
      const fix = linked.has(client) ? {} : { fix: `pegboard link ${client}` };
      return { level: 'ok', subject, message: state, ...fix };
    }),
    ...found.faults.map((message): Finding => {
      const fix = 'correct the file, then: pegboard import --dry-run';
      return { level: 'warning', subject: 'clients', message, fix };
    }),
  ];
}
