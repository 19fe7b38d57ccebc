import type { AuthorizationServerMetadata } from '@modelcontextprotocol/client';
import { Failure, SIGN_IN_FAILED } from '../failure.ts';
import { reasonOf } from '../reasonOf.ts';
import type { OauthFetch } from './oauthFetch.ts';

/** Where to sign in for an endpoint. */
export interface Discovered {
  readonly metadata: AuthorizationServerMetadata;
  /** The `resource` that the token is for. */
  readonly resource: string;
  /** Undefined leaves the choice to the authorization server. */
  readonly scope: string | undefined;
}

/** Finds the authorization server from the refusal of a request. Source: RFC 9728 §5, RFC 8414 §3
 *  @param refusal the response with status 401 @throws Failure (exit code 3) */
export async function discoverSignIn(
  endpoint: string,
  refusal: Response,
  fetch: OauthFetch,
): Promise<Discovered> {
  const { extractWWWAuthenticateParams, ...oauth } = await import('@modelcontextprotocol/client');
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(refusal);
  try {
    const { resource, authorization_servers: [issuer] = [] } =
      await oauth.discoverOAuthProtectedResourceMetadata(
        endpoint,
        resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl },
        fetch,
      );
    if (!oauth.checkResourceAllowed({ requestedResource: endpoint, configuredResource: resource }))
      throw new Error(`it says that its address is ${resource}; use that one`);
    if (issuer === undefined) throw new Error('it names no authorization server');
    const metadata = await oauth.discoverAuthorizationServerMetadata(issuer, { fetchFn: fetch });
    if (metadata === undefined) throw new Error(`${issuer} has no authorization server metadata`);
    // Without the list, the server does not check the code_verifier (MCP authorization, PKCE).
    if (metadata.code_challenge_methods_supported?.includes('S256') !== true)
      throw new Error(`${issuer} does not support PKCE with S256`);
    const device = deviceAddressOf(metadata);
    for (const address of [
      metadata.authorization_endpoint,
      metadata.token_endpoint,
      ...(device === undefined ? [] : [device]),
    ])
      if (!isSecure(address)) throw new Error(`${address} is neither https nor on this machine`);
    return { metadata, resource, scope: scope ?? personScope(metadata) };
  } catch (error) {
    throw new Failure(`cannot sign in at ${endpoint}: ${reasonOf(error).slice(0, 500)}`, SIGN_IN_FAILED);
  }
}

/** What shows who signed in, if it is offered: the id_token, and what is in it. */
function personScope({ scopes_supported: offered = [] }: AuthorizationServerMetadata): string | undefined {
  const scopes = ['openid', 'profile', 'email', 'groups'].filter((scope) => offered.includes(scope));
  return scopes.includes('openid') ? scopes.join(' ') : undefined;
}

function isSecure(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback);
}

/** Undefined if no device can be signed in by a code. Source: RFC 8628 §4 */
export function deviceAddressOf(metadata: AuthorizationServerMetadata): string | undefined {
  const { device_authorization_endpoint: address } = metadata as {
    readonly device_authorization_endpoint?: unknown;
  };
  return typeof address === 'string' ? address : undefined;
}
