import type { InboundRequest } from 'pegboard';
import type { GuardedServer } from '../../contracts/credentials.ts';
import { SignInFault } from '../discovery/network.ts';
import { personHolder } from '../grants/record/holderOf.ts';
import { signInKindOf } from '../grants/record/signInKindOf.ts';
import { askerOf } from './askerOf.ts';
import type { BeginParts } from './beginSignIn.ts';
import { NO_ADDRESS, SECRETS_PATH } from './ownAddresses.ts';

/** The secrets that the request's caller has not entered for a server, by NAME. @throws GatewayError STORE_UNREACHABLE */
export async function missingSecrets(
  { name, url, auth }: GuardedServer,
  request: InboundRequest,
  { secrets }: Pick<BeginParts, 'secrets'>,
): Promise<readonly string[]> {
  if (auth.callerSecrets.length === 0) return [];
  const place = { owner: personHolder(request).owner, server: name };
  await secrets.read(place);
  const known = secrets.known(place, url) ?? {};
  return auth.callerSecrets.filter((one) => !Object.hasOwn(known, one));
}

/** The link to a page where the caller enters secrets: those that are missing, or all if the server refuses what it has.
 *  @returns undefined if a sign-in is what the server wants @throws SignInFault; GatewayError STORE_UNREACHABLE */
export async function askSecrets(
  server: GuardedServer,
  request: InboundRequest,
  parts: BeginParts,
): Promise<string | undefined> {
  const missing = await missingSecrets(server, request, parts);
  const names =
    missing.length === 0 && signInKindOf(server) === 'secrets' ? server.auth.callerSecrets : missing;
  if (names.length === 0) return undefined;
  const at = parts.addresses.at(SECRETS_PATH);
  if (at === undefined) throw new SignInFault(NO_ADDRESS);
  const { name, url, secretWords: words } = server;
  const { owner } = personHolder(request);
  const handle = await parts.requests.open({
    server: name,
    url,
    owner,
    asker: askerOf(request),
    names,
    words,
  });
  return `${at}?state=${handle}`;
}
