import type { JsonObject } from 'pegboard';
import { SignInFault, shownAddress } from './network.ts';
import type { Network } from './network.ts';
import { scopesIn } from './scopesIn.ts';

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/** What a server publishes about its tokens. Source: RFC 9728 §2 */
export interface ResourceMetadata {
  /** The server's url, or one above it. */
  readonly resource: string;
  /** Identifiers of authorization servers, at least one. */
  readonly issuers: readonly [string, ...string[]];
  readonly scopes: readonly string[];
}

/** The metadata at the place that the challenge names, else below the origin of the server; undefined if it publishes none.
 *  @param named resource_metadata of the challenge @throws SignInFault. Source: RFC 9728 §3, §5 */
export async function resourceMetadata(
  network: Network,
  named: string | undefined,
): Promise<ResourceMetadata | undefined> {
  const { server } = network;
  if (named !== undefined && !URL.canParse(named))
    throw new SignInFault('the resource_metadata of the challenge is not a URL');
  if (named !== undefined) {
    const read = await network.read(new URL(named), false);
    if ('document' in read) return usable(read.document, new URL(named), server);
  }
  const guesses = [WELL_KNOWN + server.pathname.replace(/^\/$/, ''), WELL_KNOWN];
  for (const path of new Set(guesses)) {
    const url = new URL(server.origin + path);
    const read = await network.read(url, true);
    if ('document' in read) return usable(read.document, url, server);
  }
  return undefined;
}

/** @throws SignInFault */
function usable(document: JsonObject, from: URL, server: URL): ResourceMetadata {
  const { resource, authorization_servers: servers, scopes_supported: scopes } = document;
  if (typeof resource !== 'string') throw new SignInFault(`${shownAddress(from)} has no resource`);
  if (!covers(resource, server))
    throw new SignInFault(
      `${shownAddress(from)} is for the resource ${resource}, which is not the server at ${shownAddress(server)}`,
    );
  const [first, ...others] = Array.isArray(servers) ? (servers as unknown[]).filter(isText) : [];
  if (first === undefined) throw new SignInFault(`${shownAddress(from)} names no authorization server`);
  return { resource, issuers: [first, ...others], scopes: scopesIn(scopes) };
}

/** Whether a token for this resource is for the server: one for another origin must not be requested for it. Source: RFC 9728 §3.3 */
function covers(resource: string, server: URL): boolean {
  if (!URL.canParse(resource)) return false;
  const { origin, pathname, search, hash, username, password } = new URL(resource);
  if (origin !== server.origin || username + password + hash !== '') return false;
  if (search !== '' && search !== server.search) return false;
  const path = pathname.replace(/\/$/, '');
  return server.pathname === path || server.pathname.startsWith(`${path}/`);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
