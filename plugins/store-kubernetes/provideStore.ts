import { isDeepStrictEqual } from 'node:util';
import { ConfigControl, Shutdown, StateDirectory, messageOf } from 'pegboard';
import type { InboundRequest, ResourceKind, Scope } from 'pegboard';
import { ProviderTokens, SignInScopes } from '../contracts/oauth.ts';
import { ResourceStore } from '../contracts/definitions.ts';
import { CallSecrets, SecretSource } from '../contracts/secrets.ts';
import { MetricSource } from '../contracts/metrics.ts';
import { Readiness } from '../contracts/http.ts';
import { SharedKeys } from '../contracts/processes.ts';
import { ClusterObjects } from '../contracts/cluster.ts';
import { RunStore } from '../contracts/runs.ts';
import type { KubeObject } from './api/kubeObject.ts';
import type { StoreKubernetesConfig } from './config.ts';
import { provideEvents } from './events/provideEvents.ts';
import { KubernetesRuns } from './runs/kubernetesRuns.ts';
import { sealWith } from './runs/runObject.ts';
import { KubernetesSecrets } from './secrets/kubernetesSecrets.ts';
import { callerToken } from './store/callerToken.ts';
import { Cluster } from './store/cluster.ts';
import { clusterObjects } from './store/clusterObjects.ts';
import { Definitions } from './store/definitions.ts';
import type { WatchedKind } from './store/definitions.ts';
import { storeMetrics } from './storeMetrics.ts';
import { KubernetesStore } from './store/kubernetesStore.ts';
import { Reloads } from './store/reloads.ts';
import { provideStatus } from './status/provideStatus.ts';

/** Wires the store. Nothing is connected before the first definitions are read. */
export function provideStore(scope: Scope<StoreKubernetesConfig>): void {
  const { log } = scope;
  let former = scope.config;
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
  let tellGone: (kind: ResourceKind) => void = () => undefined;
  const definitions = new Definitions({
    cluster,
    control,
    config,
    log,
    changed: () => reloads.request(),
    gone: (kind) => tellGone(kind),
  });
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
  // The definitions are read right after; what else changes takes a restart.
  scope.onReload((next) => {
    const { namespaces } = former;
    const isAlone = isDeepStrictEqual({ ...next, namespaces }, former);
    if (isAlone) former = next;
    return isAlone ? undefined : false;
  });
  scope.tap('onConfigLoad', (draft) => definitions.addTo(draft));
  const tokenOf = (caller: InboundRequest | undefined): Promise<string> =>
    callerToken(caller, scope.find(ProviderTokens), audience());
  scope.provide(ResourceStore, new KubernetesStore(cluster, control, definitions, tokenOf));
  const namespace = (): string => control().settings().namespace;
  const seal = sealWith(
    () => scope.find(SharedKeys)?.keys(),
    () => scope.find(StateDirectory)?.path,
    log,
  );
  const isOpen = (): boolean => config().content;
  scope.provide(RunStore, new KubernetesRuns({ cluster, namespace, seal, isOpen }));
  const secrets = new KubernetesSecrets(cluster, namespace);
  scope.provide(SecretSource, secrets);
  scope.provide(CallSecrets, secrets);
  scope.provide(SignInScopes, { audiences: () => [audience()] });
  const status = provideStatus(scope, cluster, definitions);
  const { mayWrite } = status;
  scope.provide(ClusterObjects, clusterObjects({ cluster, control, definitions, mayWrite }));
  const leaseObject = (): KubeObject => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: config().lease, namespace: namespace() },
  });
  const events = provideEvents(scope, cluster, definitions, status.mayWrite, leaseObject);
  tellGone = events.gone;
  const watched = (): readonly WatchedKind[] => definitions.watched();
  scope.provide(
    MetricSource,
    storeMetrics({
      requests: cluster.access.requests,
      watched,
      isLeader: status.mayWrite,
      pending: { status: status.pending, event: events.pending },
    }),
  );
  // Stale definitions are still served, so they make nothing unready.
  scope.provide(Readiness, {
    unready: undefined,
    details: () => ({
      // Anyone may read this: which teams there are is not for all.
      definitions: [...new Set(watched().map(({ kind }) => kind))].map((kind) => ({
        kind,
        staleSeconds: Math.floor(
          Math.max(...watched().map((one) => (one.kind === kind ? one.silentMs : 0))) / 1_000,
        ),
      })),
      writes: status.mayWrite(),
    }),
  });
}
