import { ConfigControl, definePlugin, networkSettings, readSchema } from 'pegboard';
import { Route } from '../contracts/http.ts';
import { MetricSource } from '../contracts/metrics.ts';
import { Vault } from '../contracts/vault.ts';
import { Channel, Peers } from '../contracts/processes.ts';
import {
  AuthorizationServer,
  BearerTokens,
  BrowserSignIn,
  ClientSource,
  Grant,
  PageSignIn,
  ProviderTokens,
  SignInList,
  SignInScopes,
} from '../contracts/oauth.ts';
import type { AuthServerConfig } from './config.ts';
import { configFindings } from './configFindings.ts';
import { withPreset } from './providerPresets.ts';

/** Sign-in of the people who use this gateway: an OAuth 2.1 authorization server towards clients. */
export const plugin = definePlugin<AuthServerConfig>({
  name: 'auth-server',
  api: 1,
  configSchema: readSchema('config/auth-server'),
  select: ({ aggregator }) => {
    const { server = {}, tls } = (aggregator['oauth'] ?? {}) as { server?: unknown; tls?: unknown };
    return {
      aggregator: {
        ...networkSettings(aggregator),
        oauth: { server: withPreset(server), ...(tls !== undefined && { tls }) },
      },
    };
  },
  enabled: ({ aggregator }) => {
    const { server } = (aggregator['oauth'] ?? {}) as { server?: { enabled?: boolean } };
    return server?.enabled === true;
  },
  guards: true,
  requires: [ConfigControl, Vault],
  uses: [Channel, Peers],
  asks: [BearerTokens, ClientSource, Grant, SignInScopes],
  provides: [Route, AuthorizationServer, BrowserSignIn, MetricSource, PageSignIn, ProviderTokens, SignInList],
  check: configFindings,
  review: async (facts) => (await import('./reviewFindings.ts')).reviewFindings(facts),
  // Only here, because each start reads the manifests of all plugins.
  apply: async (scope) => {
    const { provideAuthorizationServer } = await import('./provideAuthorizationServer.ts');
    provideAuthorizationServer(scope);
  },
});
