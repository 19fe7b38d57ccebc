import type { Invocation } from 'pegboard';
import { claimsOf } from '../../kit/oauth/claimsOf.ts';
import { optionsOf } from '../commonOptions.ts';
import { endpointOf } from '../endpointOf.ts';
import { printObject } from '../output/print.ts';
import { currentTokens } from './currentTokens.ts';
import { identityOf } from './identityOf.ts';
import { inWords } from '../../kit/text/inWords.ts';

/** `pegboard auth whoami`. @throws Failure (exit code 2: not signed in) */
export async function printIdentity(invocation: Invocation): Promise<number> {
  const { url: endpoint } = await endpointOf(invocation);
  const { id_token: idToken, issuer_url: issuer, expiry } = await currentTokens(invocation);
  const identity = identityOf(idToken) ?? 'unknown';
  const { output } = optionsOf(invocation);
  if (output === 'table' || output === 'wide') {
    const lines = { Identity: identity, Endpoint: endpoint, Issuer: issuer, Expires: inWords(expiry) };
    for (const [name, value] of Object.entries(lines))
      invocation.terminal.out(`${`${name}:`.padEnd(11)}${value}\n`);
    return 0;
  }
  const { sub: subject, groups } = claimsOf(idToken ?? '');
  printObject(invocation, { identity, subject, groups, endpoint, issuer, expires_at: expiry }, identity);
  return 0;
}
