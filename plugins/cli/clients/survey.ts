import { realpath } from 'node:fs/promises';
import type { Invocation } from 'pegboard';
import { endpointOf } from '../endpointOf.ts';
import type { NamedEndpoint } from '../endpointOf.ts';
import { readPlaces } from './clientFile.ts';
import type { FoundEntries } from './clientFile.ts';
import { placesOf } from '../../kit/clients/places.ts';
import type { ClientPlace } from '../../kit/clients/places.ts';
import { planImport } from './planImport.ts';
import type { ImportPlan, Surroundings } from './planImport.ts';

export interface Survey {
  readonly places: readonly ClientPlace[];
  readonly found: FoundEntries;
  readonly plan: ImportPlan;
  /** What the plan was made with. */
  readonly around: Surroundings;
  /** The gateway. */
  readonly endpoint: NamedEndpoint;
}

/** The servers of the clients that the arguments name, of all clients without arguments. @throws Failure */
export async function survey(invocation: Invocation): Promise<Survey> {
  const { args, env, directory } = invocation;
  const places = await withoutAliases(
    placesOf(args, { env, platform: process.platform, cwd: process.cwd() }),
  );
  const endpoint = await endpointOf(invocation);
  const found = await readPlaces(places);
  const around = { directory, env, endpoint: endpoint.url };
  return { places, found, plan: await planImport(found.entries, around), around, endpoint };
}

/** Places whose files are one file by links have its first path: it is read, edited and named once. */
async function withoutAliases(places: readonly ClientPlace[]): Promise<readonly ClientPlace[]> {
  const real = await Promise.all(places.map(({ path }) => realpath(path).catch(() => path)));
  return places.map((place, index) => {
    const { path } = places[real.indexOf(real[index] ?? '')] ?? place;
    return path === place.path ? place : { ...place, path };
  });
}
