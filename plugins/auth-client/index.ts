import { ConfigControl, definePlugin, networkSettings, readSchema } from 'pegboard';
import type { AuthClientConfig } from './config.ts';
import { configFindings } from './configFindings.ts';
import { HttpListener, Route } from '../contracts/http.ts';
import { AuthorizationServer, BrowserSignIn, ProviderTokens, SignInScopes } from '../contracts/oauth.ts';
import { MetricSource } from '../contracts/metrics.ts';
import { fetchTrust, tlsFindings } from '../kit/tls/fetchTrust.ts';
import { Vault } from '../contracts/vault.ts';
import { Channel, Peers } from '../contracts/processes.ts';
import { CallSecrets, SecretSource } from '../contracts/secrets.ts';
import { CallerCredentials, GrantRelease, GrantStore, GuardedServers } from '../contracts/credentials.ts';
import { ServiceSource } from '../contracts/services.ts';
import { SignInFinder, SignInOffers, SignInStatuses } from '../contracts/signIns.ts';

/** The client of authorization servers towards MCP servers. */
export const plugin = definePlugin<AuthClientConfig>({
  name: 'auth-client',
  api: 1,
  configSchema: readSchema('config/auth-client'),
  select: ({ aggregator }) => {
    const {
      mcpClient = {},
      server,
      tls,
    } = (aggregator['oauth'] ?? {}) as {
      readonly mcpClient?: unknown;
      readonly tls?: unknown;
      readonly server?: { readonly enabled?: boolean; readonly baseUrl?: string };
    };
    const baseUrl = server?.enabled === true ? server.baseUrl : undefined;
    return {
      aggregator: {
        ...networkSettings(aggregator),
        oauth: {
          mcpClient,
          server: { ...(baseUrl !== undefined && { baseUrl }) },
          ...(tls !== undefined && { tls }),
        },
      },
    };
  },
  requires: [ConfigControl],
  uses: [Channel, Peers, Vault],
  asks: [
    AuthorizationServer,
    BrowserSignIn,
    GuardedServers,
    HttpListener,
    ProviderTokens,
    SecretSource,
    ServiceSource,
  ],
  provides: [
    CallSecrets,
    CallerCredentials,
    GrantRelease,
    GrantStore,
    MetricSource,
    Route,
    SignInFinder,
    SignInOffers,
    SignInScopes,
    SignInStatuses,
  ],
  check: configFindings,
  // Where clients sign in too, auth-server does it.
  review: ({ config: { aggregator }, directory }) =>
    Promise.resolve(
      aggregator.oauth.server.baseUrl === undefined ? tlsFindings(aggregator.oauth.tls, directory) : [],
    ),
  async apply(scope) {
    const trust = fetchTrust({
      extraCaFile: () => scope.config.aggregator.extraCaFile,
      hosts: () => scope.config.aggregator.oauth.tls,
      servers: () => scope.find(GuardedServers)?.all() ?? [],
      directory: () => scope.get(ConfigControl).directory,
      log: scope.log,
    });
    const outside = { trust, proxies: () => scope.config.aggregator };
    scope.provide(SignInFinder, {
      // Imported with the first question: most gateways never ask one.
      find: async (asked) => (await import('./discovery/findSignIn.ts')).findSignIn(asked, outside),
    });
    const { enabled } = scope.config.aggregator.oauth.mcpClient;
    const flows = enabled ? (await import('./provideSignIn.ts')).provideSignIn(scope, outside) : undefined;
    const { provideTools } = await import('./tools/provideTools.ts');
    provideTools(scope, flows);
  },
});
