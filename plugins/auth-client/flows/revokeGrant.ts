import * as oauth from 'oauth4webapi';
import { authenticationOf } from '../grants/refresh/authenticationOf.ts';
import type { Networks } from '../discovery/network.ts';
import type { KeptGrant } from '../grants/record/grantRecord.ts';
import { requestOptions } from './serverRequest.ts';

const TIMEOUT_MS = 5_000;

/** Tells the authorization server that a grant is no longer used. Its answer does not matter: it need not offer this.
 *  Source: RFC 7009 §2.1 */
export async function revokeGrant(
  { url, issuer, isPinned, isFar, client, revocationEndpoint, refreshToken, accessToken }: KeptGrant,
  networks: Networks,
): Promise<void> {
  if (revocationEndpoint === undefined) return;
  const isRefresh = refreshToken !== undefined;
  try {
    const network = networks.of({ url, issuer: isPinned && issuer, isFar });
    const send = await network.sender(new URL(revocationEndpoint), TIMEOUT_MS);
    await oauth.revocationRequest(
      { issuer, revocation_endpoint: revocationEndpoint },
      { client_id: client.id },
      authenticationOf(client),
      isRefresh ? refreshToken : accessToken,
      {
        ...requestOptions(send, revocationEndpoint),
        additionalParameters: { token_type_hint: isRefresh ? 'refresh_token' : 'access_token' },
      },
    );
  } catch {
    // The grant is gone here in any case, and it ends there by itself.
  }
}
