import type { GuardedServer } from '../../../contracts/credentials.ts';

/** What a caller has to have for a server. `grant`: a sign-in there, if it asks for one. `forward`, `exchange`: the sign-in at the
 *  identity provider. `secrets`: what the person has entered. Source: requirement server.schema */
export type SignInKind = 'none' | 'grant' | 'forward' | 'exchange' | 'secrets';

/** Secrets may be wanted beside the others. */
export function signInKindOf({ url, auth }: Pick<GuardedServer, 'url' | 'auth'>): SignInKind {
  const { type, tokenExchange, forwardToken, callerSecrets } = auth;
  if (tokenExchange !== undefined) return 'exchange';
  if (forwardToken) return 'forward';
  const hasSecrets = callerSecrets.length > 0;
  if (type === 'oauth') return 'grant';
  if (hasSecrets) return 'secrets';
  return type === 'none' || url === '' ? 'none' : 'grant';
}
