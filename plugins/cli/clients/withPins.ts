import { messageOf } from 'pegboard';
import type { Invocation, JsonObject } from 'pegboard';
import { parse, stringify } from 'yaml';
import { packageOf, pinnedSpec } from '../add/withPin.ts';
import { Failure } from '../failure.ts';
import { FalseProvenance } from '../../kit/provenance/provenance.ts';
import { lookedUp } from '../packages/lookedUp.ts';
import { nearPopular } from '../../kit/packages/nearPopular.ts';
import type { PlannedServer } from './planImport.ts';

/** The servers with their packages pinned, and what the user should see about it, one line each. A package that cannot be pinned stays as
 *  its client has it. */
export async function withPins(
  servers: readonly PlannedServer[],
  invocation: Invocation,
): Promise<{ readonly servers: readonly PlannedServer[]; readonly notes: readonly string[] }> {
  const notes: string[] = [];
  const pinned: PlannedServer[] = [];
  for (const one of servers) pinned.push(await withPin(one, invocation, notes));
  return { servers: pinned, notes };
}

/** Names of servers that may run another version at each start. */
export function unpinnedIn(servers: readonly PlannedServer[]): readonly string[] {
  return servers.flatMap(({ name, server, isPresent }) => {
    const named = isPresent ? undefined : packageOf({ command: server.command });
    return named === undefined || named.isExact ? [] : [name];
  });
}

/** A warning for each server whose package has a name near that of another. */
export function nearNotes(servers: readonly PlannedServer[]): readonly string[] {
  return servers.flatMap(({ name, server, isPresent }) => {
    const named = isPresent ? undefined : packageOf({ command: server.command });
    const near = named && nearPopular(named);
    return near === undefined
      ? []
      : [`${name}: ${named?.name} is not ${near}, but its name is near; is it the one?`];
  });
}

async function withPin(one: PlannedServer, invocation: Invocation, notes: string[]): Promise<PlannedServer> {
  const { name, definition } = one;
  const spec = parse(definition.text) as JsonObject;
  const named = packageOf(spec);
  if (named === undefined) return one;
  try {
    const { found, facts } = await lookedUp(named, invocation);
    notes.push(`${name}: ${facts}`);
    return withSpec(one, pinnedSpec(spec, named, found.source));
  } catch (error) {
    if (error instanceof FalseProvenance) {
      notes.push(`${name} is taken over and suspended: ${error.message}`);
      return { ...withSpec(one, { ...spec, suspended: true }), doesStart: false };
    }
    if (!(error instanceof Failure)) throw error;
    notes.push(`${name} is not pinned: ${messageOf(error)}; pin it later with: pegboard upgrade ${name}`);
    return one;
  }
}

function withSpec(one: PlannedServer, spec: JsonObject): PlannedServer {
  const { definition } = one;
  const [comment = ''] = definition.text.split('\n', 1);
  const text = `${comment}\n${stringify(spec, { lineWidth: 0 })}`;
  return { ...one, definition: { ...definition, text } };
}
