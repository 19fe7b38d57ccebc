import type { Invocation } from 'pegboard';
import { endpointOf } from '../endpointOf.ts';
import { SignInNeeded } from '../signInNeeded.ts';
import { gatewayUnreachable } from '../gatewayUnreachable.ts';
import { StoredSignIn } from './storedSignIn.ts';
import type { StoredTokens } from './tokenFile.ts';

export type CurrentTokens = StoredTokens & { readonly access_token: string };

/** What is stored for the gateway, renewed if it is due. @throws Failure (exit code 2: not signed in) */
export async function currentTokens(invocation: Invocation): Promise<CurrentTokens> {
  const endpoint = await endpointOf(invocation);
  const tokens = await new StoredSignIn(invocation, endpoint).tokens().catch((error: unknown) => {
    throw gatewayUnreachable(error, endpoint);
  });
  if (tokens?.access_token === undefined) throw new SignInNeeded(endpoint, tokens !== undefined);
  return tokens as CurrentTokens;
}
