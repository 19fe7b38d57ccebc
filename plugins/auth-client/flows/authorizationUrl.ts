import { digest } from '../../kit/secrets/secrets.ts';
import type { SignInFlow } from './flowStore.ts';

/** Where the browser goes to sign in. Source: RFC 6749 §4.1.1; RFC 7636 §4.3; RFC 8707 §2 */
export function authorizationUrl(flow: SignInFlow, state: string, verifier: string): string {
  const { endpoints, client, redirectUri, scope, resource, parameters: more } = flow;
  const url = new URL(endpoints.authorization);
  const parameters = {
    // Without it, OpenID providers ignore the scope (OIDC Core §11).
    prompt: scope?.split(' ').includes('offline_access') === true ? 'consent' : undefined,
    ...more,
    response_type: 'code',
    client_id: client.id,
    redirect_uri: redirectUri,
    state,
    code_challenge: digest(verifier),
    code_challenge_method: 'S256',
    scope,
    resource,
  };
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
}
