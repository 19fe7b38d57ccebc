import * as client from 'openid-client';

export const CLOCK_TOLERANCE_S = 5;
/** A time limit of openid-client for each of its requests, in seconds. */
const TIMEOUT_S = 30;

export interface DiscoveryParts {
  readonly issuerUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Checks addresses, and bounds time and size. */
  readonly fetch: client.CustomFetch;
}

/** The provider's addresses. Source: https://openid.net/specs/openid-connect-discovery-1_0.html
 *  @throws what openid-client throws */
export function discoverProvider({
  issuerUrl,
  clientId,
  clientSecret,
  fetch,
}: DiscoveryParts): Promise<client.Configuration> {
  return client.discovery(
    new URL(issuerUrl),
    clientId,
    { [client.clockTolerance]: CLOCK_TOLERANCE_S },
    secretOf(clientSecret),
    {
      [client.customFetch]: fetch,
      timeout: TIMEOUT_S,
      execute: [
        client.enableNonRepudiationChecks,
        // Deprecated only to be noticed; configFindings lets http pass on loopback only.
        // eslint-disable-next-line @typescript-eslint/no-deprecated
        ...(issuerUrl.startsWith('http:') ? [client.allowInsecureRequests] : []),
      ],
    },
  );
}

/** Sends the secret in the way that the provider supports; without a word, in the header (OIDC Discovery §3). */
function secretOf(clientSecret: string): client.ClientAuth {
  const [basic, post] = [client.ClientSecretBasic(clientSecret), client.ClientSecretPost(clientSecret)];
  return (server, ...others) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const authenticate = methods.includes('client_secret_basic') ? basic : post;
    authenticate(server, ...others);
  };
}
