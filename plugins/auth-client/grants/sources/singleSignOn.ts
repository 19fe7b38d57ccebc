import { ConfigControl } from 'pegboard';
import type { Scope } from 'pegboard';
import { openDownstream } from '../../../kit/oauth/openDownstream.ts';
import type { Downstream } from '../../../kit/oauth/downstream.ts';
import { ProviderTokens } from '../../../contracts/oauth.ts';
import { SecretSource } from '../../../contracts/secrets.ts';
import type { AuthClientConfig } from '../../config.ts';
import type { Outside } from '../../discovery/network.ts';
import { exchangedToken } from './exchangedToken.ts';
import { forwardedToken } from './forwardedToken.ts';
import type { SingleSignOnParts } from './singleSignOnSource.ts';

/** How servers get tokens by the caller's sign-in at this gateway. */
export function singleSignOn(
  scope: Scope<AuthClientConfig>,
  { trust, proxies }: Outside,
): { readonly forwarding: SingleSignOnParts; readonly exchanging: SingleSignOnParts } {
  const { log } = scope;
  const { extraCaFile, oauth } = scope.config.aggregator;
  const tokens = (): ProviderTokens | undefined => scope.find(ProviderTokens);
  let downstream: Promise<Downstream> | undefined;
  const opened = (): Promise<Downstream> =>
    (downstream ??= openDownstream({
      proxies,
      log,
      ...(trust && { trust }),
      allowPrivate: extraCaFile !== undefined || oauth.mcpClient.tokenExchange.allowPrivateIP,
      privateKey: 'aggregator.oauth.mcpClient.tokenExchange.allowPrivateIP',
      directory: () => scope.get(ConfigControl).directory,
      secrets: () => scope.find(SecretSource),
    }));
  return {
    forwarding: { tokens, log, obtain: forwardedToken },
    exchanging: {
      tokens,
      log,
      obtain: async (server, token) => exchangedToken(server, token, await opened()),
    },
  };
}
