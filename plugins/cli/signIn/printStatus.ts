import type { Invocation } from 'pegboard';
import { optionsOf } from '../commonOptions.ts';
import { endpointOf } from '../endpointOf.ts';
import { Failure, SIGN_IN_NEEDED } from '../failure.ts';
import { Gateway } from '../gateway.ts';
import { printObject } from '../output/print.ts';
import { signInCommand } from '../signInNeeded.ts';
import { identityOf } from './identityOf.ts';
import { inWords } from '../../kit/text/inWords.ts';
import { serverLines } from './serverLines.ts';
import { statusNamed, serverStatuses, wantsSignIn } from './serverStatuses.ts';
import type { ServerSignIn } from './serverStatuses.ts';
import { TokenFile } from './tokenFile.ts';

const WORDS = {
  authenticated: 'Authenticated',
  not_authenticated: 'Not authenticated',
  not_required: 'No sign-in wanted',
  unreachable: 'Not known',
};

/** `pegboard auth status`: asks the gateway, renewing the token if it is due. @returns 0, 2 if a sign-in is needed (with --server:
 *  at that server), 1 if the gateway does not answer @throws Failure */
export async function printStatus(invocation: Invocation): Promise<number> {
  const { output, server } = optionsOf<{ server?: string }>(invocation);
  const endpoint = await endpointOf(invocation);
  const file = new TokenFile(invocation.directory, endpoint.url);
  const found = await serversOf(invocation).catch((error: unknown) => {
    if (error instanceof Failure) return error;
    throw error;
  });
  const failure = found instanceof Failure ? found : undefined;
  const all = found instanceof Failure ? undefined : found;
  const servers = server === undefined || failure !== undefined ? all : [statusNamed(all ?? [], server)];
  const stored = await file.read();
  const status = statusOf(failure, stored?.access_token !== undefined);
  const facts = status === 'authenticated' ? stored : undefined;
  const shown = {
    endpoint: endpoint.url,
    status,
    ...(facts !== undefined && {
      identity: identityOf(facts.id_token),
      expires_at: facts.expiry,
      renews: facts.refresh_token !== undefined,
      signed_in_at: facts.created_at,
      issuer: facts.issuer_url,
    }),
    ...(failure !== undefined && { reason: failure.message }),
    ...(servers !== undefined && { servers }),
  };
  if (output !== 'table' && output !== 'wide') printObject(invocation, shown, status);
  else {
    const command = signInCommand(endpoint);
    const lines = servers === undefined || servers.length === 0 ? '' : serverLines(servers, command);
    invocation.terminal.out(textOf(shown) + lines);
  }
  if (server !== undefined && servers?.some(wantsSignIn) === true) return SIGN_IN_NEEDED;
  return failure?.exitCode ?? 0;
}

/** @returns undefined if the gateway has no `auth://status` */
function serversOf(invocation: Invocation): Promise<readonly ServerSignIn[] | undefined> {
  return Gateway.apart(invocation, (gateway) =>
    serverStatuses(gateway).catch((error: unknown) => {
      if (error instanceof Failure && invocation.cancel.reason === undefined) return undefined;
      throw error;
    }),
  );
}

function statusOf(failure: Failure | undefined, isSignedIn: boolean): keyof typeof WORDS {
  if (failure === undefined) return isSignedIn ? 'authenticated' : 'not_required';
  return failure.exitCode === SIGN_IN_NEEDED ? 'not_authenticated' : 'unreachable';
}

interface Shown {
  readonly endpoint: string;
  readonly status: keyof typeof WORDS;
  readonly identity?: string | undefined;
  readonly expires_at?: string;
  readonly renews?: boolean;
  readonly signed_in_at?: string;
  readonly issuer?: string;
  readonly reason?: string;
}
function textOf(shown: Shown): string {
  const { expires_at: expires, signed_in_at: since, renews = false } = shown;
  const lines = {
    Endpoint: shown.endpoint,
    Status: WORDS[shown.status],
    Identity: shown.identity,
    Expires: expires && `${inWords(expires)}${renews ? ' (renewed automatically)' : ''}`,
    Session: since && `signed in ${inWords(since)}`,
    Issuer: shown.issuer,
    Reason: shown.reason,
  };
  const given = Object.entries(lines).filter(([, value]) => value !== undefined);
  return `Pegboard\n${given.map(([name, value]) => `  ${`${name}:`.padEnd(11)}${value}\n`).join('')}`;
}
