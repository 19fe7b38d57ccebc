import { ConfigControl, Shutdown, definePlugin, entryOf, readSchema } from 'pegboard';
import { ProviderTokens, SignInScopes } from '../contracts/oauth.ts';
import { ServiceSource } from '../contracts/services.ts';
import { ResourceStore } from '../contracts/definitions.ts';
import { CallSecrets, SecretSource } from '../contracts/secrets.ts';
import { MetricSource } from '../contracts/metrics.ts';
import { Readiness } from '../contracts/http.ts';
import { Channel, Peers, SharedKeys } from '../contracts/processes.ts';
import { ClusterObjects } from '../contracts/cluster.ts';
import { RunStore } from '../contracts/runs.ts';
import type { StoreKubernetesConfig } from './config.ts';

/** Definitions as custom resources of Kubernetes. */
export const plugin = definePlugin<StoreKubernetesConfig>({
  name: 'store-kubernetes',
  api: 1,
  configSchema: readSchema('config/store-kubernetes'),
  select: (settings) => {
    const { writesAsCaller = {} } = settings;
    return { ...entryOf(settings, 'store-kubernetes').config, writesAsCaller };
  },
  check: ({ namespaces }, { namespace: home }) =>
    namespaces.flatMap((namespace, at) => {
      const path = ['namespaces', at];
      if (namespace === home)
        return [{ path, message: `${home} is the namespace of the gateway; remove it` }];
      return namespaces.indexOf(namespace) < at
        ? [{ path, message: `${namespace} is listed already; remove one` }]
        : [];
    }),
  enabled: ({ orchestrator }) => orchestrator,
  requires: [ConfigControl, Shutdown],
  uses: [Channel, Peers, ProviderTokens, ServiceSource, SharedKeys],
  provides: [
    CallSecrets,
    ClusterObjects,
    MetricSource,
    Readiness,
    ResourceStore,
    RunStore,
    SecretSource,
    SignInScopes,
  ],
  // Only here, because each start reads the manifests of all plugins.
  apply: async (scope) => {
    const { provideStore } = await import('./provideStore.ts');
    provideStore(scope);
  },
});
