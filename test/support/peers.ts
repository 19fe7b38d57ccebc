import { definePlugin } from '../../kernel/index.ts';
import type { Capability, Plugin } from '../../kernel/index.ts';
import { Channel, Peers, SharedKeys } from '../../plugins/contracts/processes.ts';
import type { KeyRing } from '../../plugins/contracts/vault.ts';
import type { FakeBus } from './fakeBus.ts';

/** What makes a gateway that process of the bus: a plugin for startEdge. @param keys of the sessions, which each then opens */
export function peerOn(bus: FakeBus, own: string, keys?: KeyRing): Plugin {
  const shared = bus.scopeOf(own);
  const provided = <T>(id: Capability<T>): T => shared.all(id)[0] as T;
  return definePlugin({
    name: 'test-processes',
    api: 1,
    configSchema: { type: 'object' },
    provides: [Channel, Peers, SharedKeys],
    apply: (scope) => {
      scope.provide(Channel, provided(Channel));
      scope.provide(Peers, provided(Peers));
      scope.provide(SharedKeys, { keys: () => keys });
    },
  });
}
