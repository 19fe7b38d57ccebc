import * as client from 'openid-client';
import type { GuardedFetch } from 'pegboard/net';
import type { ProviderConfig } from '../config.ts';

export const CLOCK_TOLERANCE_S = 5;
/** A time limit of openid-client for each of its requests, in seconds. */
const TIMEOUT_S = 30;

/** The provider's addresses. Signatures of its id tokens are verified apart (ProviderKeys), because openid-client drops the tokens of an
 *  answer whose key it does not know yet. Source: https://openid.net/specs/openid-connect-discovery-1_0.html
 *  @param clientSecret reads it @param fetch checks addresses, and bounds time and size @throws what openid-client throws */
export function discoverProvider(
  { issuerUrl, clientId }: ProviderConfig,
  clientSecret: () => string,
  fetch: GuardedFetch,
): Promise<client.Configuration> {
  return client.discovery(
    new URL(issuerUrl),
    clientId,
    { [client.clockTolerance]: CLOCK_TOLERANCE_S },
    secretOf(clientSecret),
    {
      [client.customFetch]: (url, options) => fetch(url, options as RequestInit),
      timeout: TIMEOUT_S,
      // Deprecated only to be noticed; configFindings lets http pass on loopback only.
      // eslint-disable-next-line @typescript-eslint/no-deprecated
      execute: issuerUrl.startsWith('http:') ? [client.allowInsecureRequests] : [],
    },
  );
}

/** Sends the secret in the way that the provider supports; without a word, in the header (OIDC Discovery §3). It is read for each
 *  request, because its file may be renewed while the process runs. */
function secretOf(clientSecret: () => string): client.ClientAuth {
  return (server, ...others) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const isInHeader = methods.includes('client_secret_basic');
    const authenticate = isInHeader ? client.ClientSecretBasic : client.ClientSecretPost;
    authenticate(clientSecret())(server, ...others);
  };
}
