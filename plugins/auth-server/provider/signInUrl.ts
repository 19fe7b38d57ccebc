import * as client from 'openid-client';
import type { ProviderConfig } from '../config.ts';

/** What the browser brings to the provider. */
export interface ProviderQuestion {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly scopes: readonly string[];
  readonly hints: Readonly<Record<string, string>>;
}

/** Where the browser goes to sign in. */
export async function signInUrl(
  configuration: client.Configuration,
  { connectorId, parameters }: ProviderConfig,
  redirectUri: string,
  { state, nonce, verifier, scopes, hints }: ProviderQuestion,
): Promise<URL> {
  return client.buildAuthorizationUrl(configuration, {
    ...parameters,
    ...hints,
    ...(connectorId !== undefined && { connector_id: connectorId }),
    redirect_uri: redirectUri,
    scope: scopes.join(' '),
    state,
    nonce,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
}
