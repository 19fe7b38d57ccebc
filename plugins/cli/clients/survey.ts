import type { Invocation } from 'pegboard';
import { endpointOf } from '../endpointOf.ts';
import { readPlaces } from './clientFile.ts';
import type { Found } from './clientFile.ts';
import { placesOf } from './places.ts';
import type { Place } from './places.ts';
import { planImport } from './planImport.ts';
import type { ImportPlan } from './planImport.ts';

export interface Survey {
  readonly places: readonly Place[];
  readonly found: Found;
  readonly plan: ImportPlan;
  /** URL of the gateway. */
  readonly endpoint: string;
}

/** The servers of the clients that the arguments name, of all clients without arguments. @throws Failure */
export async function survey(invocation: Invocation): Promise<Survey> {
  const { args, env, directory } = invocation;
  const places = placesOf(args, { env, platform: process.platform, cwd: process.cwd() });
  const { url: endpoint } = await endpointOf(invocation);
  const found = await readPlaces(places);
  const plan = await planImport(found.entries, { directory, env, endpoint });
  return { places, found, plan, endpoint };
}
