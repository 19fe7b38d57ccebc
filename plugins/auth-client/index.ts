import type { SecureContext } from 'node:tls';
import { ConfigControl, definePlugin, readSchema, trustedContext } from 'pegboard';
import type { AuthClientConfig } from './config.ts';
import { SignInFinder } from './contract.ts';

/** The client of authorization servers towards MCP servers. */
export const plugin = definePlugin<AuthClientConfig>({
  name: 'auth-client',
  api: 1,
  configSchema: readSchema('config/auth-client'),
  select: ({ aggregator }) => {
    const { mcpClient = {} } = (aggregator['oauth'] ?? {}) as { mcpClient?: unknown };
    const { extraCaFile } = aggregator;
    return { aggregator: { ...(extraCaFile !== undefined && { extraCaFile }), oauth: { mcpClient } } };
  },
  requires: [ConfigControl],
  provides: [SignInFinder],
  apply(scope) {
    let trusted: SecureContext | undefined;
    const trust = (): SecureContext | undefined =>
      (trusted ??= trustedContext(scope.config.aggregator.extraCaFile, scope.get(ConfigControl).directory));
    scope.provide(SignInFinder, {
      // Imported with the first question: most gateways never ask one.
      find: async (asked) => (await import('./discovery/findSignIn.ts')).findSignIn(asked, { trust }),
    });
  },
});
