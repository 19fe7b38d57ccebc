import { ConfigControl, definePlugin, networkSettings, readSchema } from 'pegboard';
import { SecretSource } from '../contracts/secrets.ts';
import { GrantRelease } from '../contracts/credentials.ts';
import { AuthorizationServer, BearerTokens, ClientSource, Grant } from '../contracts/oauth.ts';
import { Vault } from '../contracts/vault.ts';
import type { AuthExchangeConfig, ExchangeConfig } from './config.ts';
import { configFindings } from './configFindings.ts';

interface Section {
  readonly server?: Partial<ExchangeConfig> & { readonly enabled?: boolean };
  readonly tls?: unknown;
}

/** Tokens of other issuers: as bearer tokens, and in exchange for tokens of other services. */
export const plugin = definePlugin<AuthExchangeConfig>({
  name: 'auth-exchange',
  api: 1,
  configSchema: readSchema('config/auth-exchange'),
  select: ({ aggregator }) => {
    const { server = {}, tls } = (aggregator['oauth'] ?? {}) as Section;
    const { trustedIssuers, tokenExchangeBroker } = server;
    return {
      aggregator: {
        ...networkSettings(aggregator),
        oauth: {
          ...(tls !== undefined && { tls }),
          server: {
            ...(trustedIssuers !== undefined && { trustedIssuers }),
            ...(tokenExchangeBroker !== undefined && { tokenExchangeBroker }),
          },
        },
      },
    };
  },
  enabled: ({ aggregator }) => {
    const { server } = (aggregator['oauth'] ?? {}) as Section;
    if (server?.enabled !== true) return false;
    return server.trustedIssuers !== undefined || server.tokenExchangeBroker !== undefined;
  },
  requires: [AuthorizationServer, ConfigControl, Vault],
  asks: [GrantRelease, SecretSource],
  provides: [Grant, ClientSource, BearerTokens],
  check: configFindings,
  review: async (facts) => (await import('./reviewFindings.ts')).reviewFindings(facts),
  // Only here, because each start reads the manifests of all plugins.
  apply: async (scope) => {
    const { provideExchange } = await import('./provideExchange.ts');
    provideExchange(scope);
  },
});
