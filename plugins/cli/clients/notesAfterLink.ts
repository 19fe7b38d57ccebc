import type { NamedEndpoint } from '../endpointOf.ts';
import { NoGateway } from '../failure.ts';
import { absenceFix, gatewayUnreachable } from '../gatewayUnreachable.ts';
import type { PlannedLink } from './linkClients.ts';

const PATIENCE_MS = 1_000;

/** What is still to be done before the linked clients work, one line each. */
export async function notesAfterLink(
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
