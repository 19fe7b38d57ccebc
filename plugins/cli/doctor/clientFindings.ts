import type { Invocation } from 'pegboard';
import type { ClientEntry } from '../../kit/clients/clientEntry.ts';
import { survey } from '../clients/survey.ts';
import type { NamedEndpoint } from '../endpointOf.ts';
import { Failure } from '../failure.ts';
import { localToken } from '../signIn/localToken.ts';
import type { DoctorFinding } from './doctorFinding.ts';

/** Which clients of this user have Pegboard, and which still have servers of their own. */
export async function clientFindings(invocation: Invocation): Promise<readonly DoctorFinding[]> {
  try {
    return await surveyed(invocation);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const fix = 'pegboard import --dry-run';
    return [{ level: 'warning', subject: 'clients', message: error.message, fix }];
  }
}

async function surveyed(invocation: Invocation): Promise<readonly DoctorFinding[]> {
  const { places, found, plan, endpoint } = await survey({ ...invocation, args: [] });
  const token = await localToken(invocation, endpoint);
  const present = places.filter(({ path, isReadOnly }) => !isReadOnly && found.texts.has(path));
  const clients = new Map(present.map(({ client, label }) => [client, label]));
  const linked = plan.skipped.filter(({ reason }) => reason === 'Pegboard itself').map(({ entry }) => entry);
  // Linking leaves the others where they are.
  const entries = plan.servers.flatMap((one) => one.entries).filter(({ place }) => !place.isReadOnly);
  const of = (client: string, all: readonly ClientEntry[]): readonly ClientEntry[] =>
    all.filter(({ place }) => place.client === client);
  return [
    ...[...clients].map(([client, label]): DoctorFinding => {
      const subject = `client ${label}`;
      const own = of(client, entries).map(({ name }) => name);
      const ours = of(client, linked);
      const state = ours.length > 0 ? 'has Pegboard' : 'does not have Pegboard';
      if (own.length > 0) {
        const message = `${state}, and servers of its own: ${own.join(', ')}`;
        return { level: 'warning', subject, message, fix: `pegboard import --link ${client}` };
      }
      const fix = `pegboard link ${client}`;
      if (ours.some((entry) => lacks(entry, endpoint, token)))
        return { level: 'warning', subject, message: `${state}, without the local token`, fix };
      return { level: 'ok', subject, message: state, ...(ours.length === 0 && { fix }) };
    }),
    ...found.faults.map((message): DoctorFinding => {
      const fix = 'correct the file, then: pegboard import --dry-run';
      return { level: 'warning', subject: 'clients', message, fix };
    }),
  ];
}

/** Whether the gateway will refuse the client; one that starts a process has no address, and needs no token. */
function lacks({ value }: ClientEntry, { url }: NamedEndpoint, token: string | undefined): boolean {
  return token !== undefined && Object.values(value).includes(url) && !JSON.stringify(value).includes(token);
}
