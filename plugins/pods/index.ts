import { ConfigControl, StateDirectory, definePlugin, readSchema } from 'pegboard';
import type { Finding, Resource } from 'pegboard';
import { ClusterObjects } from '../contracts/cluster.ts';
import { SharedKeys } from '../contracts/processes.ts';
import type { KeyRing } from '../contracts/vault.ts';
import { NAMESPACE_LABEL } from '../contracts/secrets.ts';
import { PodServers } from '../contracts/servers.ts';
import { vaultKeys } from '../kit/vault/vaultKeys.ts';
import type { PodsConfig } from './config.ts';
import { bridgeKey, secretName } from './podNames.ts';
import { podObjects } from './podObjects.ts';
import type { PodFacts, PodSpec } from './podObjects.ts';
import { podServers } from './podServers.ts';
import { Reconciler } from './reconciler.ts';

const SERVER = 'MCPServer';

/** Stdio servers in pods of their own (decision D214). */
export const plugin = definePlugin<PodsConfig>({
  name: 'pods',
  api: 1,
  configSchema: readSchema('config/pods'),
  enabled: ({ orchestrator, plugins }) => orchestrator && typeof plugins['pods'] === 'object',
  check: ({ image, gatewayLabels }) => [
    ...(image === undefined
      ? [missing('image', 'write the image of Pegboard, from which pods copy the bridge')]
      : []),
    ...(gatewayLabels === undefined
      ? [
          missing(
            'gatewayLabels',
            "write the labels of the gateway's pods, which alone may reach those of servers",
          ),
        ]
      : []),
  ],
  requires: [ClusterObjects, ConfigControl],
  uses: [SharedKeys, StateDirectory],
  provides: [PodServers],
  apply: (scope) => {
    let config = scope.config;
    const ending = new AbortController();
    const cluster = (): ClusterObjects => scope.get(ClusterObjects);
    let ring: KeyRing | undefined;
    const keysOf = (server: string, uid: string): readonly Buffer[] => {
      ring ??= vaultKeys(scope.find(StateDirectory)?.path, scope.find(SharedKeys)?.keys());
      const parts = { namespace: cluster().namespace(), server, uid };
      return ring.map(({ key }) => bridgeKey(key, parts));
    };
    const factsOf = ({ name: server, spec, labels }: Resource): PodFacts | undefined => {
      // Also of one that was refused: the former stays in force.
      if (spec['runsIn'] !== 'pod' || labels?.[NAMESPACE_LABEL] !== undefined) return undefined;
      const owner = cluster().ownerOf(SERVER, server);
      if (owner === undefined) return undefined;
      const [key] = keysOf(server, String(owner['uid']));
      if (key === undefined) return undefined;
      return { server, spec: spec as unknown as PodSpec, owner, key, config };
    };
    const resources = (): readonly Resource[] => scope.get(ConfigControl).resources(SERVER);
    const reconciler = new Reconciler({
      cluster,
      log: scope.log,
      secretNames: (server, uid) => keysOf(server, uid).map((key) => secretName(server, key)),
      everyMs: () => config.everySeconds * 1_000,
      wanted: () =>
        resources().flatMap((resource) => {
          const facts = factsOf(resource);
          return facts === undefined ? [] : podObjects(facts);
        }),
    });
    const keyOf = (server: string): Buffer | undefined => {
      const found = resources().find(({ name }) => name === server);
      return found && factsOf(found)?.key;
    };
    scope.provide(PodServers, podServers({ cluster, keyOf, port: () => config.port, signal: ending.signal }));
    scope.tap('onEvent', (event) => {
      if (event.type === 'config.applied') reconciler.run();
    });
    scope.onReload((next) => {
      config = next;
      reconciler.run();
    });
    scope.onStop(async () => {
      ending.abort();
      await reconciler.stop();
    });
  },
});

function missing(key: string, fix: string): Finding {
  return { path: [], message: `${key} is missing; ${fix}` };
}
