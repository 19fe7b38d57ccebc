import { ConfigControl, Shutdown, messageOf } from 'pegboard';
import type { InboundRequest, Scope } from 'pegboard';
import { ProviderTokens, SignInScopes } from '../contracts/oauth.ts';
import { ResourceStore } from '../contracts/definitions.ts';
import { CallSecrets, SecretSource } from '../contracts/secrets.ts';
import { RunStore } from '../contracts/runs.ts';
import type { StoreKubernetesConfig } from './config.ts';
import { provideEvents } from './events/provideEvents.ts';
import { KubernetesRuns } from './runs/kubernetesRuns.ts';
import { KubernetesSecrets } from './secrets/kubernetesSecrets.ts';
import { callerToken } from './store/callerToken.ts';
import { Cluster } from './store/cluster.ts';
import { Definitions } from './store/definitions.ts';
import { KubernetesStore } from './store/kubernetesStore.ts';
import { Reloads } from './store/reloads.ts';
import { provideStatus } from './status/provideStatus.ts';

/** Wires the store. Nothing is connected before the first definitions are read. */
export function provideStore(scope: Scope<StoreKubernetesConfig>): void {
  const { log } = scope;
  const control = (): ConfigControl => scope.get(ConfigControl);
  const config = (): StoreKubernetesConfig => scope.config;
  const audience = (): string => config().writesAsCaller.orchestratorAudience;
  const reloads = new Reloads(() =>
    control()
      .reload()
      .catch((error: unknown) => {
        log.warn('changed definitions could not be applied', { reason: messageOf(error) });
      }),
  );
  const cluster = new Cluster(config, log);
  const definitions = new Definitions({ cluster, control, config, log, changed: () => reloads.request() });
  let unfollow: (() => void) | undefined;
  scope.onStart(() => {
    unfollow = scope.get(Shutdown).onRequest(() => definitions.interrupt());
  });
  // Runs last: the Lease is handed on through the connection.
  scope.onStop(async () => {
    unfollow?.();
    reloads.stop();
    await definitions.stop();
    await cluster.close();
  });
  scope.tap('onConfigLoad', (draft) => definitions.addTo(draft));
  const tokenOf = (caller: InboundRequest | undefined): Promise<string> =>
    callerToken(caller, scope.find(ProviderTokens), audience());
  scope.provide(ResourceStore, new KubernetesStore(cluster, control, definitions, tokenOf));
  const namespace = (): string => control().settings().namespace;
  scope.provide(RunStore, new KubernetesRuns(cluster, namespace));
  const secrets = new KubernetesSecrets(cluster, namespace);
  scope.provide(SecretSource, secrets);
  scope.provide(CallSecrets, secrets);
  scope.provide(SignInScopes, { audiences: () => [audience()] });
  const mayWrite = provideStatus(scope, cluster, definitions);
  provideEvents(scope, cluster, definitions, mayWrite);
}
