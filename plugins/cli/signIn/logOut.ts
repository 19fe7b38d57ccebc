import type { Invocation } from 'pegboard';
import { optionsOf } from '../commonOptions.ts';
import { confirm } from '../confirm.ts';
import { endpointOf } from '../endpointOf.ts';
import { Failure } from '../failure.ts';
import { Gateway, failureText } from '../gateway.ts';
import { progressTo } from '../progressTo.ts';
import { reasonOf } from '../reasonOf.ts';
import { oauthFetch } from './oauthFetch.ts';
import { serverStatuses, statusNamed } from './serverStatuses.ts';
import { TokenFile, allTokens, gatewayOf } from './tokenFile.ts';
import type { StoredTokens } from './tokenFile.ts';

/** `pegboard auth logout`. @throws Failure */
export async function logOut(invocation: Invocation): Promise<number> {
  const { directory, terminal } = invocation;
  const say = progressTo(invocation);
  const { all: isEverywhere = false, server } = optionsOf<{ all?: boolean; server?: string }>(invocation);
  if (server !== undefined && isEverywhere) throw new Failure('--server and --all exclude each other');
  if (server !== undefined) return logOutAt(invocation, server);
  if (!isEverywhere) {
    const { url } = await endpointOf(invocation);
    const stored = await new TokenFile(directory, url).read();
    if (stored === undefined) say(`not signed in at ${gatewayOf(url)}`);
    else await signOut(invocation, stored);
    return 0;
  }
  const all = await allTokens(directory);
  if (all.length === 0) {
    say('not signed in anywhere');
    return 0;
  }
  terminal.err(all.map(({ server_url: server }) => `  ${server}\n`).join(''));
  if (!(await confirm(invocation, 'Sign out there?'))) return 1;
  for (const stored of all) await signOut(invocation, stored);
  return 0;
}

/** Discards what the person has at a server; the sign-in at the gateway stays. */
function logOutAt(invocation: Invocation, server: string): Promise<number> {
  return Gateway.apart(invocation, async (gateway) => {
    statusNamed(await serverStatuses(gateway), server);
    const answer = await gateway.call('core_auth_logout', { server });
    if (answer.isError === true) throw new Failure(failureText(answer));
    progressTo(invocation)(`signed out of ${server}`);
    return 0;
  });
}

async function signOut(invocation: Invocation, stored: StoredTokens): Promise<void> {
  const { server_url: server } = stored;
  const file = new TokenFile(invocation.directory, server);
  const fault = await file.locked(async () => {
    // A renewal may have replaced the token meanwhile.
    const found = await revoke(invocation, (await file.read()) ?? stored);
    await file.remove();
    return found;
  });
  progressTo(invocation)(`signed out of ${server}`);
  if (fault !== undefined)
    invocation.terminal.err(
      `pegboard: the tokens are deleted here, but ${server} could not be told to end the sign-in: ${fault}\n`,
    );
}

/** Source: RFC 7009. @returns why the sign-in stays valid at the gateway; undefined if it has ended */
async function revoke(invocation: Invocation, stored: StoredTokens): Promise<string | undefined> {
  const { revocation_endpoint: address, client_id, refresh_token, access_token } = stored;
  const token = refresh_token ?? access_token;
  if (token === undefined) return undefined;
  if (address === undefined) return 'it has no address for that';
  const token_type_hint = refresh_token === undefined ? 'access_token' : 'refresh_token';
  try {
    const fetch = await oauthFetch(invocation);
    const body = new URLSearchParams({ token, token_type_hint, client_id });
    const { ok, status } = await fetch(address, { method: 'POST', body });
    return ok ? undefined : `status ${status}`;
  } catch (error) {
    return reasonOf(error);
  }
}
