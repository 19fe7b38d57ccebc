import { ConfigControl } from 'pegboard';
import type { Scope } from 'pegboard';
import { fetchTrust } from '../../kit/tls/fetchTrust.ts';
import type { AuthServerConfig } from '../config.ts';
import type { Web } from '../web/web.ts';
import { IdentityProvider } from './identityProvider.ts';
import { providerFetch } from './providerFetch.ts';

/** The identity provider of the configuration; onStart begins to look for it. */
export function provideProvider(scope: Scope<AuthServerConfig>, { addresses }: Web): IdentityProvider {
  const { log } = scope;
  const { idp } = scope.config.aggregator.oauth.server;
  const fetchProvider = providerFetch({
    allowPrivate: idp.allowPrivateIPOIDC,
    trust: fetchTrust({
      extraCaFile: () => scope.config.aggregator.extraCaFile,
      hosts: () => scope.config.aggregator.oauth.tls,
      directory: () => scope.get(ConfigControl).directory,
      log,
    }),
    proxies: () => scope.config.aggregator,
  });
  const provider = new IdentityProvider(idp, addresses.at('/oauth/callback'), fetchProvider, log);
  scope.onStop(() => provider.stop());
  return provider;
}
