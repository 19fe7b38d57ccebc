import { realpath } from 'node:fs/promises';
import { ConfigControl, StateDirectory, definePlugin, entryOf, networkSettings, readSchema } from 'pegboard';
import type { Scope } from 'pegboard';
import { Confinement } from '../contracts/servers.ts';
import { helpedBy } from '../kit/faults/remedy.ts';
import type { IsolateConfig } from './config.ts';
import { contained } from './contained.ts';
import type { Kept } from './mounts.ts';
import { Networks } from './networks.ts';
import { probe } from './probe.ts';
import type { Bubblewrap } from './probe.ts';
import { sandboxed } from './sandboxed.ts';
import { confinementFindings } from './confinementFindings.ts';

/** Runs stdio servers with what their definitions grant, and nothing else of this machine. */
export const plugin = definePlugin<IsolateConfig>({
  name: 'isolate',
  api: 1,
  configSchema: readSchema('config/isolate'),
  select: (settings) => ({
    ...entryOf(settings, 'isolate').config,
    ...networkSettings(settings.aggregator),
  }),
  requires: [ConfigControl, StateDirectory],
  provides: [Confinement],
  review: confinementFindings,
  apply(scope) {
    let config = scope.config;
    let found: Promise<Bubblewrap> | undefined;
    const networks = new Networks(
      scope,
      () => config,
      () => scope.get(ConfigControl).directory,
    );
    scope.provide(Confinement, {
      confine: async (wanted) => {
        const kept = await keptOf(scope);
        if (wanted.isolate === 'container') return contained(wanted, { config, kept, networks });
        found ??= probe();
        const bubblewrap = await found.catch((error: unknown) => {
          // The next start finds out whether it has been installed since.
          found = undefined;
          throw error;
        });
        return sandboxed(wanted, { config, bubblewrap, kept, networks });
      },
      inForce: (server) => networks.inForce(server),
    });
    scope.tap('onConfigApply', ({ removed }) => {
      for (const { name } of removed) networks.forget(name);
    });
    scope.onStop(() => networks.close());
    scope.onReload((next) => {
      config = next;
    });
  },
});

/** @throws GatewayError UPSTREAM_UNREACHABLE without a state directory */
async function keptOf(scope: Scope<IsolateConfig>): Promise<Kept> {
  const { path } = scope.get(StateDirectory);
  if (path === undefined) {
    const what = 'name a directory that can be written with --state-path or PEGBOARD_STATE_PATH';
    const text = 'a sandbox has no place for its home, so the server is not started';
    throw helpedBy({ do: 'say', what }, 'UPSTREAM_UNREACHABLE', text);
  }
  const [configuration, state] = await Promise.all([
    realpath(scope.get(ConfigControl).directory),
    realpath(path),
  ]);
  return { configuration, state };
}
